"""What is known, at save time, of the tasks and tools that a workflow may call."""

from __future__ import annotations

from msgspec import Struct

from perdure.model.values import Json

LOCAL = "local"
"""The connection of tasks that belong to none."""


def called(name: str, connection: str = LOCAL) -> str:
    """What a workflow calls a task by: its name, after that of its connection if it has one."""
    return name if connection == LOCAL else f"{connection}/{name}"


class TaskSchema(Struct, frozen=True, omit_defaults=True):
    """The JSON Schemas of one task or tool. None: it did not say."""

    name: str
    connection: str = LOCAL
    input: Json = None
    output: Json = None


class Catalog(Struct, frozen=True, omit_defaults=True):
    """The tasks and tools that exist, and the names of the secrets; never their values. None: nobody knows which there are."""

    tasks: tuple[TaskSchema, ...] = ()
    secrets: tuple[str, ...] | None = ()

    def task(self, name: str, connection: str = LOCAL) -> TaskSchema | None:
        return next((task for task in self.tasks if (task.name, task.connection) == (name, connection)), None)
