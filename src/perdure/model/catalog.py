"""What is known, at save time, of the tasks and tools that a workflow may call."""

from __future__ import annotations

from msgspec import Struct

from perdure.model.values import Json

LOCAL = "local"
"""The connection of tasks that belong to none."""

ALL_TOOLS = "*"
"""In the place of a tool: all that the connection has."""


def called(name: str, connection: str = LOCAL) -> str:
    """What a workflow calls a task by: its name, after that of its connection if it has one."""
    return name if connection == LOCAL else f"{connection}/{name}"


class TaskSchema(Struct, frozen=True, omit_defaults=True):
    """The JSON Schemas of one task or tool. None: it did not say. `trigger`: an executor of nodes that graphs begin with."""

    name: str
    connection: str = LOCAL
    input: Json = None
    output: Json = None
    description: str = ""
    trigger: bool = False


class Catalog(Struct, frozen=True, omit_defaults=True):
    """The tasks and tools that exist, and the names of the secrets; never their values. None: nobody knows which there are.

    `unavailable` are connections of which no tools are known, each with why.
    """

    tasks: tuple[TaskSchema, ...] = ()
    secrets: tuple[str, ...] | None = ()
    unavailable: tuple[tuple[str, str], ...] = ()

    def task(self, name: str, connection: str = LOCAL) -> TaskSchema | None:
        return next((task for task in self.tasks if (task.name, task.connection) == (name, connection)), None)

    def called(self, name: str) -> TaskSchema | None:
        """By what a workflow calls it: after the name of its connection, if it has one."""
        connection, _, tool = name.partition("/")
        return self.task(name) or (self.task(tool, connection) if tool and connection != LOCAL else None)

    def why_not(self, connection: str) -> str | None:
        """Why no tools of this connection are known, if somebody has looked."""
        return dict(self.unavailable).get(connection)
