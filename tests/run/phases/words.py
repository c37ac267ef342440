"""How the cases are written: steps and triggers in few words."""

from __future__ import annotations

from typing import Any

from perdure.model.values import Json

Step = dict[str, Any]


def flow(*phases: Step | list[Step], name: str = "case", **definition: Any) -> Json:
    """A step that stands alone is a phase of its own."""
    return {"name": name, **definition, "steps": [phase if isinstance(phase, list) else [phase] for phase in phases]}


def calls(tool: str, name: str, **fields: Any) -> Step:
    """`api/list-users`, or the task of that name if there is no connection before it."""
    connection, _, bare = tool.rpartition("/")
    return {"name": name, "tool": {"connectionId": connection or "local", "toolName": bare}, **fields}


def echo(name: str, /, **given: Any) -> Step:
    """Comes to what it is given."""
    return calls("echo", name, input=given)


def gives(name: str, value: Any) -> Step:
    """Comes to this."""
    return calls("value", name, input={"value": value})


def breaks(name: str = "pay", message: str = "the card was declined", **fields: Any) -> Step:
    return calls("breaks", name, input={"message": message}, **fields)


def sleeps(name: str = "nap", /, **sleep: Any) -> Step:
    return {"name": name, "sleep": sleep}


def each(items: str, tool: str = "echo", name: str = "each", *, called: str | None = None, **fields: Any) -> Step:
    """Once for each item, which it is given as `it`; `called` is what an item is called beside `item`."""
    named = {} if called is None else {"as": called}
    return calls(tool, name, **{"forEach": items, **named, "input": {"it": "@item"}, **fields})


def fires(workflow: str, /, *, over: str | None = None, settings: Json = None, **inputs: Any) -> Json:
    """A trigger; `over` what its forEach goes."""
    items = {} if over is None else {"forEach": over}
    return {"workflowId": workflow, "inputs": inputs, **items, **(settings or {})}


LISTS = calls("api/list-users", "fetch-users")
SENDS = calls("email/send-batch", "send", input={"recipients": ["ann@example.com"]})
CHILD = flow(calls("echo", "works"), name="child")
"""Comes to what it is started with."""
