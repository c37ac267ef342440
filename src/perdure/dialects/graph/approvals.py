"""APPROVAL: a node that asks people and leads on by `approved` or `rejected`. Its data is that of an approval step of `ports`."""

from __future__ import annotations

from typing import Any, Final

from perdure.dialects.fields import Fields
from perdure.dialects.graph.built import Built, Surroundings, of_step, variable_name
from perdure.dialects.graph.document import Node
from perdure.dialects.graph.templates import CONTEXT, constants, quoted, template
from perdure.errors import EvaluationError
from perdure.expressions.times import moment
from perdure.model.asking import DETAILS, PRIORITIES
from perdure.model.steps import Approval, Step
from perdure.model.values import Constant, Expression, Json, Value

_KEYS: Final = (
    *("variableName", "approverMemberId", "approverRole", "submittedData", *DETAILS, "dueDate", "onTimeout"),
    *("escalateTo", "votesRequired", "separationOfDuties", "allowDataModification", "label"),
)
_ON_TIMEOUT: Final = ("stay", "fail", "reject", "approve", "escalate")
_TO: Final = {"member": "member", "approverMemberId": "member", "role": "role", "approverRole": "role"}


def approval(node: Node, data: Fields, around: Surroundings) -> Built:
    """`context[variableName] = {approvalId, status, decision, comments, submittedData, modifiedData?, decidedBy}`."""
    around.faults.unknown_keys(data.given, _KEYS, data.path, step=node.id, only_near=True)
    name = variable_name(data)
    _tell_of_whom(data)
    on_timeout: Any = data.choice("onTimeout", _ON_TIMEOUT, "stay")
    work = Approval(
        _value(data, "submittedData") if data.has("submittedData") else Expression(CONTEXT),
        due_at=_due(data),
        on_timeout=on_timeout,
        escalate_to=_escalate_to(data, on_timeout),
        votes_required=data.whole("votesRequired", least=1) or 1,
        member=_name(data, "approverMemberId"),
        role=_name(data, "approverRole"),
        details=_details(data),
        apart=data.flag("separationOfDuties"),
        fixed=not data.flag("allowDataModification"),
    )
    step = Step(node.id, work, assign=None if name is None else constants(**{name: Expression("output")}))
    wrote = "{}" if name is None else f"{{{quoted(name)}: {of_step(node.id, 'output')}}}"
    return Built(step, frozenset({"approved", "rejected"}), wrote=wrote, took=of_step(node.id, "port"))


def _tell_of_whom(data: Fields) -> None:
    if not data.has("approverMemberId") and not data.has("approverRole"):
        message = "nobody in particular is asked: whoever has the role approver can decide; name approverMemberId or approverRole"
        data.faults.warning("unassigned", data.path, message, step=data.step, field="approverRole")
    elif (data.whole("votesRequired") or 1) > 1 and not data.has("approverRole"):
        message = "several votes are required, and only one member is asked; name approverRole, for a group of them"
        data.warning("too_few_voters", "votesRequired", message)


def _value(data: Fields, key: str) -> Value:
    return template(data.given.get(key), data.at(key), data.faults, step=data.step)


def _name(data: Fields, key: str) -> Value | None:
    return None if data.word(key) is None else _value(data, key)


def _details(data: Fields) -> Value | None:
    """What is a template is looked at when it is rendered; an id may be a number."""
    for key in ("resourceType", "resourceId", "routeHint"):
        given = data.given.get(key)
        if not isinstance(given, int | float) or isinstance(given, bool):
            data.text(key)
    priority = data.given.get("priority")
    if priority is not None and not (isinstance(priority, str) and "{{" in priority):
        data.choice("priority", PRIORITIES, "medium")
    given = {key: _value(data, key) for key in DETAILS if data.has(key)}
    return constants(**given) if given else None


def _due(data: Fields) -> Value | None:
    if not data.has("dueDate"):
        if data.has("onTimeout") and data.given.get("onTimeout") != "stay":
            data.warning("no_due_date", "onTimeout", "without 'dueDate' its time is never over; name one, like P3D")
        return None
    due = _value(data, "dueDate")
    if isinstance(due, Constant):
        try:
            moment(due.value, 0)
        except EvaluationError as error:
            data.problem("invalid_time", "dueDate", f"'dueDate': {error}")
    return due


def _escalate_to(data: Fields, on_timeout: str) -> Value | None:
    """A text, which may be a member or a role; or an object that says which."""
    given = data.given.get("escalateTo")
    if given is None:
        if on_timeout == "escalate":
            data.missing("escalateTo")
        return None
    if on_timeout != "escalate":
        data.warning("no_effect", "escalateTo", 'it is handed on only with "onTimeout": "escalate"')
    if isinstance(given, dict):
        return _named(data, given)
    return None if data.text("escalateTo") is None else _value(data, "escalateTo")


def _named(data: Fields, given: dict[str, Json]) -> Value | None:
    within = data.within("escalateTo")
    chosen = [key for key in _TO if within.has(key)]
    if len(chosen) != 1 or len(given) != 1:
        said = ", ".join(given) or "nothing"
        message = f"'escalateTo' must be a text, or an object with 'member' or with 'role', not one with {said}"
        data.problem("wrong_type", "escalateTo", message)
        return None
    (key,) = chosen
    return None if within.word(key) is None else constants(**{_TO[key]: _value(within, key)})
