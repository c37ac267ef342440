"""The shape of an orchestration document: the `WorkflowDefinition` of seed 002. What does not fit is told, and left out of what
comes back.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct

from perdure.dialects.faults import Faults, at
from perdure.dialects.fields import Fields
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.semver import is_semantic
from perdure.model.values import Json

TYPES: Final = ("TASK", "EVENT_WAIT", "DECISION", "CHOICE", "HUMAN_TASK", "PARALLEL")
STATUSES: Final = ("draft", "active", "inactive", "archived")
_DEFINITION_KEYS: Final = (
    *("dialect", "id", "name", "description", "version", "status", "metadata", "inputSchema", "steps", "triggers"),
    *("cancellationTriggers", "compensationSteps", "compensateOnFailure", "uiComponents", "variables", "secrets"),
    *("retryPolicy", "timeout", "maxDepth"),
)
_OF_EVERY_STEP: Final = ("stepId", "type", "name", "description", "metadata", "input", "transitions", "onFailure")
_OF_TYPE: Final = {
    "TASK": ("taskId", "retryPolicy", "timeout"),
    "EVENT_WAIT": ("eventPattern", "eventCondition", "eventTimeout", "eventPayloadMapping", "lookback", "timeout"),
    "DECISION": ("choices", "conditions", "default"),
    "CHOICE": ("choices", "conditions", "default"),
    "HUMAN_TASK": ("taskDefinition", "timeout"),
    "PARALLEL": ("branches",),
}
FIRST_VERSION: Final = "1.0.0"
_NEXT: Final = frozenset({"next", "nextstep", "nextstepid", "nextsteps", "nextstepids"})
"""What other notations call where a step leads, without separators and capitals."""
_LIKELY_NEXT: Final = frozenset({"goto", "then", "onsuccess"})
"""Further such words. They are taken for it only where their value names steps of the document."""
_SEPARATORS: Final = re.compile(r"[\s_-]")
_BEGINS: Final = (
    *("startAt", "StartAt", "startStep", "startStepId", "initialStep", "initialStepId", "firstStep", "entryStep"),
)
"""What other notations call the step that an execution begins with."""
_NEXT_SHOWN_MAX: Final = 5

_ID_MAX: Final = 100
_NESTED_MAX: Final = 20


class StepDef(Struct, frozen=True):
    """A step as it is written. `branches` are those of a PARALLEL; `branch` is the one that it belongs to, None at the top;
    `is_outside`: it does so although it stands outside of the PARALLEL.
    """

    id: str
    type: str
    fields: Fields
    branches: tuple[Branch, ...] = ()
    branch: BranchId | None = None
    is_outside: bool = False


class BranchId(Struct, frozen=True):
    """A branch by the PARALLEL that it belongs to, and its number there."""

    of: str
    number: int


class Branch(Struct, frozen=True):
    """Steps that follow one another, beside those of the other branches."""

    name: str
    path: str
    steps: tuple[StepDef, ...]


class Orchestration(Struct, frozen=True):
    """`steps` are those at the top; `named` is every id that the document has, also of steps that could not be read."""

    definition: Fields
    steps: tuple[StepDef, ...]
    compensations: tuple[Fields, ...]
    named: frozenset[str]

    @property
    def every_step(self) -> Iterator[StepDef]:
        """With those in branches, each after the PARALLEL that it is in."""
        yield from with_inner(self.steps)


def with_inner(steps: tuple[StepDef, ...]) -> Iterator[StepDef]:
    """Steps, and those in their branches, each after the PARALLEL that it is in."""
    for step in steps:
        yield step
        for branch in step.branches:
            yield from with_inner(branch.steps)


def read_document(value: dict[str, Json], faults: Faults) -> Orchestration:
    """What can be made out of it; `faults` says what cannot."""
    definition = Fields(value, "", faults, known=_DEFINITION_KEYS)
    faults.unknown_keys(value, _DEFINITION_KEYS, "", only_near=True)
    definition.choice("status", STATUSES, "active")  # it is the service that acts on it
    definition.object("metadata")
    _tell_of_version(definition)
    reading = _Reading(faults)
    steps = reading.steps(definition.array("steps", required=True), "/steps", None, 0)
    if not steps and not faults.problems:
        faults.warning("no_steps", "/steps", "there are no steps; an execution completes at once")
    compensations = tuple(reading.objects(definition, "compensationSteps", "a compensation step"))
    return Orchestration(definition, steps, compensations, frozenset(reading.places))


def version_of(value: Json) -> str:
    """The author's version. Whoever says nothing has the first one."""
    found = value.get("version") if isinstance(value, dict) else None
    return found if isinstance(found, str) and is_semantic(found) else FIRST_VERSION


def _tell_of_version(definition: Fields) -> None:
    found = definition.text("version")
    if found is not None and not is_semantic(found):
        parts = [*re.findall(r"\d+", found)[:3], "0", "0", "0"][:3]
        meant = ".".join(str(int(part)) for part in parts)
        message = f"{shown(found)} is no semantic version, which has three numbers: did you mean {meant}?"
        definition.problem("invalid_version", "version", message)


def next_key(given: dict[str, Json], instead_of: str, steps: Collection[str]) -> str | None:
    """Return the key of another notation by which an object says where it leads. A document with such keys is refused, by one
    problem for all of them; apart from that it is read as it is meant. Empty `transitions` beside such a key say nothing.
    """
    if given.get(instead_of) if instead_of == "transitions" else instead_of in given:
        return None
    return next((key for key in given if key != instead_of and _leads_on(key, given[key], steps)), None)


def means_next(key: str) -> bool:
    """Whether a key is a word of other notations for what comes next, in any spelling: `next`, `next_step`, `onSuccess`."""
    return _normalize_key(key) in _NEXT | _LIKELY_NEXT


def next_target(value: Json) -> str | None:
    """The step that a key of another notation leads to: of a list, its first."""
    first = value[0] if isinstance(value, list) and value else value
    return first if isinstance(first, str) else None


def _leads_on(key: str, value: Json, steps: Collection[str]) -> bool:
    word = _normalize_key(key)
    if word in _NEXT:
        return True
    named = value if isinstance(value, list) else list(value.values()) if isinstance(value, dict) else [value]
    return word in _LIKELY_NEXT and bool(named) and all(isinstance(each, str) and each in steps for each in named)


def _normalize_key(key: str) -> str:
    return _SEPARATORS.sub("", key).casefold()


def tell_of_other_words(document: Orchestration) -> None:
    """`next` instead of `transitions`, wherever it stands, and a first step that is not the first."""
    found = [place for step in document.every_step for place in _next_places(step, document.named)]
    if found:
        fields, key, instead = found[0]
        given = fields.given[key]
        target = next_target(given)
        to = f'"{target}"' if target is not None else "null" if given is None else "…"
        if isinstance(given, dict) and "transitions" in instead:
            instead = '"transitions": {{…}}'
        steps = list(dict.fromkeys(each.step for each, _, _ in found))
        shown_ids = ", ".join(map(shown, steps[:_NEXT_SHOWN_MAX])) + (", …" if len(steps) > _NEXT_SHOWN_MAX else "")
        message = f"unsupported key {key!r}: write {instead.format(to)}"
        if len(found) > 1:
            words = "steps have 'transitions', conditions 'nextStep', 'onFailure' has 'handlerStepId'"
            message += f"; {len(found)} places say it so, in {shown_ids}: {words}"
        fields.problem("unknown_key", key, message)
    first = document.steps[0].id if document.steps else None
    for key in _BEGINS:
        begins = document.definition.given.get(key)
        if first is not None and isinstance(begins, str) and begins != first:
            message = f"executions begin with the first step, {shown(first)}: move {shown(begins)} to the front, without {key!r}"
            document.definition.problem("unknown_key", key, message)


def _next_places(step: StepDef, steps: Collection[str]) -> Iterator[tuple[Fields, str, str]]:
    """Each object of a step that says where it leads in other words, by which key, and what to write instead."""
    fields = step.fields
    key = next_key(fields.given, "transitions", steps)
    if key is not None:
        yield fields, key, '"transitions": {{"default": {}}}'
    for where, instead_of in _leading_objects(step, key or "transitions"):
        found = next_key(where.given, instead_of, steps)
        if found is not None:
            yield where, found, f'"{instead_of}": {{}}'


def _leading_objects(step: StepDef, transitions_key: str) -> Iterator[tuple[Fields, str]]:
    """The objects within a step that say where it leads, each with the key that says it."""
    fields = step.fields
    quiet = Fields(fields.given, fields.path, Faults(), step.id)
    lists = [(quiet, "choices", "nextStep"), (quiet, "conditions", "nextStep")]
    transitions, handling, timeout = (fields.given.get(key) for key in (transitions_key, "onFailure", "eventTimeout"))
    if isinstance(transitions, dict):
        lists.append((Fields(transitions, fields.at(transitions_key), Faults(), step.id), "conditions", "nextStep"))
    if isinstance(handling, dict):
        within = Fields(handling, fields.at("onFailure"), fields.faults, step.id)
        if "nextStepId" not in handling:
            yield within, "handlerStepId"
        lists.append(
            (Fields(handling, within.path, Faults(), step.id).within("errorHandler"), "conditions", "nextStepId")
        )
    if isinstance(timeout, dict) and step.type == "EVENT_WAIT":
        yield Fields(timeout, fields.at("eventTimeout"), fields.faults, step.id), "timeoutHandlerStepId"
    for where, name, instead_of in lists:
        for each in objects(where, name, "a condition"):
            yield Fields(each.given, each.path, fields.faults, step.id), instead_of


def objects(given: Fields, key: str, what: str) -> Iterator[Fields]:
    """The objects of a list, each with its path."""
    for number, item in enumerate(given.array(key)):
        path = at(given.at(key), number)
        if isinstance(item, dict):
            yield Fields(item, path, given.faults, given.step)
        else:
            given.faults.problem("wrong_type", path, f"{what} is an object, not {kind(item)}", step=given.step)


class _Reading:
    """Steps, however deep they stand, each id once. `places` are where the ids stand."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.places: dict[str, str] = {}

    def steps(self, listed: list[Json], path: str, branch: BranchId | None, depth: int) -> tuple[StepDef, ...]:
        found = (self._step(item, at(path, number), branch, depth) for number, item in enumerate(listed))
        return tuple(step for step in found if step is not None)

    def objects(self, given: Fields, key: str, what: str) -> Iterator[Fields]:
        for fields in objects(given, key, what):
            id_ = self._id(fields)
            if id_ is not None:
                yield Fields(fields.given, fields.path, fields.faults, id_)

    def _step(self, item: Json, path: str, branch: BranchId | None, depth: int) -> StepDef | None:
        if not isinstance(item, dict):
            self.faults.problem("wrong_type", path, f"a step is an object, not {kind(item)}")
            return None
        given = item.get("stepId")
        step_id = given if isinstance(given, str) else ""
        fields = Fields(item, path, self.faults, step_id, _OF_EVERY_STEP)
        id_, type_ = self._id(fields), self._type(fields)
        if type_ is not None:
            self._keys(fields, type_)
        branches = self._branches(fields, step_id, depth) if type_ == "PARALLEL" else ()
        return None if id_ is None or type_ is None else StepDef(id_, type_, fields, branches, branch)

    def _keys(self, fields: Fields, type_: str) -> None:
        """Those that mean nothing on a step of this type."""
        known = (*_OF_EVERY_STEP, *_OF_TYPE[type_])
        odd = [key for key in fields.given if key not in known]
        for key in odd:
            types = [other for other, keys in _OF_TYPE.items() if key in keys]
            if types:
                fields.warning(
                    "unknown_key", key, f"{key!r} means nothing on a step of type {type_}, but on {' and '.join(types)}"
                )
            elif _normalize_key(key) in _NEXT and fields.given.get("transitions"):
                fields.warning(
                    "unknown_key", key, f'{key!r} means nothing here; did you mean "transitions": {{"default": …}}?'
                )
        rest = [key for key in odd if not means_next(key) and not any(key in keys for keys in _OF_TYPE.values())]
        self.faults.unknown_keys(rest, known, fields.path, step=fields.step, only_near=True)

    def _id(self, fields: Fields) -> str | None:
        id_ = fields.word("stepId", required=True)
        if id_ is None:
            return None
        if len(id_) > _ID_MAX or "/" in id_:
            message = (
                f"{shown(id_)} is no id of a step: take up to {_ID_MAX} characters without '/', like reserve_stock"
            )
            fields.problem("invalid_name", "stepId", message)
            return None
        first = self.places.setdefault(id_, fields.path)
        if first != fields.path:
            fields.problem("duplicate_id", "stepId", f"two steps have the id {shown(id_)}; the other one is {first}")
            return None
        return id_

    def _type(self, fields: Fields) -> str | None:
        found = fields.word("type", required=True)
        if found is None or found in TYPES:
            return found
        message = f"there is no type of step {shown(found)}{nearest(found, TYPES)}; known are {', '.join(TYPES)}"
        fields.problem("unknown_type", "type", message)
        return None

    def _branches(self, fields: Fields, step_id: str, depth: int) -> tuple[Branch, ...]:
        if depth >= _NESTED_MAX:
            fields.problem("too_deep", "branches", f"branches stand at most {_NESTED_MAX} deep in one another")
            return ()
        found: list[Branch] = []
        if not fields.array("branches", required=True) and isinstance(fields.given.get("branches"), list):
            fields.problem("missing_field", "branches", "'branches' has no branch: nothing would run beside anything")
        for number, branch in enumerate(objects(fields, "branches", 'a branch, like {"name": "stock", "steps": […]},')):
            name = branch.word("name") or f"branch{number + 1}"
            if any(name == other.name for other in found):
                branch.problem("duplicate_id", "name", f"two branches of {shown(step_id)} have the name {shown(name)}")
            steps = self.steps(branch.array("steps"), branch.at("steps"), BranchId(step_id, number), depth + 1)
            found.append(Branch(name, branch.path, steps))
        return tuple(found)
