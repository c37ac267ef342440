"""Tools of connections, as documents name them: which ones a document needs, and what is told of those that nobody has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypeGuard

from perdure.dialects.faults import at
from perdure.dialects.fields import Fields
from perdure.expressions.wording import listed, nearest, shown
from perdure.model.catalog import ALL_TOOLS, LOCAL, Catalog, called
from perdure.model.values import Json

_CALLED: Final = ("stepSlug", "stepId", "id", "name")
"""What says what a step is called, in one dialect or another."""


def tell_of_tool(fields: Fields, connection: str, tool: str, catalog: Catalog) -> None:
    """Whoever runs may have what nobody has here, so it is a warning."""
    if catalog.task(tool, connection) is None:
        fields.shared_warning("unknown_task", "toolName", missing_tool(connection, tool, catalog))


def missing_tool(connection: str, tool: str, catalog: Catalog) -> str:
    """Why a connection has no such tool here, or which ones it has."""
    there = [each.name for each in catalog.tasks if each.connection == connection]
    why = catalog.why_not(connection)
    said = f"nobody has the tool {shown(tool)} of the connection {shown(connection)}"
    if why is not None:
        return f"{said}: {why}"
    if there:
        return f"{said}{nearest(tool, there) or f'; it has {listed(sorted(there))}'}"
    return f"{said}; executions wait here for a worker that has it"


def without_tools(tasks: Iterable[str], tools: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The tasks that are no tools, each once."""
    others = {called(tool, connection) for connection, tool in tools}
    return tuple(task for task in dict.fromkeys(tasks) if task not in others)


def tool_of(given: Json) -> Iterator[tuple[str, str]]:
    """Of what names one tool: a step, or a node."""
    if isinstance(given, dict):
        connection, tool = given.get("connectionId"), given.get("toolName")
        if _is_word(connection) and _is_word(tool) and connection != LOCAL:
            yield connection, tool


def tools_of_model(given: Json) -> Iterator[tuple[str, str]]:
    """Of a step that asks a language model: those that it may call."""
    asked = given.get("llmNode", given) if isinstance(given, dict) else {}
    listed = asked.get("tools") if isinstance(asked, dict) else None
    for each in listed if isinstance(listed, list) else ():
        if isinstance(each, dict) and _is_word(each.get("connectionId")) and each["connectionId"] != LOCAL:
            name = each.get("name") or each.get("toolName")
            yield each["connectionId"], name if _is_word(name) else ALL_TOOLS


def places_of(value: Json, connection: str, tool: str) -> Iterator[tuple[str, str]]:
    """Where a document calls a tool, and the step that does: each names them in its own words, and a step is what is called
    something around it.
    """
    ahead: list[tuple[Json, str, str]] = [(value, "", "")]
    while ahead:
        part, path, step = ahead.pop()
        if isinstance(part, dict):
            name = part.get("toolName") or part.get("name") or tool
            if part.get("connectionId") == connection and name == tool:
                yield path, step
            step = next((part[key] for key in _CALLED if _is_word(part.get(key))), step)
            if part.get("taskId") == called(tool, connection):
                yield at(path, "taskId"), step
            inner = [(each, at(path, key), step) for key, each in part.items()]
        elif isinstance(part, list):
            inner = [(each, at(path, number), step) for number, each in enumerate(part)]
        else:
            continue
        ahead.extend(reversed(inner))


def _is_word(value: Json) -> TypeGuard[str]:
    return isinstance(value, str) and bool(value)
