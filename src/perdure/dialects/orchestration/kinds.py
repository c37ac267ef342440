"""What each type of step becomes, but for PARALLEL."""

from __future__ import annotations

import re
from typing import Final

from msgspec import field

from perdure.core.patterns import why_nothing_fits
from perdure.dialects.approvals import read_approval
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.built import (
    PATH,
    WHERE_SECRETS_MAY_BE,
    Around,
    Built,
    condition,
    path_source,
    rendered,
    template,
)
from perdure.dialects.orchestration.document import StepDef, next_key
from perdure.dialects.orchestration.names import OF_EVENT, rename_event
from perdure.dialects.orchestration.transitions import Ways
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.values import UNDEFINED, checked, objects, quoted
from perdure.errors import InvalidExpression
from perdure.expressions.wording import nearest, shown
from perdure.model.asking import PRIORITIES
from perdure.model.catalog import LOCAL
from perdure.model.executors import LLM, NODE
from perdure.model.steps import Compute, EventWait, Retry, Task
from perdure.model.values import EMPTY, Constant, Expression, Json, Value

TASKS_BUILT_IN: Final = ("http", "webhook", "email", "log")
_TIMEOUT_KEYS: Final = ("duration", "timeoutHandlerStepId")
_HUMAN_KEYS: Final = {
    "assigneeRole": "approverRole",
    "assignee": "approverMemberId",
    "assigneeId": "approverMemberId",
    "dueIn": "dueDate",
    "dueDate": "dueDate",
    "priority": "priority",
    "onTimeout": "onTimeout",
    "escalateTo": "escalateTo",
    "votesRequired": "votesRequired",
    "separationOfDuties": "separationOfDuties",
    "allowDataModification": "allowDataModification",
    "resourceType": "resourceType",
    "resourceId": "resourceId",
    "routeHint": "routeHint",
}
"""What the definition of a human task calls what an approval has."""

_FOR_PEOPLE: Final = ("title", "name", "description", "taskForm", "instructions", "metadata")


def task(step: StepDef, ways: Ways, around: Around) -> Built:
    fields = step.fields
    name = fields.word("taskId", required=True)
    given = template(fields, "input", around, secrets=True) if fields.has("input") else EMPTY
    ports = (_outcome(ways),) if ways.keys else ()
    if name is None:
        return Built(Task("undefined"), ports)
    work = Task(name, given, retry=retry_of(fields, around), timeout_ms=time_ms(fields, "timeout"))
    tell_of_task(fields, name, around)
    return Built(work, ports)


def _outcome(ways: Ways) -> Expression:
    """Which of the keys the task's answer names: by its `outcome`, else by its `status`."""
    keys = f"[{', '.join(quoted(way.key or '') for way in ways.keys)}]"
    status = f"{keys}.includes(output.status) ? output.status : undefined"
    return Expression(f"({keys}.includes(output.outcome) ? output.outcome : {status})")


def retry_of(fields: Fields, around: Around) -> Retry:
    return retry_policy(fields.within("retryPolicy")) if fields.has("retryPolicy") else around.retry


def tell_of_task(fields: Fields, name: str, around: Around) -> None:
    if name == LLM or name.startswith(NODE):
        message = f"{shown(name)} is a part of steps of other dialects, and no task of its own; register one"
        fields.problem("unknown_task", "taskId", message)
    elif around.catalog.called(name) is None and name not in TASKS_BUILT_IN:
        there = [each.name for each in around.catalog.tasks if each.connection == LOCAL]
        hint = nearest(name, (*TASKS_BUILT_IN, *(task for task in there if not task.startswith(NODE))))
        message = (
            f"nobody has registered the task {shown(name)}; register one, or executions wait at this step for a worker "
            f"that has it{hint}"
        )
        fields.shared_warning("unknown_task", "taskId", message)


def decision(step: StepDef, ways: Ways, around: Around) -> Built:
    """It does nothing itself: its output is its `input`, else what was there before it."""
    fields = step.fields
    if not ways.conditions and ways.default is None:
        message = "it decides nothing: give 'conditions', each with 'condition' and 'nextStep', or a 'default'"
        fields.warning("no_conditions", "transitions", message)
    output = template(fields, "input", around) if fields.has("input") else Expression("latest.output")
    return Built(Compute(output), fails_unrouted=True)


def event_wait(step: StepDef, ways: Ways, around: Around) -> Built:
    del ways
    fields = step.fields
    fields.text("eventPattern", required=True)
    pattern = template(fields, "eventPattern", around, roots=())  # workflow.completed is an event, and no path
    if isinstance(pattern, Constant) and isinstance(pattern.value, str):
        fields.word("eventPattern")  # its length, as a trigger's
        why = why_nothing_fits(pattern.value)
        if why is not None:
            message = f"no event fits the pattern {shown(pattern.value)}: it {why}"
            fields.problem("invalid_pattern", "eventPattern", message)
    source = fields.text("eventCondition")
    when = None if source is None else condition(source, fields.at("eventCondition"), fields, around)
    mapping = _payload_mapping(fields, around)
    lookback = fields.choice("lookback", ("all", "none"), "all") == "all"
    work = EventWait(pattern, when, _timeout(fields, around), lookback, mapping)
    return Built(work, assign=None if mapping is None else Expression("output"))


def _timeout(fields: Fields, around: Around) -> Value | None:
    """`eventTimeout.duration`, else `timeout`, which no handler belongs to."""
    within = fields.within("eventTimeout")
    other = next_key(within.given, "timeoutHandlerStepId", around.names.steps)
    known = _TIMEOUT_KEYS if other is None else (*_TIMEOUT_KEYS, other)
    within.faults.unknown_keys(within.given, known, within.path, step=fields.step)
    if not fields.has("eventTimeout"):
        found = time_ms(fields, "timeout")
        return None if found is None else Constant(found)
    given = within.given.get("duration")
    if given is None:
        if isinstance(fields.given["eventTimeout"], dict):
            within.missing("duration")
        return None
    if isinstance(given, str) and "${" in given:
        return template(within, "duration", around)
    found = time_ms(within, "duration")
    return None if found is None else Constant(found)


def _payload_mapping(fields: Fields, around: Around) -> Value | None:
    within = fields.within("eventPayloadMapping")
    found = {name: _from_payload(within, name, around) for name in within.given}
    return objects(found) if found else None


def _from_payload(within: Fields, name: str, around: Around) -> Value:
    given = within.text(name)
    if given is None:
        return UNDEFINED
    if "${" in given:
        return template(within, name, around)
    path = payload_path(given)
    if path is None:
        message = f"{shown(given)} is no path into the payload of the event, like order.total or items[0].id"
        within.problem("invalid_path", name, message)
        return UNDEFINED
    return checked(Expression(path), within.at(name), around.faults, within.step, no_secrets=WHERE_SECRETS_MAY_BE)


def payload_path(given: str) -> str | None:
    """A path relative to the payload, which may also be written as one of the event, or of `$`. None: it is no path."""
    path = given.strip()
    for prefix in ("$.", "event.payload.", "payload."):
        path = path.removeprefix(prefix)
    if path in ("$", "event.payload", "payload"):
        return "event.payload"
    if not (path.startswith("event.") and re.split(r"[.\[]", path)[1] in OF_EVENT):
        inner = path.removeprefix("event.").removeprefix("$")
        path = f"event.payload{inner}" if inner.startswith("[") else f"event.payload.{inner}"
    try:
        return rename_event(path_source(path)) if PATH.fullmatch(path) else None
    except InvalidExpression:
        return None


def human_task(step: StepDef, ways: Ways, around: Around) -> Built:
    """An approval. Keys of its transitions are APPROVED and REJECTED, in whatever case."""
    del ways
    fields = step.fields
    definition = fields.within("taskDefinition")
    known = (*_HUMAN_KEYS, *_FOR_PEOPLE)
    definition.faults.unknown_keys(definition.given, known, definition.path, step=step.id, only_near=True)
    asked = _Asked(_as_approval(definition), definition.path, definition.faults, step.id, theirs=_theirs(definition))

    def render(given: Fields, key: str) -> Value:
        return rendered(given.given.get(key), given.at(key), given, around)

    submitted = template(fields, "input", around) if fields.has("input") else Expression("latest.output")
    work = read_approval(asked, render, submitted, timeout_ms=time_ms(fields, "timeout"))
    ports = ("port.toUpperCase()", "output.decision", "output.decision.toUpperCase()")
    return Built(work, tuple(map(Expression, ports)))


def _as_approval(definition: Fields) -> dict[str, Json]:
    given = {_HUMAN_KEYS[key]: value for key, value in definition.given.items() if key in _HUMAN_KEYS}
    priority = given.get("priority")
    if isinstance(priority, str) and priority.lower() in PRIORITIES:
        given["priority"] = priority.lower()
    told = {key: definition.given[key] for key in _FOR_PEOPLE if key in definition.given}
    return given | ({"metadata": told} if told else {})


def _theirs(definition: Fields) -> dict[str, str]:
    """What its author calls what an approval has; of what is not there, how it is usually called."""
    usual = {ours: theirs for theirs, ours in reversed(_HUMAN_KEYS.items())}
    return usual | {_HUMAN_KEYS[key]: key for key in definition.given if key in _HUMAN_KEYS}


class _Asked(Fields, frozen=True):
    """What is wrong is told in the words of its author, and stands where they wrote it."""

    theirs: dict[str, str] = field(default_factory=dict)

    def at(self, key: str) -> str:
        return super().at(self.theirs.get(key, key))

    def problem(self, type_: str, key: str, message: str) -> None:
        super().problem(type_, key, self._in_their_words(message))

    def warning(self, type_: str, key: str, message: str) -> None:
        super().warning(type_, key, self._in_their_words(message))

    def warning_here(self, type_: str, key: str, message: str) -> None:
        super().warning_here(type_, self.theirs.get(key, key), self._in_their_words(message))

    def _in_their_words(self, message: str) -> str:
        for ours, theirs in self.theirs.items():
            message = message.replace(ours, theirs) if ours != theirs else message
        return message
