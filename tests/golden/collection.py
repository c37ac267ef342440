"""Collect every public and stored name of the current code, by category."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import apsw
import msgspec
import psycopg
from cyclopts import App
from immutables import Map
from msgspec.inspect import multi_type_info
from starlette.routing import Route

import perdure
from perdure.api.app import application as api_application
from perdure.api.mcp.fixed import FIXED
from perdure.cli.app import application as cli_application
from perdure.core import facts
from perdure.core.advance import Start
from perdure.core.events import Event
from perdure.core.state import State
from perdure.errors import PerdureError
from perdure.hosts import accepted
from perdure.hosts.restate import messages
from perdure.hosts.stores import opened
from perdure.model import executors
from perdure.model.failure import Failure
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, Waiting
from perdure.model.workflow import FORMAT, FORMAT_MAX, Schedule, Workflow
from perdure.service.engine import Engine
from perdure.service.link_tokens import Link
from perdure.settings.table import SETTINGS
from perdure.store import notices
from perdure.store.feed import Glimpse
from perdure.store.ledger import Answer, TriggerEntry
from perdure.store.port import CRASHES_MAX, LEASE_MS
from perdure.store.registers import AuditEntry, Card
from perdure.tasks.failing import NonRetryable, Retryable, name_of
from postgres import fresh_schema

_Kind = TypeVar("_Kind")

SOURCES = Path(perdure.__file__).parent
APART = ("bench.peers.with_", "sandbox.child", "sandbox.lockdown", "__main__")
"""Modules that run only as programs of their own."""

STORED: dict[str, Any] = {
    "model": Workflow,
    "facts": facts.Fact,
    "state": State,
    "inbox": Event,
    "starts": Start,
    "records": ExecutionRecord,
    "waiting": Waiting,
    "failures": Failure,
    "events": EventRecord,
    "approvals": ApprovalRecord,
    "schedules": Schedule,
    "registers": Card,
    "audit": AuditEntry,
    "answers": Answer,
    "triggers": TriggerEntry,
    "feed": Glimpse,
    "links": Link,
}
"""Types that databases and signed links hold as JSON or rows."""

RESERVED = re.compile(r"perdure[:/][a-zA-Z]+")
ATTRIBUTE = re.compile(r"perdure\.[a-z.]+")


def collect() -> dict[str, Any]:
    """Return the names of each category: a sorted list, or for stored types a list of shapes."""
    trees = [(path, ast.parse(path.read_text())) for path in sorted(SOURCES.rglob("*.py"))]
    return {
        "error_codes": sorted({*error_classes().values(), *_literals(trees, "Wrong", 1)}),
        "failure_codes": sorted(_keyword_literals(trees, "code", re.compile(r"[A-Z][A-Z_]+"))),
        "failure_names": sorted({*failure_classes().values(), *map(name_of, error_classes())}),
        "problem_types": sorted(_literals(trees, "Problem", 0)),
        "mcp_tools": sorted(FIXED),
        "metrics": sorted(_metrics(trees)),
        "span_attributes": sorted(_constants(trees, ATTRIBUTE, "tracing") - _literals_of_attribute(trees, "getLogger")),
        "settings": sorted(setting.name for setting in SETTINGS),
        "commands": sorted(_commands(cli_application(), "perdure")),
        "rest": sorted(_routes()),
        "openapi_components": sorted(_openapi()["components"]["schemas"]),
        "fact_tags": sorted(shape["tag"] for shape in shapes(facts.Fact) if shape["tag"]),
        "reserved_names": sorted(_reserved(trees)),
        "tables_of_sqlite": sorted(_sqlite_columns()),
        "tables_of_postgres": sorted(_postgres_columns()),
        "restate": sorted((messages.EXECUTION, messages.TASK, messages.RECORD)),
        "model_formats": [str(number) for number in range(FORMAT, FORMAT_MAX + 1)],
        "stored": {name: shapes(type_) for name, type_ in STORED.items()},
    }


def error_classes() -> dict[type[PerdureError], str]:
    """Return the error classes of the product with their codes."""
    return {kind: kind.code for kind in _classes_of_the_product(PerdureError)}


def failure_classes() -> dict[type[Exception], str]:
    """Return the exceptions of the product that tasks raise, with their names in failures."""
    kinds = [NonRetryable, Retryable, *_classes_of_the_product(NonRetryable), *_classes_of_the_product(Retryable)]
    return {kind: name_of(kind) for kind in kinds}


def _classes_of_the_product(base: type[_Kind]) -> Iterator[type[_Kind]]:
    for module in pkgutil.walk_packages(perdure.__path__, "perdure."):
        if not any(part in module.name for part in APART):
            importlib.import_module(module.name)
    for kind in _subclasses(base):
        if kind.__module__.startswith("perdure.") and not kind.__module__.startswith("perdure.testing."):
            yield kind


def _subclasses(base: type[_Kind]) -> Iterator[type[_Kind]]:
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)


def shapes(type_: Any) -> list[dict[str, Any]]:
    """Return the structs that a value of this type may hold: tag, names of the fields as they are stored, in which form.

    Classes have no names here: a class may be renamed, what is stored may not.
    """
    found: dict[type, dict[str, Any]] = {}
    _walk(multi_type_info([type_])[0], found)
    return sorted(found.values(), key=lambda shape: (shape["tag"] or "", shape["fields"]))


def _walk(info: Any, found: dict[type, dict[str, Any]]) -> None:
    if isinstance(info, msgspec.inspect.StructType):
        if info.cls in found:
            return
        names = [field.encode_name for field in info.fields]
        found[info.cls] = {
            "tag": info.tag if isinstance(info.tag, str) else None,
            "tag_field": info.tag_field,
            "fields": names if info.array_like else sorted(names),
            "array": info.array_like,
        }
        for field in info.fields:
            _walk(field.type, found)
        for hint in get_type_hints(info.cls).values():
            for persistent_map in _maps(hint):
                for part in multi_type_info(get_args(persistent_map)):
                    _walk(part, found)
        return
    for attribute in ("types", "item_types"):
        for part in getattr(info, attribute, ()):
            _walk(part, found)
    for attribute in ("item_type", "key_type", "value_type", "type"):
        inner: Any = getattr(info, attribute, None)
        if isinstance(inner, msgspec.inspect.Type):
            _walk(inner, found)


def _maps(hint: Any) -> Iterator[Any]:
    """Yield the persistent maps in a type, which msgspec does not look into."""
    if get_origin(hint) is Map:
        yield hint
    for part in get_args(hint):
        yield from _maps(part)


def _literals(trees: list[tuple[Path, ast.Module]], function: str, position: int) -> set[str]:
    """Return the texts at this position in all calls of a function."""
    return {
        argument.value
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function
        for argument in node.args[position : position + 1]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _keyword_literals(trees: list[tuple[Path, ast.Module]], keyword: str, pattern: re.Pattern[str]) -> set[str]:
    return {
        part.value.value
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        for part in node.keywords
        if part.arg == keyword and isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)
        if pattern.fullmatch(part.value.value)
    }


def _constants(trees: list[tuple[Path, ast.Module]], pattern: re.Pattern[str], folder: str = "") -> set[str]:
    return {
        node.value
        for path, tree in trees
        if folder in path.parts or not folder
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.fullmatch(node.value)
    }


def _metrics(trees: list[tuple[Path, ast.Module]]) -> set[str]:
    return _constants(trees, re.compile(r"perdure_[a-z_]+[a-z]"), "api")


def _reserved(trees: list[tuple[Path, ast.Module]]) -> set[str]:
    """Names that belong to the engine: tasks, prefixes of keys and ids, fields of `_meta` in MCP."""
    return {*Engine().tasks.names(), *_constants(trees, RESERVED), executors.OURS, accepted.ENGINE, notices.ENGINE}


def _literals_of_attribute(trees: list[tuple[Path, ast.Module]], attribute: str) -> set[str]:
    return {
        argument.value
        for _, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == attribute
        for argument in node.args[:1]
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _commands(app: App, path: str) -> Iterator[str]:
    """Yield each command, and each of its options as `perdure run --tasks`."""
    names = [name for name in app if not name.startswith("-")]
    for name in names:
        yield f"{path} {name}"
        yield from _commands(app[name], f"{path} {name}")
    if names:
        return
    for argument in app.assemble_argument_collection():
        for name in argument.names:
            if name.startswith("--") and not name.startswith(("--no-", "--empty-")):
                yield f"{path} {name}"


def _openapi() -> dict[str, Any]:
    return api_application(Engine()).openapi()


def _routes() -> Iterator[str]:
    """Yield each operation as `GET /api/executions`."""
    for route in api_application(Engine()).router.routes:
        if isinstance(route, Route):
            for method in sorted(route.methods or {"*"}):
                yield f"{method} {route.path}"


def _sqlite_columns() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/flows.db"
        _make_tables(f"sqlite:///{path}")
        rows = apsw.Connection(path).execute(
            "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
            "WHERE m.type IN ('table', 'view')"
        )
        yield from (f"{table}.{column}" for table, column in rows)


def _postgres_columns() -> Iterator[str]:
    url = fresh_schema()
    _make_tables(url)
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
        ).fetchall()
    yield from (f"{table}.{column}" for table, column in rows)


def _make_tables(url: str) -> None:
    store, _ = opened(url, CRASHES_MAX, LEASE_MS)
    store.close()
