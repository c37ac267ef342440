"""Tasks that a user's module declares with `@task`, and how they are collected from it.

A declaration is noted in the module it stands in and on the function itself, nowhere else: importing a module
registers nothing, and two engines in one process do not see each other's tasks. `load` reads the notes.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from msgspec import Struct

from perdure.ids import derived
from perdure.model.catalog import LOCAL
from perdure.model.values import Json
from perdure.tasks.registry import Function, InvalidTask, Registry, described, require_name

_NOTES: Final = "__perdure_tasks__"


class Declaration(Struct, frozen=True):
    """Type hints are read at `load`, not here: they may name classes that the module defines further down."""

    name: str
    function: Callable[..., Any]
    connection: str
    input_schema: Json
    output_schema: Json
    heartbeat_seconds: float | None = None


def task(
    name: str,
    *,
    connection: str = LOCAL,
    input_schema: Json = None,
    output_schema: Json = None,
    heartbeat_seconds: float | None = None,
) -> Callable[[Function], Function]:
    """Declares the function below as a task, for a module that is given by `--tasks`."""
    require_name(name)

    def declare(function: Function) -> Function:
        declaration = Declaration(name, function, connection, input_schema, output_schema, heartbeat_seconds)
        module = sys.modules.get(getattr(function, "__module__", ""))
        for noted in (function, module):
            if noted is not None:
                setattr(noted, _NOTES, (*_notes(noted), declaration))
        return function

    return declare


def load(source: str | Path) -> Registry:
    """The tasks of a file or a module: its own, those of modules within it, and those it imports by name.

    As with `python FILE` and `python -m module`, what lies beside the file or in the current directory can be imported.
    """
    text = str(source)
    is_file = isinstance(source, Path) or text.endswith(".py") or "/" in text or "\\" in text
    module = _file(Path(source).resolve()) if is_file else _module(text)
    # What the module defines itself is noted twice, on the function and in the module.
    unique = {(each.connection, each.name, id(each.function)): each for each in _declarations(module)}
    registry = Registry()
    for each in unique.values():
        registry.add(
            described(
                each.name,
                each.function,
                each.connection,
                each.input_schema,
                each.output_schema,
                each.heartbeat_seconds,
            )
        )
    return registry


def _declarations(module: ModuleType) -> Iterator[Declaration]:
    within = [each for name, each in sorted(sys.modules.items()) if name.startswith(f"{module.__name__}.")]
    for each in (module, *within):
        yield from _notes(each)
        for value in tuple(vars(each).values()):
            if callable(value) and not isinstance(value, type):
                yield from _notes(value)


def _notes(noted: object) -> tuple[Declaration, ...]:
    """Not by getattr: objects that answer to every name would answer to this one."""
    notes = getattr(noted, "__dict__", {}).get(_NOTES, ())
    return notes if isinstance(notes, tuple) else ()


def _file(path: Path) -> ModuleType:
    # The stem alone could be the name of another module: a file of tasks may well be called email.py.
    name = f"{path.stem}_{derived(str(path))[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    if not path.is_file():
        raise InvalidTask(f"there is no file {str(path)!r} to load tasks from")
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InvalidTask(f"{str(path)!r} is not a Python file; tasks are loaded from FILE.py or from a module")
    _importable(path.parent)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise InvalidTask(f"tasks of {str(path)!r} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _module(name: str) -> ModuleType:
    _importable(Path.cwd())
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise InvalidTask(f"tasks of module {name!r} cannot be loaded: {type(error).__name__}: {error}") from error


def _importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
