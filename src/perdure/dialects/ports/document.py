"""The shape of a ports document, in each of the ways in which the seeds write one. What does not fit is told, and left out of
what comes back.

stored         {name, config?, triggers?, steps: [...]}
template       {workflow | template | definition: {name, …}, steps: [...]}, or the two one after the other: [{name, …}, [...]]
inline         {workflowConfig: {name, config?}, stepsConfig: [...], input?, triggeredBy?, triggerData?}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from perdure.dialects.faults import Faults, at
from perdure.dialects.fields import Fields
from perdure.expressions.wording import kind, nearest, shown
from perdure.model.values import Json

STEP_TYPES: Final = ("trigger", "llm", "condition", "approval", "action", "loop", "output")
STATUSES: Final = ("draft", "active", "inactive", "archived")
TEMPLATES: Final = ("workflowConfig", "workflow", "template", "definition")
"""Where the definition may stand apart from its steps."""

SETTINGS: Final = ("timeout", "retryPolicy", "variables", "secrets", "strictPorts", "tokenBudget", "maxDepth")
"""What `config` may say of the whole workflow."""

_LISTS: Final = ("stepsConfig", "steps")
_SAME_TYPES: Final = {"start": "trigger"}
_DEFINITION_KEYS: Final = (
    *("dialect", "id", "name", "description", "version", "status", "config", "metadata", "triggers", "organizationId"),
    *("steps", "stepsConfig", "inputSchema", *SETTINGS),
)
_STEP_KEYS: Final = (
    *("stepSlug", "name", "description", "stepType", "order", "config", "nextSteps", "inputMapping", "outputMapping"),
    *("metadata", "retryPolicy", "timeout", "organizationId", "wfDefinitionId"),
)
_SLUG_MAX: Final = 100


class StepDef(Struct, frozen=True):
    """`beside` are the fields of the step itself, `config` those of what it does."""

    slug: str
    type: str
    name: str
    order: float
    config: Fields
    beside: Fields


class PortsDocument(Struct, frozen=True):
    """`definition` are the fields of the workflow, `config` those that stand in its `config`. The steps are in their order."""

    name: str | None
    id: str | None
    definition: Fields
    config: Fields
    steps: tuple[StepDef, ...]
    named: frozenset[str]
    """Every slug that the document has, also of steps that could not be read."""

    @property
    def first(self) -> str | None:
        """Where it begins: the first trigger, else the first step."""
        triggers = (step.slug for step in self.steps if step.type == "trigger")
        return next(triggers, self.steps[0].slug if self.steps else None)

    def setting(self, key: str) -> Fields:
        """Where a setting of the workflow stands: in its `config`, or beside that."""
        return self.definition if self.definition.has(key) and not self.config.has(key) else self.config


def read_document(value: Json, faults: Faults) -> PortsDocument:
    """What can be made out of it; `faults` says what cannot."""
    template, template_path, listed, list_path = parts(value)
    definition = Fields(template, template_path, faults, known=_DEFINITION_KEYS)
    faults.unknown_keys(template, (*_DEFINITION_KEYS, *TEMPLATES), template_path, only_near=True)
    definition.choice("status", STATUSES, "active")  # it is the service that acts on it
    definition.object("metadata")
    steps = _steps(listed, list_path, faults)
    return PortsDocument(
        name=definition.word("name"),
        id=definition.word("id"),
        definition=definition,
        config=definition.within("config"),
        steps=steps,
        named=frozenset(slug for _, item in _items(listed) if (slug := _slug(item))),
    )


def parts(value: Json) -> tuple[dict[str, Json], str, Json, str]:
    """The definition and its path, the list of steps and its path."""
    if isinstance(value, list):
        template = value[0] if value and isinstance(value[0], dict) else {}
        return template, "/0", value[1] if len(value) > 1 else [], "/1"
    assert isinstance(value, dict)
    key = next((key for key in TEMPLATES if isinstance(value.get(key), dict)), None)
    template, path = (value, "") if key is None else (value[key], at("", key))
    holder, within = (value, "") if any(name in value for name in _LISTS) else (template, path)
    name = next((name for name in _LISTS if name in holder), "steps")
    return template, path, holder.get(name, []), at(within, name)


def started_with(value: Json) -> dict[str, Json]:
    """What the body of an inline start brings along: its input, by what and with what it was triggered."""
    if not isinstance(value, dict) or "workflowConfig" not in value:
        return {}
    return {key: value[key] for key in ("input", "triggeredBy", "triggerData") if value.get(key) is not None}


def _items(listed: Json) -> Iterator[tuple[str | int, Json]]:
    """Steps in a list; or in an object, by their slugs."""
    if isinstance(listed, dict):
        for slug, item in listed.items():
            yield slug, {"stepSlug": slug, **item} if isinstance(item, dict) else item
    elif isinstance(listed, list):
        yield from enumerate(listed)


def _slug(item: Json) -> str | None:
    slug = item.get("stepSlug") if isinstance(item, dict) else None
    return slug if isinstance(slug, str) else None


def _steps(listed: Json, path: str, faults: Faults) -> tuple[StepDef, ...]:
    if not isinstance(listed, list | dict):
        faults.problem("wrong_type", path, f"the steps are an array, not {kind(listed)}")
        return ()
    steps: dict[str, StepDef] = {}
    paths: dict[str, str] = {}
    for place, (key, item) in enumerate(_items(listed)):
        slug, own = _slug(item), at(path, key)
        if slug and (other := paths.setdefault(slug, own)) != own:
            message = f"two steps have the slug {shown(slug)}; the other one is {other}"
            faults.problem("duplicate_id", at(own, "stepSlug"), message, step=slug, field="stepSlug")
        step = _step(item, own, place, faults)
        if step is not None:
            steps.setdefault(step.slug, step)
    if not listed:
        faults.warning("no_steps", path, "there are no steps; an execution completes at once")
    return tuple(sorted(steps.values(), key=lambda step: step.order))


def _step(item: Json, path: str, place: int, faults: Faults) -> StepDef | None:
    if not isinstance(item, dict):
        faults.problem("wrong_type", path, f"a step is an object, not {kind(item)}")
        return None
    beside = Fields(item, path, faults, _slug(item) or "", _STEP_KEYS)
    slug, step_type = beside.word("stepSlug", required=True), _type(beside)
    faults.unknown_keys(item, _STEP_KEYS, path, step=beside.step, only_near=True)
    name, order = beside.word("name"), _order(beside, place)
    config = beside.within("config")
    if slug is None or step_type is None:
        return None
    if len(slug) > _SLUG_MAX or "/" in slug:
        message = f"{shown(slug)} is no slug: take up to {_SLUG_MAX} characters without '/', like send_email"
        beside.problem("invalid_name", "stepSlug", message)
        return None
    named = name or config.given.get("name")
    return StepDef(slug, step_type, named if isinstance(named, str) else slug, order, config, beside)


def _type(beside: Fields) -> str | None:
    found = beside.word("stepType", required=True)
    if found is None:
        return None
    known = _SAME_TYPES.get(found, found)
    if known in STEP_TYPES:
        return known
    hint = nearest(found.lower(), STEP_TYPES)
    message = f"there is no type of step {shown(found)}{hint}; known are {', '.join(STEP_TYPES)}"
    beside.problem("unknown_type", "stepType", message)
    return None


def _order(beside: Fields, place: int) -> float:
    """Where it stands, if it does not say."""
    found = beside.given.get("order")
    if found is None:
        return place
    if isinstance(found, bool) or not isinstance(found, int | float):
        beside.wrong("order", "a number")
        return place
    return found
