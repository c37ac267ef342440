"""Approvals, as ports and graph write them: of whom it is asked, what about, until when, and what comes of it after that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from perdure.dialects.fields import Fields
from perdure.dialects.values import objects
from perdure.errors import EvaluationError
from perdure.expressions.times import moment
from perdure.model.asking import DETAILS, PRIORITIES, TOLD
from perdure.model.steps import Approval
from perdure.model.values import Constant, Expression, Json, Value

KEYS: Final = (
    *("approverMemberId", "approverRole", "submittedData", *DETAILS, "dueDate", "onTimeout"),
    *("escalateTo", "votesRequired", "separationOfDuties", "allowDataModification"),
)
Render: TypeAlias = Callable[[Fields, str], Value]
"""The value of a field, with the templates in it."""

_ON_TIMEOUT: Final = ("stay", "fail", "reject", "approve", "escalate")
_TO: Final = {"member": "member", "approverMemberId": "member", "role": "role", "approverRole": "role"}


def read_approval(data: Fields, render: Render, submitted: Value, *, timeout_ms: int | None = None) -> Approval:
    """`submitted` is what is to be decided on, if it does not say. `timeout_ms`: so long it may take, and then it fails."""
    _tell_of_whom(data)
    on_timeout: Any = data.choice("onTimeout", _ON_TIMEOUT, "stay")
    due_at = _due(data, render)
    if due_at is None and timeout_ms is not None:
        due_at = Expression(f"nowMs + {timeout_ms}")
        on_timeout = on_timeout if data.has("onTimeout") else "fail"
    elif due_at is None and data.has("onTimeout") and on_timeout != "stay":
        data.warning("no_due_date", "onTimeout", "without 'dueDate' its time is never over; name one, like P3D")
    return Approval(
        render(data, "submittedData") if data.has("submittedData") else submitted,
        due_at=due_at,
        on_timeout=on_timeout,
        escalate_to=_escalate_to(data, render, on_timeout),
        votes_required=data.whole("votesRequired", least=1) or 1,
        member=_name(data, render, "approverMemberId"),
        role=_name(data, render, "approverRole"),
        details=_details(data, render),
        apart=data.flag("separationOfDuties"),
        fixed=not data.flag("allowDataModification"),
    )


def _tell_of_whom(data: Fields) -> None:
    if not data.has("approverMemberId") and not data.has("approverRole"):
        message = "nobody in particular is asked: whoever has the role approver can decide; name approverMemberId or approverRole"
        data.warning_here("unassigned", "approverRole", message)
    elif (data.whole("votesRequired") or 1) > 1 and not data.has("approverRole"):
        message = "several votes are required, and only one member is asked; name approverRole, for a group of them"
        data.warning("too_few_voters", "votesRequired", message)


def _name(data: Fields, render: Render, key: str) -> Value | None:
    return None if data.word(key) is None else render(data, key)


def _details(data: Fields, render: Render) -> Value | None:
    """What is a template is looked at when it is rendered; an id may be a number."""
    for key in ("resourceType", "resourceId", "routeHint", *TOLD):
        given = data.given.get(key)
        is_blank = key in TOLD and isinstance(given, str) and not given
        if not is_blank and (not isinstance(given, int | float) or isinstance(given, bool)):
            data.text(key)
    priority = data.given.get("priority")
    if priority is not None and not (isinstance(priority, str) and "{{" in priority):
        data.choice("priority", PRIORITIES, "medium")
    given = {key: render(data, key) for key in DETAILS if data.has(key)}
    return objects(given) if given else None


def _due(data: Fields, render: Render) -> Value | None:
    if not data.has("dueDate"):
        return None
    due = render(data, "dueDate")
    if isinstance(due, Constant):
        try:
            moment(due.value, 0)
        except EvaluationError as error:
            data.problem("invalid_time", "dueDate", f"'dueDate': {error}")
    return due


def _escalate_to(data: Fields, render: Render, on_timeout: str) -> Value | None:
    """A text, which may be a member or a role; or an object that says which."""
    given = data.given.get("escalateTo")
    if given is None:
        if on_timeout == "escalate":
            data.missing("escalateTo")
        return None
    if on_timeout != "escalate":
        data.warning("no_effect", "escalateTo", 'it is handed on only with "onTimeout": "escalate"')
    if isinstance(given, dict):
        return _named(data, render, given)
    return None if data.text("escalateTo") is None else render(data, "escalateTo")


def _named(data: Fields, render: Render, given: dict[str, Json]) -> Value | None:
    within = data.within("escalateTo")
    chosen = [key for key in _TO if within.has(key)]
    if len(chosen) != 1 or len(given) != 1:
        said = ", ".join(given) or "nothing"
        message = f"'escalateTo' must be a text, or an object with 'member' or with 'role', not one with {said}"
        data.problem("wrong_type", "escalateTo", message)
        return None
    (key,) = chosen
    return None if within.word(key) is None else objects({_TO[key]: render(within, key)})
