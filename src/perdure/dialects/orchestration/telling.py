"""What is odd about a document as a whole, and told when it is saved: steps that nothing leads to, waits that nothing may ever
end, conditions that are never true or false, names that are most likely mistakes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final

from perdure.dialects.events import no_such_part
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.built import OF_INPUT, OF_INPUT_MAPPING, with_templates
from perdure.dialects.orchestration.document import Orchestration, StepDef, objects
from perdure.dialects.orchestration.names import (
    OF_CANCELLATION,
    OF_EVENT,
    OF_INSTANCE,
    OF_STATE,
    OF_STEP,
    OF_TRIGGER,
    OF_WORKFLOW,
    ROOTS,
    Names,
)
from perdure.dialects.orchestration.transitions import Ways, is_end
from perdure.dialects.values import joined
from perdure.dialects.walks import reached
from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.protocol import Path
from perdure.expressions.ready import ready
from perdure.expressions.templates import look_at
from perdure.expressions.walk import reads
from perdure.expressions.wording import near, nearest, shown
from perdure.model.problem import Problem

_ARITHMETIC: Final = ("+", "-", "*", "/", "%", "**")
_OF: Final[dict[Path, tuple[str, ...]]] = {
    ("workflow",): OF_WORKFLOW,
    ("workflow", "state"): OF_STATE,
    ("workflow", "instance"): OF_INSTANCE,
    ("workflow", "instance", "state"): OF_STATE,
    ("workflow", "cancellation"): OF_CANCELLATION,
    ("workflow", "trigger"): OF_TRIGGER,
}
_STEPS: Final[tuple[Path, ...]] = (
    ("steps",),
    ("workflow", "steps"),
    ("workflow", "state", "steps"),
    ("workflow", "instance", "state", "steps"),
)


def tell_of_shape(document: Orchestration, ways: Mapping[str, Ways]) -> None:
    _tell_of_unreachable(document.steps, ways)
    may_end = document.definition.has("timeout") or bool(document.definition.given.get("cancellationTriggers"))
    for step in document.every_step:
        if step.type == "EVENT_WAIT" and not may_end and not any(map(step.fields.has, ("eventTimeout", "timeout"))):
            message = (
                "it waits for ever if no such event comes, and nothing else can end it but people: give 'eventTimeout', like "
                '{"duration": "P3D", "timeoutHandlerStepId": …}, or \'cancellationTriggers\''
            )
            step.fields.warning("endless_wait", "eventPattern", message)


def _tell_of_unreachable(steps: tuple[StepDef, ...], ways: Mapping[str, Ways], *, in_order: bool = False) -> None:
    """In a branch, a step that does not say where it leads, leads to the next."""
    known = {step.id: step for step in steps}
    follows = {step.id: after.id for step, after in pairwise(steps)} if in_order else {}

    def after(id_: str) -> list[str]:
        found = [way.to for way in ways[id_].every if way.to is not None and not is_end(way.to, known)]
        if not ways[id_].goes_on and id_ in follows:
            found.append(follows[id_])
        return [to for to in found if to in known]

    found = reached([step.id for step in steps[:1]], after)
    for step in steps:
        if step.id not in found:
            step.fields.warning("unreachable_step", "stepId", f"nothing leads to {shown(step.id)}; it never runs")
        for branch in step.branches:
            _tell_of_unreachable(branch.steps, ways, in_order=True)


def tell_of_conditions(document: Orchestration) -> None:
    """Those that are the same whatever happens, because they are no question."""
    for fields, key in _conditions(document):
        source = fields.given.get(key)
        if not isinstance(source, str):
            continue
        try:
            node = ready(joined(source, "${")).node
        except InvalidExpression:  # which is told where it is read
            continue
        what = _never_boolean(node)
        if what is not None:
            message = f"this is {what}, and never true or false; compare it with something, as in {shown('output.total > 100')}"
            fields.warning("not_a_condition", key, message)


def _conditions(document: Orchestration) -> Iterator[tuple[Fields, str]]:
    for step in document.every_step:
        yield step.fields, "eventCondition"
        transitions = step.fields.given.get("transitions")
        if isinstance(transitions, dict):
            within = Fields(transitions, step.fields.at("transitions"), step.fields.faults, step.id)
            yield from _listed(within, "conditions")
        for key in ("choices", "conditions"):
            yield from _listed(step.fields, key)
    for fields in document.compensations:
        yield fields, "condition"
    for key in ("triggers", "cancellationTriggers"):
        for each in objects(_silent(document.definition), key, ""):
            yield Fields(each.given, each.path, document.definition.faults), "eventCondition"


def _listed(where: Fields, key: str) -> Iterator[tuple[Fields, str]]:
    for each in objects(_silent(where), key, ""):
        yield Fields(each.given, each.path, where.faults, where.step), "condition"


def _silent(fields: Fields) -> Fields:
    """What is wrong with it has been told."""
    return Fields(fields.given, fields.path, Faults(), fields.step)


def _never_boolean(node: t.Node) -> str | None:
    match node:
        case t.Literal(value=bool() | None):
            return None
        case t.Literal() | t.TextOf() | t.Template():
            return "one value"
        case t.ArrayOf() | t.ObjectOf():
            return "an array or an object"
        case t.Binary(operator=operator) if operator in _ARITHMETIC:
            return "a number or a text"
        case t.Unary(operator="-" | "+"):
            return "a number"
        case _:
            return None


def tell_of_names(document: Orchestration, names: Names, faults: Faults) -> None:
    written = frozenset(_written(document))
    waits = tuple(step.id for step in document.every_step if step.type == "EVENT_WAIT")

    def look(source: str) -> list[Problem]:
        said = dict.fromkeys(_suspicion(path, names, written) for path in _read(source))
        return [Problem("unknown_name", message) for message in said if message]

    def look_without_event(source: str) -> list[Problem]:
        is_read = any(path[0] == "event" for path in _read(source))
        return [*look(source), *([Problem("unknown_name", _no_event(waits))] if is_read else ())]

    for fields, key, roots in _templates(document):
        looking = look if key == "eventPayloadMapping" else look_without_event
        for problem in look_at(with_templates(fields.given.get(key), roots), "${", looking):
            if problem.type == "unknown_name":
                faults.warning(problem.type, f"{fields.at(key)}{problem.path}", problem.message, step=fields.step)
    for fields, key in _conditions(document):
        source = fields.given.get(key)
        if not isinstance(source, str) or fields.path.startswith(
            "/triggers/"
        ):  # which are looked at where they are read
            continue
        looking = look if key == "eventCondition" or fields.step in waits else look_without_event
        try:
            found = looking(joined(source, "${"))
        except InvalidExpression:
            continue
        for problem in found:
            faults.warning(problem.type, fields.at(key), problem.message, step=fields.step)


def _read(source: str) -> list[Path]:
    try:
        return sorted(reads(ready(source).node))
    except InvalidExpression:  # which is told where the step is built
        return []


def _no_event(waits: tuple[str, ...]) -> str:
    brought = f"what it brought is {' or '.join(f'steps.{id_}.output' for id_ in waits)} later, and " if waits else ""
    return f"an event is only known where it is waited for: {brought}the one that started all is workflow.trigger.event"


def _templates(document: Orchestration) -> Iterator[tuple[Fields, str, tuple[str, ...]]]:
    """With the roots of paths that need no `${ }` there."""
    for step in document.every_step:
        yield step.fields, "input", OF_INPUT
        yield _silent_within(step.fields, "onFailure"), "inputMapping", OF_INPUT_MAPPING
        if step.type == "EVENT_WAIT":
            yield step.fields, "eventPattern", OF_INPUT
            yield step.fields, "eventPayloadMapping", ()
            yield _silent_within(step.fields, "eventTimeout"), "duration", OF_INPUT
        elif step.type == "HUMAN_TASK":
            yield step.fields, "taskDefinition", OF_INPUT
    for fields in document.compensations:
        yield fields, "input", OF_INPUT


def _silent_within(fields: Fields, key: str) -> Fields:
    return _silent(fields).within(key)


def _written(document: Orchestration) -> Iterator[str]:
    """Variables that the document itself sets."""
    given = document.definition.given.get("variables")
    yield from given if isinstance(given, dict) else ()
    for step in document.every_step:
        mapping = step.fields.given.get("eventPayloadMapping")
        yield from mapping if isinstance(mapping, dict) else ()


def _suspicion(path: Path, names: Names, written: frozenset[str]) -> str:
    """What is to be said of a path; nothing, if it may be meant so."""
    for place in _STEPS:
        if path[: len(place)] == place and len(path) > len(place):
            return _of_step(path[len(place) :], names)
    for place, parts in _OF.items():
        if path[: len(place)] == place and len(path) > len(place) and path[len(place)] not in (*parts, "cancelation"):
            if (*place, path[len(place)]) in _OF or (*place, path[len(place)]) in _STEPS:
                continue
            part = path[len(place)]
            return f"{'.'.join(place)} has no {part!r}{nearest(part, parts)}; it has {', '.join(parts)}"
    root = path[0]
    if root == "event" and len(path) > 1 and path[1] not in OF_EVENT:
        return no_such_part(path[1])
    if root == "variables" or path[:2] == ("workflow", "variables"):
        return _of_variable(path[1 if root == "variables" else 2 :], written)
    if root in ROOTS or root == "originalOutput":
        return ""
    if root in names.steps:
        return f"there is no {root!r} here: did you mean steps.{root}?"
    if root == "step":
        return "`step.` → `steps.`: did you mean steps?"
    meant = near(root, ROOTS)
    if meant is not None and meant not in ("now", "nowMs"):
        return f"there is no {root!r} here: did you mean {meant}?"
    return f"there is no {root!r} here, so that this is empty: did you mean workflow.input.{root}?"


def _of_step(rest: Path, names: Names) -> str:
    id_ = rest[0]
    if id_ not in names.steps:
        return f"there is no step {shown(id_)}, so that this is empty{nearest(id_, names.steps)}"
    if len(rest) > 1 and rest[1] not in OF_STEP:
        return f"a step has no {rest[1]!r} here{nearest(rest[1], OF_STEP)}; what it came to is steps.{id_}.output"
    return ""


def _of_variable(rest: Path, written: frozenset[str]) -> str:
    """Only events and the document itself set any."""
    if not rest or rest[0] in written:
        return ""
    return f"nobody sets the variable {rest[0]!r}, so that this is empty{nearest(rest[0], sorted(written))}"
