"""Tasks and nodes that a user's module declares with `@task` and `@node`.

A declaration is noted in the module it stands in and on the function itself, nowhere else: importing a module
registers nothing, and two engines in one process do not see each other's tasks. `loading` reads the notes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, Literal

from msgspec import Struct

from perdure.model.catalog import LOCAL
from perdure.model.executors import NODE
from perdure.model.values import Json
from perdure.tasks.registry import Function, Task, described, executor, require_name, require_type

_NOTES: Final = "__perdure_tasks__"


class Declaration(Struct, frozen=True):
    """Type hints are read when the module has been, not here: they may name classes that it defines further down."""

    name: str
    function: Callable[..., Any]
    connection: str = LOCAL
    input_schema: Json = None
    output_schema: Json = None
    heartbeat_seconds: float | None = None
    kind: Literal["task", "node"] = "task"
    trigger: bool = False

    def described(self) -> Task:
        """The task that it declares."""
        if self.kind == "node":
            type_ = self.name.removeprefix(NODE)
            return executor(type_, self.function, self.heartbeat_seconds, trigger=self.trigger)
        return described(
            self.name,
            self.function,
            self.connection,
            self.input_schema,
            self.output_schema,
            self.heartbeat_seconds,
        )


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
        _note(Declaration(name, function, connection, input_schema, output_schema, heartbeat_seconds))
        return function

    return declare


def node(
    type_: str, *, heartbeat_seconds: float | None = None, trigger: bool = False
) -> Callable[[Function], Function]:
    """Declares the function below as the executor of all nodes of this type, for a module that is given by `--tasks`.

    With `trigger`, graphs begin with nodes of this type rather than with others.
    """
    require_type(type_)

    def declare(function: Function) -> Function:
        name, beats = NODE + type_, heartbeat_seconds
        _note(Declaration(name, function, heartbeat_seconds=beats, kind="node", trigger=trigger))
        return function

    return declare


def _note(declaration: Declaration) -> None:
    function = declaration.function
    module = sys.modules.get(getattr(function, "__module__", ""))
    for noted in (function, module):
        if noted is not None:
            setattr(noted, _NOTES, (*notes(noted), declaration))


def notes(noted: object) -> tuple[Declaration, ...]:
    """What was declared in a module, or of a function. Not by getattr: objects that answer to every name would to this one."""
    found = getattr(noted, "__dict__", {}).get(_NOTES, ())
    return found if isinstance(found, tuple) else ()
