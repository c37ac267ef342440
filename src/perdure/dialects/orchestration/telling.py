"""What is odd about a document as a whole, and told when it is saved: steps that nothing leads to, waits that nothing may ever
end, conditions that are never true or false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.branches import followers
from perdure.dialects.orchestration.document import Orchestration, StepDef, means_next, objects
from perdure.dialects.orchestration.transitions import Ways, is_end
from perdure.dialects.values import joined
from perdure.dialects.walks import reached
from perdure.errors import InvalidExpression
from perdure.expressions import tree as t
from perdure.expressions.ready import ready
from perdure.expressions.wording import shown

_TYPES_WITH_DEFAULT: Final = ("TASK", "EVENT_WAIT", "PARALLEL")
"""Types of steps whose outcomes have names of their own choice, or none."""
_ARITHMETIC: Final = ("+", "-", "*", "/", "%", "**")


def tell_of_shape(document: Orchestration, ways: Mapping[str, Ways]) -> None:
    _tell_of_unreachable(document.steps, ways, _refused_targets(document, ways))
    may_end = document.definition.has("timeout") or bool(document.definition.given.get("cancellationTriggers"))
    for step in document.every_step:
        if step.type == "EVENT_WAIT" and not may_end and not any(map(step.fields.has, ("eventTimeout", "timeout"))):
            message = (
                "it waits for ever if no such event comes, and nothing else can end it but people: give 'eventTimeout', like "
                '{"duration": "P3D", "timeoutHandlerStepId": …}, or \'cancellationTriggers\''
            )
            step.fields.warning("endless_wait", "eventPattern", message)
        _tell_of_missing_default(step, ways[step.id])


def _tell_of_missing_default(step: StepDef, ways: Ways) -> None:
    """Keys of transitions alone: an outcome that has another name, or none, ends the path there."""
    given = step.fields.given.get("transitions")
    if not isinstance(given, dict) or not ways.keys or ways.conditions or ways.default is not None:
        return
    key = next((way.key for way in ways.keys if way.key is not None and means_next(way.key)), None)
    if key is not None:
        message = (
            f"{key!r} is taken for the name of an outcome, and an outcome that no key names ends the path here: "
            "did you mean 'default'?"
        )
        step.fields.within("transitions").shared_warning("no_default", key, message)
    elif step.type in _TYPES_WITH_DEFAULT:
        message = (
            "an outcome that none of these keys names ends the path here: add 'default', with the step that comes next, or "
            '"default": null if that is meant'
        )
        step.fields.shared_warning("no_default", "transitions", message)


def _refused_targets(document: Orchestration, ways: Mapping[str, Ways]) -> frozenset[str]:
    """Steps that a way of another branch names: which is a problem of its own."""
    branches = {step.id: step.branch for step in document.every_step}
    return frozenset(
        way.to
        for id_, branch in branches.items()
        for way in ways[id_].every
        if way.to in branches and branches[way.to] != branch
    )


def _tell_of_unreachable(
    steps: tuple[StepDef, ...],
    ways: Mapping[str, Ways],
    refused: frozenset[str],
    *,
    in_order: bool = False,
) -> None:
    """In a branch, a step that does not say where it leads, leads to the next. `refused` are targets that cannot be reached."""
    known = {step.id: step for step in steps}
    following = followers(steps, ways) if in_order else {}

    def after(id_: str) -> list[str]:
        found = [way.to for way in ways[id_].every if way.to is not None and not is_end(way.to, known)]
        if id_ in following and not ways[id_].goes_on:
            found.append(following[id_])
        return [to for to in found if to in known]

    found = reached([step.id for step in steps[:1] + tuple(each for each in steps if each.id in refused)], after)
    for step in steps:
        if step.id not in found:
            step.fields.warning("unreachable_step", "stepId", f"nothing leads to {shown(step.id)}; it never runs")
        for branch in step.branches:
            _tell_of_unreachable(branch.steps, ways, refused, in_order=True)


def tell_of_conditions(document: Orchestration) -> None:
    """Those that are the same whatever happens, because they are no question."""
    for fields, key in conditions_of(document):
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


def conditions_of(document: Orchestration) -> Iterator[tuple[Fields, str]]:
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
        for each in objects(silent(document.definition), key, ""):
            yield Fields(each.given, each.path, document.definition.faults), "eventCondition"


def _listed(where: Fields, key: str) -> Iterator[tuple[Fields, str]]:
    for each in objects(silent(where), key, ""):
        yield Fields(each.given, each.path, where.faults, where.step), "condition"


def silent(fields: Fields) -> Fields:
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
