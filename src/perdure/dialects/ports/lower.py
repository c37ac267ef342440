"""A ports document becomes a model: each step a step, each port a route; one token, and variables that all steps share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, TypeAlias

import msgspec

from perdure.dialects.definitions import generated_name, input_schema
from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.port import Naming
from perdure.dialects.ports import kinds
from perdure.dialects.ports.actions import action
from perdure.dialects.ports.asking import llm
from perdure.dialects.ports.built import SUCCESS, Around, Built
from perdure.dialects.ports.document import SETTINGS, PortsDocument, StepDef, read_document
from perdure.dialects.ports.mapping import assigned, locals_of
from perdure.dialects.ports.names import CONFIG, LOOKUP, RESERVED, names_of
from perdure.dialects.ports.routing import (
    DEFAULT,
    error_routes,
    ports_of,
    routes,
    targets,
    tell_of_ports,
    warn_of_no_success,
)
from perdure.dialects.ports.telling import tell_of_names, tell_of_shape
from perdure.dialects.ports.triggers import triggers_of
from perdure.dialects.secrets import sources, tell_of_secrets
from perdure.dialects.values import constants, objects
from perdure.expressions.wording import shown
from perdure.model.catalog import Catalog
from perdure.model.failure import Category
from perdure.model.secrets import sealed_variable
from perdure.model.steps import Amounts, Fail, Retry, Step
from perdure.model.values import Constant, Expression, Json, Object, Text, Value
from perdure.model.workflow import Entry, Workflow

Build: TypeAlias = Callable[[StepDef, Around], Built]

KINDS: Final[dict[str, Build]] = {
    "trigger": kinds.trigger,
    "llm": llm,
    "condition": kinds.condition,
    "approval": kinds.approval,
    "action": action,
    "loop": kinds.loop,
    "output": kinds.output,
}
_TOLD_MAX: Final = 100
"""So many slugs are listed to whoever comes to one that is not there."""


def lower(value: Json, catalog: Catalog, naming: Naming, faults: Faults) -> Workflow:
    """The model. If `faults` has problems then, it is one of what could be made out, and not to be run."""
    document = read_document(value, faults)
    name = document.name or naming.name or generated_name("ports", value)
    config = document.config
    faults.unknown_keys(config.given, SETTINGS, config.path, only_near=True)
    names = names_of(document, document.id or naming.id)
    setting = document.setting
    policy = setting("retryPolicy")
    retry = retry_policy(policy.within("retryPolicy")) if policy.has("retryPolicy") else Retry()
    strict = setting("strictPorts").flag("strictPorts")
    around = Around(names, catalog, faults, retry, strict, _budget(setting("tokenBudget")))
    steps = _steps(document, around)
    found = triggers_of(document)
    secrets = tuple(sources(setting("secrets").within("secrets")))
    tell_of_names(document, names, faults)
    paths = {step.slug: step.config.path for step in document.steps}
    tell_of_secrets(steps, paths, secrets, catalog, faults, names.sealed)
    first = document.first
    depth_max = setting("maxDepth").whole("maxDepth")
    return Workflow(
        name,
        steps,
        () if first is None else (Entry(_entered(steps, first)),),
        initial=constants(**{CONFIG: _variables(setting("variables"))}),
        output=Expression(names.result()),
        deadline_ms=time_ms(setting("timeout"), "timeout"),
        deadline_pauses=True,
        budget=around.budget,
        depth_max=10 if depth_max is None else depth_max,
        starts=tuple(found.starts),
        schedules=tuple(found.schedules),
        secrets=secrets,
        reserved=tuple(each for name in names.sealed for each in (name, sealed_variable(name))),
        input_schema=input_schema(document.definition),
        lookup=LOOKUP,
        written=tuple(faults.written.items()),
    )


def _steps(document: PortsDocument, around: Around) -> tuple[Step, ...]:
    built = {step.slug: KINDS[step.type](step, around) for step in document.steps}
    first = {slug: (each.parts[0].id if each.parts else slug) for slug, each in built.items()}
    ways = {step.slug: _ways(step, first) for step in document.steps}
    missing = _missing(document, ways, around)
    first |= {slug: slug for slug in missing}
    steps: list[Step] = []
    for step in document.steps:
        tell_of_ports(step, ways[step.slug], built[step.slug].ports)
        warn_of_no_success(step, ways[step.slug], strict=around.strict)
        steps += _connected(step, built[step.slug], ways[step.slug], first, around)
    tell_of_shape(document, ways)
    return (*steps, *(_nowhere(slug, document) for slug in missing))


def _ways(step: StepDef, slugs: Mapping[str, str]) -> dict[str, str | None]:
    """Of a loop, `default` is where `done` leads: `loop` has a meaning of its own where it is not written."""
    ways = targets(ports_of(step), slugs)
    if step.type == "loop" and DEFAULT in ways:
        otherwise = ways.pop(DEFAULT)
        ways.setdefault("done", otherwise)
    return ways


def _connected(
    step: StepDef, built: Built, ways: Mapping[str, str | None], first: Mapping[str, str], around: Around
) -> list[Step]:
    """The step with its ways on, and its parts, which fail as it does."""
    on_error = error_routes(ways, first)
    strictness: Literal["fail", "warn"] = "fail" if around.strict else "warn"
    own = Step(
        step.slug,
        built.work,
        routes(ways, first),
        on_error,
        locals=locals_of(step, around),
        assign=_assign(assigned(step, around), built),
        unrouted=strictness if ways else "end",
        join="any",
        port=SUCCESS if SUCCESS in (built.ports or (SUCCESS,)) else None,
        meta=built.meta,
    )
    parts = [
        msgspec.structs.replace(part, on_error=(*part.on_error, *on_error), locals=own.locals) for part in built.parts
    ]
    return [*parts, own]


def _assign(mapping: Value | None, built: Built) -> Value | None:
    """Add the envelopes of what the step seals to what its `outputMapping` sets."""
    envelopes = objects({sealed_variable(name): envelope for name, envelope in built.sealed})
    if not envelopes.entries:
        return mapping
    return Object((*(mapping.entries if isinstance(mapping, Object) else ()), *envelopes.entries))


def _missing(document: PortsDocument, ways: Mapping[str, Mapping[str, str | None]], around: Around) -> list[str]:
    """Where ports lead that no step stands. It is told, keeps the document from being activated, and fails who comes there."""
    known = dict.fromkeys(step.slug for step in document.steps)
    missing: dict[str, None] = {}
    for step in document.steps:
        for port, slug in ways[step.slug].items():
            if slug is None or slug in known:
                continue
            if slug in document.named:  # it could not be read, which has been told
                missing[slug] = None
                continue
            leads = f"the port {shown(port)} leads to {shown(slug)}, which is not a step{around.names.meant(slug)}"
            path = f"{step.beside.at('nextSteps')}/{port}"
            message = f"{leads}; as long as it does, this stays a draft"
            around.faults.obstacle("unknown_step", path, message, step=step.slug, field=port, ref=slug)
            missing[slug] = None
    return list(missing)


def _nowhere(slug: str, document: PortsDocument) -> Step:
    told = [step.slug for step in document.steps[:_TOLD_MAX]]
    more = len(document.steps) - len(told)
    known = ", ".join(told) + (f" and {more} more" if more else "")
    message = Text(
        (
            Constant("step '"),
            Expression("last.step"),
            Constant(f"' leads to {slug!r}, which is not a step; there are {known}"),
        )
    )
    return Step(slug, Fail(message, "UNKNOWN_STEP", Category.VALIDATION), join="any")


def _entered(steps: tuple[Step, ...], slug: str) -> str:
    """The step itself, or the first of its parts."""
    return next(step.id for step in steps if slug in (step.id, step.part_of))


def _variables(config: Fields) -> Value:
    given = config.object("variables")
    for name in RESERVED:
        if name in given:
            config.within("variables").warning(
                "reserved_key", name, f"{name!r} belongs to the engine, and is not taken from here"
            )
    if b"{{" in msgspec.json.encode(given):
        message = (
            "the variables of a workflow are taken as they are: nothing is there yet that '{{ }}' could be filled with"
        )
        config.warning("not_rendered", "variables", message)
    return Constant({name: value for name, value in given.items() if name not in RESERVED})


def _budget(config: Fields) -> Amounts:
    tokens = config.whole("tokenBudget", least=1)
    return () if tokens is None else (("tokens", tokens),)
