"""How the cases are written: steps in few words."""

from __future__ import annotations

from typing import Any

from perdure.model.values import Json

Leads = dict[str, Any] | str | None
"""Where a step leads: its `transitions`, or the one step after it."""


def flow(*steps: dict[str, Any], name: str = "case", **definition: Any) -> Json:
    return {"name": name, **definition, "steps": list(steps)}


def step(id_: str, kind: str, leads: Leads = None, **fields: Any) -> dict[str, Any]:
    told: dict[str, Any] = {"stepId": id_, "type": kind, **fields}
    if leads is not None:
        told["transitions"] = {"default": leads} if isinstance(leads, str) else leads
    return told


def calls(task: str, id_: str, leads: Leads = None, **fields: Any) -> dict[str, Any]:
    return step(id_, "TASK", leads, taskId=task, **fields)


def echo(id_: str, leads: Leads = None, /, **given: Any) -> dict[str, Any]:
    """Comes to what it is given."""
    return calls("echo", id_, leads, input=given)


def breaks(id_: str = "pay", leads: Leads = None, /, *, code: str = "DECLINED", **fields: Any) -> dict[str, Any]:
    return calls("breaks", id_, leads, input={"message": "the card was declined", "code": code}, **fields)


def ways(*conditions: tuple[Any, Any], **keys: Any) -> dict[str, Any]:
    """Transitions: conditions in order, each with the step that it leads to; `default` and keys that name an outcome."""
    return {**keys, "conditions": [{"condition": source, "nextStep": to} for source, to in conditions]}


def decides(*conditions: tuple[Any, Any], id_: str = "gate", **keys: Any) -> dict[str, Any]:
    return step(id_, "DECISION", ways(*conditions, **keys))


def waits(id_: str, pattern: str, leads: Leads = None, **fields: Any) -> dict[str, Any]:
    return step(id_, "EVENT_WAIT", leads, eventPattern=pattern, **fields)


def undoes(step_id: str, task: str = "echo", **fields: Any) -> dict[str, Any]:
    """A compensation step."""
    return {"stepId": f"undo_{step_id}", "compensationFor": step_id, "type": "TASK", "taskId": task, **fields}


def beside(id_: str, leads: Leads = None, /, **branches: list[dict[str, Any]]) -> dict[str, Any]:
    """Branches by their names."""
    return step(id_, "PARALLEL", leads, branches=[{"name": name, "steps": inner} for name, inner in branches.items()])


YES = echo("yes", v="yes")
NO = echo("no", v="no")
