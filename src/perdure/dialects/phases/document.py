"""The shape of a phases document: steps in phases, and triggers. What does not fit is told; what can still be made out of a step
comes back, so that all else that is wrong with it is told as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from perdure.dialects.faults import Faults, at
from perdure.dialects.fields import Fields
from perdure.expressions.wording import kind, shown
from perdure.model.values import Json
from perdure.model.workflow import SCHEMAS

Kind: TypeAlias = Literal["tool", "transform", "sleep"]
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
RESERVED: Final = ("input", "item", "index", "output", "ctx", "secrets")
"""What refs can begin with that is no step."""

DOCUMENT_KEYS: Final = (
    *("dialect", "id", "name", "description", "version", "status", "steps", "triggers", "secrets", "inputSchema"),
    *("timeout", "maxDepth", "strictTypes", SCHEMAS),
)
STEP_KEYS: Final = (
    *("name", "description", *KINDS, "input", "forEach", "as", "maxIterations", "concurrency", "onError", "retry"),
    "timeout",
)
TRIGGER_KEYS: Final = ("workflowId", "inputs", "forEach", "workflow_timeout_ms", "max_retries")
_CONDITION: Final = (
    "steps are unconditional: let a transform decide what later steps are given, or start another workflow by a trigger, "
    "which is skipped if a ref of its inputs leads nowhere"
)
_OF_ANY: Final = {
    "bail": "an execution cannot end early; to skip a trigger, leave out its input in the last transform",
    "maxSteps": "there is no limit of steps: each runs once, and a forEach has 'maxIterations'",
}
"""Keys of other engines that change what runs, and what to do instead: to ignore them would run something else than is meant."""
_OF_STEPS: Final = {
    **_OF_ANY,
    "when": _CONDITION,
    "if": _CONDITION,
    "unless": _CONDITION,
    "condition": _CONDITION,
    "transformCode": "a transform is a step of its own, in the phase after this one",
}
_OF_OBJECTS: Final = ("tool", "sleep", "retry", "config", "settings", "options", "execution")
"""Objects, of a document, a step or a trigger, that may hold such keys of any as well."""
UNNAMED: Final = "?"
"""What stands in a model that nobody will run, for a name that is not there."""
_STATUSES: Final = ("draft", "active", "inactive", "archived")
_SEPARATORS: Final = re.compile(r"[\s_-]")
NAME: Final = re.compile(r"[^\W\d](?:[\w-]*\w)?")


class StepDef(Struct, frozen=True):
    """`name`: of a step whose own cannot be used, its path, to which no ref leads. `kind`: None, if it has none or several.
    `phase` counts from 0. `item` is what the current item of a forEach is called, beside `item`.
    """

    name: str
    kind: Kind | None
    phase: int
    fields: Fields
    item: str = "item"

    @property
    def is_named(self) -> bool:
        return self.name != self.fields.path

    @property
    def repeats(self) -> bool:
        return self.fields.has("forEach")

    @property
    def continues(self) -> bool:
        """Whether the phase goes on if the step fails; its output is null then. Of a forEach, that is said of its items."""
        return not self.repeats and self.fields.given.get("onError") == "continue"


class TriggerDef(Struct, frozen=True):
    """`id` is what the view calls it."""

    id: str
    workflow: str
    fields: Fields


class PhasesDocument(Struct, frozen=True):
    definition: Fields
    name: str | None
    id: str | None
    phases: tuple[tuple[StepDef, ...], ...]
    triggers: tuple[TriggerDef, ...]

    @property
    def steps(self) -> Iterator[StepDef]:
        return (step for phase in self.phases for step in phase)


def read_document(value: dict[str, Json], faults: Faults) -> PhasesDocument:
    """What can be made out of it; `faults` says what cannot."""
    given = _without_settings(Fields(value, "", faults, known=DOCUMENT_KEYS))
    faults.unknown_keys(_without_foreign(given, _OF_ANY), DOCUMENT_KEYS, "", only_near=True)
    given.choice("status", _STATUSES, "active")  # it is the service that acts on it
    name, id_ = given.word("name"), given.word("id")
    return PhasesDocument(given, name, id_, tuple(_phases(given)), tuple(_triggers(given)))


def _phases(document: Fields) -> Iterator[tuple[StepDef, ...]]:
    """A step that stands alone is a phase of its own."""
    named: dict[str, str] = {}
    number = 0
    for place, item in enumerate(document.array("steps", required=True)):
        path = at("/steps", place)
        rows = [(step, at(path, row)) for row, step in enumerate(item)] if isinstance(item, list) else [(item, path)]
        found = [_step(step, where, number, document.faults, named) for step, where in rows]
        steps = tuple(step for step in found if step is not None)
        if not rows:
            document.faults.warning("empty_phase", path, "this phase has no steps, and is passed by")
        if steps:
            yield steps
            number += 1
    if document.given.get("steps") == []:
        document.warning("no_steps", "steps", "there are no steps; an execution completes at once")


def _step(item: Json, path: str, phase: int, faults: Faults, named: dict[str, str]) -> StepDef | None:
    if not isinstance(item, dict):
        faults.problem("wrong_type", path, f"a step is an object, not {kind(item)}")
        return None
    known = item.get("name") if isinstance(item.get("name"), str) else ""
    given = _without_settings(Fields(item, path, faults, str(known), STEP_KEYS))
    faults.unknown_keys(_without_foreign(given, _OF_STEPS), STEP_KEYS, path, step=given.step)
    name = given.word("name", required=True)
    usable = name if name is not None and _is_free(name, given, named) else path
    return StepDef(usable, _kind(given), phase, given, _item(given))


def _without_foreign(given: Fields, foreign: Mapping[str, str]) -> list[str]:
    """Return the keys of an object without those of other engines, which are problems in any spelling, like `max_steps`."""
    hints = {_normalize_key(key): hint for key, hint in foreign.items()}
    kept: list[str] = []
    for key in given.given:
        hint = hints.get(_normalize_key(key))
        if hint is None:
            kept.append(key)
        else:
            given.problem("unsupported", key, f"{key!r} is not supported: {hint}")
    return kept


def _without_settings(given: Fields) -> Fields:
    """Return the fields with keys of other engines removed from the objects that settings stand in, where they are problems."""
    kept: dict[str, Json] = {}
    for key, value in given.given.items():
        if isinstance(value, dict) and _normalize_key(key) in _OF_OBJECTS:
            within = Fields(value, given.at(key), given.faults, given.step)
            kept[key] = {name: value[name] for name in _without_foreign(within, _OF_ANY)}
        else:
            kept[key] = value
    return replace(given, given=kept)


def _normalize_key(key: str) -> str:
    return _SEPARATORS.sub("", key).casefold()


def _is_free(name: str, given: Fields, named: dict[str, str]) -> bool:
    if name in RESERVED:
        given.problem("reserved_name", "name", f"{shown(name)} means something else in refs; take another name")
        return False
    if name in named:
        given.problem("duplicate_id", "name", f"two steps have the name {shown(name)}; the other one is {named[name]}")
        return False
    named[name] = given.path
    if NAME.fullmatch(name):
        return True
    if NAME.fullmatch(name.rstrip("-")):
        message = (
            f"{shown('@' + name)} alone leads nowhere, for a hyphen at its end belongs to the text; write "
            f"{shown(f'@{name}.output')}, or take a name that ends otherwise"
        )
    else:
        message = (
            f"no ref can lead to a step of the name {shown(name)}: names of letters, digits, - and _, that begin with a "
            "letter, can be referred to"
        )
    given.warning("no_ref", "name", message)
    return True


def _kind(given: Fields) -> Kind | None:
    """What it does: one of three."""
    there = [key for key in KINDS if given.has(key)]
    if len(there) == 1:
        return there[0]
    said = " and ".join(map(repr, there)) or "none of them"
    message = f"a step has one of 'tool', 'transform' and 'sleep'; this has {said}"
    given.faults.problem("invalid_step", given.path, message, step=given.step, field=there[-1] if there else "tool")
    return None


def _item(given: Fields) -> str:
    name = given.word("as")
    if name is None:
        return "item"
    if not given.has("forEach"):
        given.warning("no_effect", "as", "'as' has an effect only beside 'forEach'")
    if name != "item" and (name in RESERVED or not NAME.fullmatch(name)):
        given.problem("reserved_name", "as", f"{shown(name)} cannot be what an item is called; take another name")
        return "item"
    return name


def _triggers(document: Fields) -> Iterator[TriggerDef]:
    for number, item in enumerate(document.array("triggers")):
        path, id_ = at("/triggers", number), f"trigger-{number}"
        if not isinstance(item, dict):
            document.faults.problem("wrong_type", path, f"a trigger is an object, not {kind(item)}", step=id_)
            continue
        given = _without_settings(Fields(item, path, document.faults, id_, TRIGGER_KEYS))
        document.faults.unknown_keys(_without_foreign(given, _OF_ANY), TRIGGER_KEYS, path, step=id_)
        yield TriggerDef(id_, given.word("workflowId", required=True) or UNNAMED, given)
