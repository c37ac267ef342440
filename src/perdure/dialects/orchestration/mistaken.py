"""Names in expressions that are most likely mistakes, and templates as other dialects write them: what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from perdure.dialects.events import no_such_part
from perdure.dialects.faults import Faults, at
from perdure.dialects.fields import Fields
from perdure.dialects.hyphens import misread, subtracted_ids
from perdure.dialects.orchestration.built import OF_INPUT, OF_INPUT_MAPPING, with_templates
from perdure.dialects.orchestration.document import Orchestration
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
from perdure.dialects.orchestration.telling import conditions_of, silent
from perdure.dialects.values import joined, quoted
from perdure.errors import InvalidExpression
from perdure.expressions.protocol import Path
from perdure.expressions.ready import ready
from perdure.expressions.templates import look_at
from perdure.expressions.walk import reads
from perdure.expressions.wording import near, nearest, shown
from perdure.model.problem import Problem
from perdure.model.values import Json

_BRACES: Final = re.compile(r"\{\{\s*((?:workflow|steps|variables|output|event|error)\.[^{}]*?)\s*\}\}")
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


def tell_of_names(document: Orchestration, names: Names, faults: Faults) -> None:
    written, steps = frozenset(_written(document)), frozenset(names.steps)
    waits = tuple(step.id for step in document.every_step if step.type == "EVENT_WAIT")

    def look(source: str) -> list[Problem]:
        ids, paths = _read(source, steps)
        said = dict.fromkeys((*map(_subtracted, ids), *(_suspicion(path, names, written) for path in paths)))
        return [Problem("unknown_name", message) for message in said if message]

    def look_without_event(source: str) -> list[Problem]:
        is_read = any(path[0] == "event" for path in _read(source, steps)[1])
        return [*look(source), *([Problem("unknown_name", _no_event(waits))] if is_read else ())]

    for fields, key, roots in _templates(document):
        looking = look if key == "eventPayloadMapping" else look_without_event
        for problem in look_at(with_templates(fields.given.get(key), roots), "${", looking):
            if problem.type == "unknown_name":
                faults.warning(problem.type, f"{fields.at(key)}{problem.path}", problem.message, step=fields.step)
    for fields, key in conditions_of(document):
        source = fields.given.get(key)
        if not isinstance(source, str) or fields.path.startswith(
            "/triggers/"
        ):  # those are looked at where they are read
            continue
        looking = look if key == "eventCondition" or fields.step in waits else look_without_event
        try:
            found = looking(joined(source, "${"))
        except InvalidExpression:
            continue
        for problem in found:
            faults.warning(problem.type, fields.at(key), problem.message, step=fields.step)


def tell_of_braces(document: Orchestration, faults: Faults) -> None:
    """`{{ }}` is how other dialects write what `${ }` is here."""

    def look(path: str, given: Json, step: str) -> None:
        match given:
            case str() if (found := _BRACES.search(given)) is not None:
                message = f"{{{{ }}}} is text here, and is not filled in; write ${{{found[1]}}}"
                faults.warning("other_form", path, message, step=step)
            case dict():
                for key, part in given.items():
                    look(at(path, key), part, step)
            case list():
                for number, part in enumerate(given):
                    look(at(path, number), part, step)
            case _:
                pass

    for fields, key, _ in _templates(document):
        look(fields.at(key), fields.given.get(key), fields.step)


def _read(source: str, steps: frozenset[str]) -> tuple[tuple[str, ...], list[Path]]:
    """The ids of steps that it reads as subtractions, and all other paths."""
    try:
        node = ready(source).node
    except InvalidExpression:  # which is told where the step is built
        return (), []
    ids, parts = subtracted_ids(source, node, steps, ROOTS)
    return ids, [path for path in sorted(reads(node)) if path[0] not in parts]


def _subtracted(id_: str) -> str:
    return f"{misread(id_, 'a step')}: did you mean steps[{quoted(id_)}].output?"


def _no_event(waits: tuple[str, ...]) -> str:
    brought = f"what it brought is {' or '.join(f'steps.{id_}.output' for id_ in waits)} later, and " if waits else ""
    return f"an event is only known where it is waited for: {brought}the one that started all is workflow.trigger.event"


def _templates(document: Orchestration) -> Iterator[tuple[Fields, str, tuple[str, ...]]]:
    """With the roots of paths that need no `${ }` there."""
    for step in document.every_step:
        yield step.fields, "input", OF_INPUT
        yield _silent_within(step.fields, "onFailure"), "inputMapping", OF_INPUT_MAPPING
        if step.type == "EVENT_WAIT":
            yield step.fields, "eventPattern", ()
            yield step.fields, "eventPayloadMapping", ()
            yield _silent_within(step.fields, "eventTimeout"), "duration", ()
        elif step.type == "HUMAN_TASK":
            yield step.fields, "taskDefinition", OF_INPUT
    for fields in document.compensations:
        yield fields, "input", OF_INPUT


def _silent_within(fields: Fields, key: str) -> Fields:
    return silent(fields).within(key)


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
