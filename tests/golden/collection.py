"""Collect every public and stored name of the current code, by category."""

from __future__ import annotations

import ast
import importlib
import json
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
from golden.literals import UNKNOWN, Sources, argument_of, name_of_call
from golden.metrics import exposed_metrics
from perdure.api import browsers, oidc
from perdure.api.app import application as api_application
from perdure.api.mcp.fixed import FIXED
from perdure.api.problems import Wrong
from perdure.cli.app import application as cli_application
from perdure.core import facts
from perdure.core.advance import Start
from perdure.core.events import Event
from perdure.core.state import State
from perdure.errors import PerdureError
from perdure.hosts import accepted, connections, conversations, vault
from perdure.hosts.restate import messages
from perdure.hosts.stores import opened
from perdure.model import executors
from perdure.model.failure import Failure
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord, Waiting
from perdure.model.workflow import FORMAT, FORMAT_MAX, Schedule, Workflow
from perdure.runtime import retention_guard
from perdure.service import acting, hooks, keys, organizations, pins, sessions
from perdure.service.connections import ConnectionData
from perdure.service.engine import Engine
from perdure.service.link_tokens import Link
from perdure.service.notifiers import NotifierData
from perdure.service.secrets import SecretData
from perdure.service.telling import TYPES
from perdure.service.webhooks import WebhookData
from perdure.settings.table import SETTINGS
from perdure.store import notices
from perdure.store.feed import Glimpse
from perdure.store.ledger import Answer, TriggerEntry
from perdure.store.notices import NOTIFIERS
from perdure.store.port import CRASHES_MAX, LEASE_MS
from perdure.store.registers import AuditEntry, Card
from perdure.store.sqlite.integrity import IntegrityResult
from perdure.tasks.failing import NonRetryable, Retryable, name_of
from perdure.tasks.llm import Bought
from perdure.tasks.llm_input import LlmInput
from perdure.tasks.transform import TransformSetup
from postgres import fresh_schema

_Kind = TypeVar("_Kind")

SOURCES = Path(perdure.__file__).parent
APART = ("bench.peers.with_", "sandbox.child", "sandbox.lockdown", "__main__")
"""Modules that run only as programs of their own."""

CARDS: dict[str, Any] = {
    acting.MEMBERS: acting.MemberData,
    keys.KEYS: keys.KeyData,
    sessions.SESSIONS: sessions.SessionData,
    NOTIFIERS: NotifierData,
    vault.REGISTER: SecretData,
    vault.WEBHOOKS: WebhookData,
    connections.REGISTER: ConnectionData,
    conversations.REGISTER: conversations.ThreadData,
    accepted.TOOLS: accepted.ToolsData,
    pins.PINS: pins.PinData,
    organizations.ORGANIZATIONS: organizations.OrganizationData,
    retention_guard.REGISTER: retention_guard.HoldData,
}
"""Registers with the type of their cards' data."""

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
    **{f"card of {register}": type_ for register, type_ in CARDS.items()},
    "audit": AuditEntry,
    "answers": Answer,
    "triggers": TriggerEntry,
    "feed": Glimpse,
    "links": Link,
    "checkpoint of llm": Bought,
    f"setup of {executors.TRANSFORM}": TransformSetup,
    f"setup of {executors.SEAL}": executors.SealSetup,
    "integrity check": IntegrityResult,
}
"""Types that databases, signed links and files beside databases hold as JSON or rows."""

RESERVED = re.compile(r"perdure[:/][a-zA-Z]+")
ATTRIBUTE = re.compile(r"perdure\.[a-z_.]+")
EVENT_TYPE = re.compile(r"workflow\.(started|completed|failed|cancelled|compensation\.completed)|workflows/[a-z.]+")
FAILURE_CODE = re.compile(r"[A-Z][A-Z_]+(\{\})?")
CHECKPOINTS = re.compile(r"(.*\.)?(context|ctx|step)\.run")
CHANNEL = re.compile(r"\b(LISTEN |NOTIFY |pg_notify\()(.*)")
WORD = re.compile(r"[a-z][a-z0-9_]*")
APART_FOLDERS = {"testing", "bench"}
TOKENS = (
    *(browsers.COOKIE, oidc.COOKIE, browsers.HEADER),
    *(f"{prefix}…" for prefix in (keys.PREFIX, hooks.TOKEN)),
)
"""Cookies, headers and beginnings of tokens."""


def collect() -> dict[str, Any]:
    """Return the names of each category: a sorted list, or for stored types a list of shapes."""
    trees = [(path, ast.parse(path.read_text())) for path in sorted(SOURCES.rglob("*.py"))]
    stored = {**STORED, **dict(_task_inputs())}
    sources = Sources([(path, tree) for path, tree in trees if not APART_FOLDERS & set(path.parts)])
    return {
        "error_codes": sorted({*error_classes().values(), *_arguments(sources, "Wrong", 1, "code", WORD)}),
        "failure_codes": sorted(_failure_codes(sources)),
        "failure_names": sorted({*failure_classes().values(), *map(name_of, error_classes())}),
        "problem_types": sorted(_arguments(sources, "Problem", 0, "type", WORD)),
        "problem_uris": sorted(_problem_uris()),
        "mcp_tools": sorted(FIXED),
        "mcp_arguments": sorted(_mcp_arguments()),
        "metrics": sorted(_metrics(trees)),
        "metric_labels": sorted(_metric_labels(sources)),
        "metrics_exposed": sorted(exposed_metrics()),
        "condition_codes": sorted(_conditions(sources)),
        "span_names": sorted(_arguments(sources, "Span", 0, "name", re.compile(r"[a-z]+ \{\}"))),
        "stream_events": sorted(TYPES),
        "event_types": sorted(_constants(trees, EVENT_TYPE) | _event_types(sources) - {UNKNOWN}),
        "registers": sorted({*CARDS, *_arguments(sources, "WriteCard", 0, "register", WORD)}),
        "audit_actions": sorted(_arguments(sources, "WriteCard", 5, "action", re.compile(r"[a-z]+\.([a-z_]+|\{\})"))),
        "audit_details": sorted(_audit_details(sources)),
        "browser_and_token_names": sorted(TOKENS),
        "span_attributes": sorted(_constants(trees, ATTRIBUTE, "tracing") - _logger_names(trees, "getLogger")),
        "settings": sorted(name for setting in SETTINGS for name in setting.names()),
        "commands": sorted(_commands(cli_application(), "perdure")),
        "doctor_checks": sorted(_arguments(sources, "Complaint", 0, "check", WORD)),
        "rest": sorted(_routes()),
        "openapi_components": sorted(_openapi()["components"]["schemas"]),
        "openapi_operations": sorted(_operations(_openapi())),
        "openapi_properties": sorted(_properties(_openapi())),
        "checkpoint_names": sorted(_checkpoint_names(sources)),
        "envelope_kinds": sorted(_arguments(sources, "about", 0, "kind", WORD)),
        "fact_tags": sorted(shape["tag"] for shape in shapes(facts.Fact) if shape["tag"]),
        "reserved_names": sorted(_reserved(trees)),
        "tables_of_sqlite": sorted(_sqlite_columns()),
        "tables_of_postgres": sorted(_postgres_columns()),
        "postgres_channels": sorted(_channels()),
        "model_formats": [str(number) for number in range(FORMAT, FORMAT_MAX + 1)],
        "database_roles": sorted(_database_roles()),
        "restate": sorted(_restate(sources)),
        "stored_values": sorted(f"{root}: {value}" for root, type_ in stored.items() for value in values(type_)),
        "stored": {name: shapes(type_) for name, type_ in stored.items()},
    }


def _arguments(sources: Sources, function: str, position: int, keyword: str, pattern: re.Pattern[str]) -> set[str]:
    """Return the texts of this form that calls of a function pass in one place."""
    found = (sources.resolve(argument_of(call, position, keyword)) for call in sources.calls(function))
    return {text for texts in found for text in texts if pattern.fullmatch(text)}


def _failure_codes(sources: Sources) -> set[str]:
    found = set(_arguments(sources, "Failure", 2, "code", FAILURE_CODE))
    for call in sources.all_calls():
        found |= sources.resolve(argument_of(call, None, "code"))
    return {text for text in found if FAILURE_CODE.fullmatch(text)}


def _checkpoint_names(sources: Sources) -> set[str]:
    """Return the names of the parts that tasks of the engine do once, as in `context.run("answer", …)`."""
    calls = [call for call in sources.calls("run") if CHECKPOINTS.fullmatch(ast.unparse(call.func))]
    return {name for call in calls for name in sources.resolve(argument_of(call, 0, "name"))} - {UNKNOWN}


def _problem_uris() -> Iterator[str]:
    """Yield the form of `type` in problem details."""
    details = json.loads(bytes(Wrong(400, "{code}", "").answer().body))
    yield details["type"]


def _channels() -> Iterator[str]:
    """Yield the channels of Postgres that processes listen on and notify. Raises if one cannot be read."""
    for path in sorted((*SOURCES.rglob("*.py"), *SOURCES.rglob("*.sql"))):
        for verb, statement in CHANNEL.findall(path.read_text()):
            named = re.match(r"""["']+([a-z_]+)(?:\{schema\}"|' \|\| current_schema\(\), '')""", statement)
            assert named is not None, f"{path.name}: cannot read the channel of {statement!r}; extend the collection"
            yield f"{verb.strip(' (')} {named[1]}{{schema}}"


def _metric_labels(sources: Sources) -> Iterator[str]:
    """Yield each label as `perdure_http_requests route`."""
    families = ("CounterMetricFamily", "GaugeMetricFamily", "HistogramMetricFamily", "InfoMetricFamily", "_counters")
    for call in sources.calls(*families):
        names = sources.resolve(call.args[0])
        metrics = [name for name in names if name.startswith("perdure_")]
        labels = argument_of(call, 2 if name_of_call(call) == "_counters" else None, "labels")
        elements = labels.elts if isinstance(labels, ast.Tuple) else [labels]
        if len(metrics) == 1:
            yield from (f"{metrics[0]} {label}" for each in elements for label in sources.resolve(each))


def _conditions(sources: Sources) -> set[str]:
    calls = [call for call in sources.calls("set") if "conditions." in ast.unparse(call.func)]
    return {code for call in calls for code in sources.resolve(call.args[0])}


def _event_types(sources: Sources) -> set[str]:
    """Types of the events that the engine publishes of itself."""
    found = _arguments(sources, "PublishEvent", 1, "type", re.compile(r".+"))
    return found | _arguments(sources, "_event", 2, "event_type", re.compile(r".+"))


def _audit_details(sources: Sources) -> set[str]:
    calls = sources.calls("WriteCard")
    return {key for call in calls for key in sources.keys(argument_of(call, 8, "details"))}


def _mcp_arguments() -> Iterator[str]:
    """Yield each argument as `perdure_why execution`, and the titles in the schemas."""
    for name, fixed in FIXED.items():
        yield f"{name} (title {fixed.tool.input_schema.get('title')})"
        yield from (f"{name} {argument}" for argument in fixed.tool.input_schema.get("properties", {}))


def _operations(document: dict[str, Any]) -> Iterator[str]:
    """Yield each operation as `show_member_…`, and each of its parameters as `show_member_… member (path)`."""
    for methods in document["paths"].values():
        for operation in methods.values():
            yield operation["operationId"]
            for each in operation.get("parameters", ()):
                yield f"{operation['operationId']} {each['name']} ({each['in']})"


def _properties(document: dict[str, Any]) -> Iterator[str]:
    """Yield each property of a component as `KeyBody.member`, and its title as `KeyBody (title KeyBody)`."""
    for name, schema in document["components"]["schemas"].items():
        if "title" in schema:
            yield f"{name} (title {schema['title']})"
        for field in schema.get("properties", ()):
            yield f"{name}.{field}"


def _database_roles() -> set[str]:
    """Roles and policies that the engine makes in Postgres."""
    texts = (path.read_text() for path in SOURCES.rglob("*.sql"))
    return {name for text in texts for name in re.findall(r"perdure_[a-z_]+", text)}


def _restate(sources: Sources) -> Iterator[str]:
    """Yield names of services, handlers, keys of the state, and fields of the messages."""
    yield from (messages.EXECUTION, messages.TASK, messages.RECORD)
    yield from (f"handler {name}" for name in _arguments(sources, "handler", 0, "name", WORD))
    for call in sources.calls("get", "set", "clear"):
        if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "ctx":
            yield from (f"key {key}" for key in sources.resolve(call.args[0]) if key != UNKNOWN)
    for type_ in (messages.Begin, messages.Delivery, messages.Wake, messages.Call, messages.Written, messages.Control):
        yield " ".join(("message", *sorted(field.encode_name for field in msgspec.structs.fields(type_))))


def _task_inputs() -> Iterator[tuple[str, Any]]:
    """Yield the types of the inputs of built-in tasks: the stored model holds their fields as keys of objects."""
    yield f"input of {executors.LLM}", LlmInput
    for task in Engine().tasks:
        if isinstance(task.input_type, type) and issubclass(task.input_type, msgspec.Struct):
            yield f"input of {task.name}", task.input_type


def values(type_: Any) -> set[str]:
    """Return the words that enumerations and literals within a stored type may be."""
    found: set[str] = set()
    _walk(multi_type_info([type_])[0], {}, found)
    return found


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
    _walk(multi_type_info([type_])[0], found, set())
    return sorted(found.values(), key=lambda shape: (shape["tag"] or "", shape["fields"]))


def _walk(info: Any, found: dict[type, dict[str, Any]], words: set[str]) -> None:
    if isinstance(info, msgspec.inspect.EnumType):
        words.update(str(member.value) for member in info.cls)
    if isinstance(info, msgspec.inspect.LiteralType):
        words.update(str(value) for value in info.values)
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
            _walk(field.type, found, words)
        for hint in get_type_hints(info.cls).values():
            for persistent_map in _maps(hint):
                for part in multi_type_info(get_args(persistent_map)):
                    _walk(part, found, words)
        return
    for attribute in ("types", "item_types"):
        for part in getattr(info, attribute, ()):
            _walk(part, found, words)
    for attribute in ("item_type", "key_type", "value_type", "type"):
        inner: Any = getattr(info, attribute, None)
        if isinstance(inner, msgspec.inspect.Type):
            _walk(inner, found, words)


def _maps(hint: Any) -> Iterator[Any]:
    """Yield the persistent maps in a type, which msgspec does not look into."""
    if get_origin(hint) is Map:
        yield hint
    for part in get_args(hint):
        yield from _maps(part)


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


def _logger_names(trees: list[tuple[Path, ast.Module]], attribute: str) -> set[str]:
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
        yield from (f"{path} {flag}" for flag in app.version_flags)
        return
    for argument in app.assemble_argument_collection():
        generated = argument.negatives if argument.parameter.negative is None else ()
        for name in argument.names:
            if name.startswith("-") and name not in generated:
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
