"""An orchestration document becomes a model: each step a step, each transition a route, and variables that all steps share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from perdure.dialects.definitions import generated_name, input_schema
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.orchestration import kinds
from perdure.dialects.orchestration.branches import followers, tell_of_endless, with_handlers
from perdure.dialects.orchestration.built import Around, Built
from perdure.dialects.orchestration.compensations import compensations_of
from perdure.dialects.orchestration.document import (
    Orchestration,
    StepDef,
    read_document,
    tell_of_other_words,
    version_of,
)
from perdure.dialects.orchestration.handed import Handed, with_handed
from perdure.dialects.orchestration.mistaken import tell_of_braces, tell_of_names
from perdure.dialects.orchestration.names import Names
from perdure.dialects.orchestration.parallel import begin_id, ends, parallel
from perdure.dialects.orchestration.telling import tell_of_conditions, tell_of_shape
from perdure.dialects.orchestration.transitions import (
    Leading,
    Ways,
    error_routes,
    mapping_part,
    routes,
    tell_of_targets,
    ways_of,
)
from perdure.dialects.orchestration.triggers import cancels_of, starts_of
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.port import Naming
from perdure.dialects.secrets import sources, tell_of_secrets
from perdure.model.catalog import Catalog
from perdure.model.steps import Retry, Step
from perdure.model.values import Constant, Json
from perdure.model.workflow import Entry, Workflow

Build: TypeAlias = Callable[[StepDef, Ways, Around], Built]

KINDS: Final[Mapping[str, Build]] = {
    "TASK": kinds.task,
    "EVENT_WAIT": kinds.event_wait,
    "DECISION": kinds.decision,
    "CHOICE": kinds.decision,
    "HUMAN_TASK": kinds.human_task,
}
_DEPTH_MAX: Final = 10


def lower(value: dict[str, Json], catalog: Catalog, naming: Naming, faults: Faults) -> Workflow:
    """The model. If `faults` has problems then, it is one of what could be made out, and not to be run."""
    document = read_document(value, faults)
    tell_of_other_words(document)
    definition = document.definition
    id_ = definition.word("id") or naming.id
    name = definition.word("name") or definition.word("id") or naming.name or generated_name("orchestration", value)
    every = tuple(step.id for step in document.every_step)
    names = Names(every, id_ or name, name, version_of(value))
    retry = retry_policy(definition.within("retryPolicy")) if definition.has("retryPolicy") else Retry()
    around = Around(names, catalog, faults, retry)
    ways = {step.id: ways_of(step, around.at(step.id)) for step in document.every_step}
    document = with_handlers(document, ways)
    own = tuple(
        _steps(document, ways, around)
    )  # before the compensations: a shared warning stands at the first of its steps
    undoing = tuple(compensations_of(document.compensations, every, around))
    steps = (*own, *(each.step for each in undoing))
    secrets = tuple(sources(definition.within("secrets")))
    tell_of_shape(document, ways)
    tell_of_endless(document, ways)
    tell_of_conditions(document)
    tell_of_names(document, names, faults)
    tell_of_braces(document, faults)
    paths = {step.id: step.fields.at("input") for step in document.every_step}
    paths |= {fields.step: fields.at("input") for fields in document.compensations}
    tell_of_secrets(steps, paths, secrets, catalog, faults)
    depth_max = definition.whole("maxDepth")
    return Workflow(
        name,
        steps,
        _entries(document),
        initial=Constant(_variables(definition)) if definition.has("variables") else None,
        deadline_ms=time_ms(definition, "timeout"),
        depth_max=_DEPTH_MAX if depth_max is None else depth_max,
        starts=tuple(starts_of(definition)),
        cancels=tuple(cancels_of(definition, around)),
        compensations=tuple(each.how for each in undoing),
        compensate_on_failure=definition.flag("compensateOnFailure"),
        secrets=secrets,
        written=tuple(faults.written.items()),
        input_schema=input_schema(definition),
    )


def _steps(document: Orchestration, ways: Mapping[str, Ways], around: Around) -> Iterator[Step]:
    everything = {step.id: step for step in document.every_step}
    entered = {id_: begin_id(id_) if step.type == "PARALLEL" else id_ for id_, step in everything.items()}
    following = _following(everything.values(), ways)
    made: dict[str, list[Step]] = {}
    handed: dict[str, Handed] = {}
    for step, end in ends(document.steps):
        siblings = {id_: entered[id_] for id_, other in everything.items() if other.branch == step.branch}
        tell_of_targets(ways[step.id], siblings, step, document)
        after = following.get(step.id)
        leading = Leading(siblings, end, end if after is None else (entered[after],))
        built = _built(step, ways[step.id], entered, around.at(step.id))
        made[step.id] = _connected(step, built, ways[step.id], leading)
        failing = ways[step.id].on_failure
        if failing.handler is not None and failing.handler.to in siblings and failing.mapping is not None:
            handed.setdefault(failing.handler.to, Handed()).take(step.id, failing.mapping)
    for id_, parts in made.items():
        yield from (
            with_handed(part, handed[id_], everything[id_]) if part.id == id_ and id_ in handed else part
            for part in parts
        )


def _following(steps: Iterable[StepDef], ways: Mapping[str, Ways]) -> dict[str, str]:
    """For each step of a branch, the one that control falls into after it."""
    found: dict[str, str] = {}
    for step in steps:
        for branch in step.branches:
            found |= followers(branch.steps, ways)
    return found


def _built(step: StepDef, ways: Ways, entered: Mapping[str, str], around: Around) -> Built:
    return parallel(step, entered) if step.type == "PARALLEL" else KINDS[step.type](step, ways, around)


def _connected(step: StepDef, built: Built, ways: Ways, leading: Leading) -> list[Step]:
    """The step with its ways on, and its parts."""
    unrouted: Literal["fail", "warn", "end"] = "fail" if built.fails_unrouted else "warn"
    own = Step(
        step.id,
        built.work,
        routes(step, ways, leading),
        error_routes(step.id, ways, leading),
        ports=built.ports,
        assign=built.assign,
        unrouted=unrouted if ways.goes_on else "end",
        join="all" if built.waits_for_all else "any",
    )
    return [*built.parts, own, *mapping_part(step.id, ways, leading)]


def _entries(document: Orchestration) -> tuple[Entry, ...]:
    if not document.steps:
        return ()
    first = document.steps[0]
    return (Entry(begin_id(first.id) if first.type == "PARALLEL" else first.id),)


def _variables(definition: Fields) -> dict[str, Json]:
    given = definition.object("variables")
    if b"${" in msgspec.json.encode(given):
        message = "the first variables are taken as they are: nothing is there yet that '${ }' could be filled with"
        definition.warning("not_rendered", "variables", message)
    return given
