"""What a catalog has to hold for an orchestration document: asked for before it is compiled."""

from __future__ import annotations

from collections.abc import Iterator

from perdure.dialects.faults import Faults
from perdure.dialects.orchestration.lower import lower
from perdure.dialects.port import Naming, Requirements
from perdure.dialects.secrets import secrets_of
from perdure.model.catalog import LOCAL, Catalog
from perdure.model.steps import Task
from perdure.model.values import Json


def requirements_of(value: dict[str, Json]) -> Requirements:
    workflow = lower(value, Catalog(), Naming(), Faults())
    tasks = [step.work.task for step in workflow.steps if isinstance(step.work, Task)]
    secrets = (name for step in workflow.steps for name in secrets_of(step, workflow.secrets))
    tools = dict.fromkeys(tool for task in tasks for tool in _tools(task))
    return Requirements(tasks=tuple(dict.fromkeys(tasks)), tools=tuple(tools), secrets=tuple(dict.fromkeys(secrets)))


def _tools(task: str) -> Iterator[tuple[str, str]]:
    """A task whose name begins with that of a connection may be a tool of that; or a task with a stroke in its name."""
    connection, _, tool = task.partition("/")
    if connection and tool and connection != LOCAL:
        yield connection, tool
