"""A phases document becomes a model: each step a step, and after a phase of several a barrier that waits for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from perdure.dialects import definitions
from perdure.dialects.faults import Faults
from perdure.dialects.phases.checking import Check, compare_items, input_schema
from perdure.dialects.phases.document import PhasesDocument, StepDef, read_document
from perdure.dialects.phases.names import Names, output_of
from perdure.dialects.phases.signatures import Signature, signature_of
from perdure.dialects.phases.sleeping import sleep
from perdure.dialects.phases.triggers import chain
from perdure.dialects.phases.types import ANYTHING, Type, array_of, items_of, object_of, or_null
from perdure.dialects.phases.values import Place, is_ref
from perdure.dialects.policies import retry_policy, time_ms
from perdure.dialects.port import Naming
from perdure.dialects.secrets import sources, tell_of_secrets
from perdure.dialects.transforms import transform_task
from perdure.dialects.values import objects
from perdure.expressions.shapes import Effort
from perdure.expressions.wording import shown
from perdure.model.catalog import Catalog
from perdure.model.steps import Compute, ForEach, Retry, Route, Step, Task, Timer
from perdure.model.values import EMPTY, Expression, Json, Value
from perdure.model.workflow import Chain, Entry, Workflow

ITEMS_MAX: Final = 100
"""So many items a forEach has at most, if nobody says otherwise."""

ON_ERROR: Final = ("fail", "continue")
_DEPTH_MAX: Final = 10


def lower(value: dict[str, Json], catalog: Catalog, naming: Naming, faults: Faults) -> Workflow:
    """The model. If `faults` has problems then, it is one of what could be made out, and not to be run."""
    document = read_document(value, faults)
    definition = document.definition
    name = document.name or naming.name or definitions.generated_name("phases", value)
    own_schema = definitions.input_schema(definition)
    given = ANYTHING if own_schema is None else Type(own_schema)
    made = _Made(document, catalog, faults, given, document.id or naming.id)
    steps = tuple(made.steps())
    chains = tuple(made.chains())
    secrets = tuple(sources(definition.within("secrets")))
    paths = {step.name: step.fields.at("input") for step in document.steps}
    if made.effort.is_spent:
        message = "comparing the types of this document takes too long: not all that steps are given is checked"
        faults.warning("unchecked", "", message)
    tell_of_secrets(steps, paths, secrets, catalog, faults)
    depth_max = definition.whole("maxDepth")
    return Workflow(
        name,
        steps,
        (Entry(steps[0].id),) if steps else (),
        output=made.came if steps else None,
        on_failure="drain",
        names_failed=True,
        deadline_ms=time_ms(definition, "timeout"),
        depth_max=_DEPTH_MAX if depth_max is None else depth_max,
        chains=chains,
        secrets=secrets,
        written=tuple(faults.written.items()),
        input_schema=input_schema(made.required, own_schema),
        schemas=made.schemas,
    )


class _Made:
    """The steps of a document, phase after phase: what a phase comes to is known when its steps are."""

    def __init__(
        self, document: PhasesDocument, catalog: Catalog, faults: Faults, given: Type, id_: str | None
    ) -> None:
        self._document, self._catalog, self._faults, self._given, self._id = document, catalog, faults, given, id_
        self._strict = document.definition.flag("strictTypes")
        self._phases = {step.name: step.phase for step in document.steps}
        self._types: dict[str, Type] = {}
        self._unsaid: dict[str, tuple[str, str]] = {}
        self._read: set[str] = set()
        self.effort = Effort()
        self.schemas: dict[str, Json] = {}
        self.required: list[tuple[str, ...]] = []
        self.came: Value = Expression("input ?? {}")
        self._came_type, self._came_ref = given, "@input"
        self._came_from: tuple[str, ...] = ()
        self._continuing: set[str] = set()

    def steps(self) -> Iterator[Step]:
        phases, following = self._document.phases, _entered(self._document)
        if phases and len(phases[0]) > 1:
            yield Step(following[0][0], Compute(), (Route(tuple(step.name for step in phases[0])),))
        for number, phase in enumerate(phases):
            after = following[number + 1] if number + 1 < len(phases) else ()
            barrier = _barrier(number, self._phases)
            onward = Route((barrier,)) if len(phase) > 1 else Route(after)
            signatures = {step.name: self._signature(step) for step in phase}
            for step in phase:
                on_error = (onward,) if step.continues else ()
                yield replace(self._step(step, signatures[step.name]), routes=(onward,), on_error=on_error)
            if len(phase) > 1:
                yield Step(barrier, Compute(), (Route(after),) if after else ())
            self._come(phase, signatures)

    def _signature(self, step: StepDef) -> Signature:
        found = signature_of(step, self._catalog, self._faults, strict=self._strict)
        self.schemas[step.name] = found.told
        self._unsaid[step.name] = found.unsaid, found.task
        return found

    def _come(self, phase: Sequence[StepDef], signatures: Mapping[str, Signature]) -> None:
        """What is known after a phase."""
        for step in phase:
            gives = signatures[step.name].gives
            nullable = step.fields.given.get("onError") == "continue"
            if step.repeats:
                self._types[step.name] = array_of(gives, nullable=nullable)
            else:
                self._types[step.name] = or_null(gives) if nullable else gives
            if step.continues:
                self._continuing.add(step.name)
            self.schemas[step.name]["output"] = self._types[step.name].told
        self._came_from = tuple(step.name for step in phase)
        outputs = {step.name: Expression(output_of(step.name, self._continuing)) for step in phase}
        if len(phase) == 1:
            (only,) = phase
            self.came, self._came_type, self._came_ref = (
                outputs[only.name],
                self._types[only.name],
                f"@{only.name}.output",
            )
        else:
            self.came = objects(dict(outputs))
            by_name = object_of({step.name: self._types[step.name] for step in phase})
            # What the key is of a step whose name cannot be used, nobody knows.
            self._came_type = by_name if all(step.is_named for step in phase) else ANYTHING
            self._came_ref = " and ".join(f"@{name}.output" for name in outputs)

    def _step(self, step: StepDef, signature: Signature) -> Step:
        names = Names(
            dict(self._types),
            self._phases,
            step.phase,
            self._given,
            id=self._id,
            continuing=frozenset(self._continuing),
        )
        place = Place(names, self._faults, step.fields.step, self.effort, self._read)
        each = None
        if step.repeats:
            each, item = self._each(step, Check(step, place, self.required))
            place = replace(place, names=replace(names, item=step.item, each=item))
        _tell_of_oddities(step)
        check = Check(step, place, self.required)
        return Step(step.name, self._work(step, signature, check), each=each, warn_undefined=True)

    def _work(self, step: StepDef, signature: Signature, check: Check) -> Task | Timer:
        match step.kind:
            case "sleep":
                return sleep(step, check)
            case None:
                if step.fields.has("sleep"):
                    sleep(step, check)
                return self._tool(step, signature, check)
            case "tool":
                return self._tool(step, signature, check)
            case "transform":
                given, fields = self._input(step, signature, check), step.fields
                return transform_task(signature.code, given, time_ms(fields, "timeout"), fields)

    def _tool(self, step: StepDef, signature: Signature, check: Check) -> Task:
        given, fields = self._input(step, signature, check), step.fields
        retry = retry_policy(fields.within("retry")) if fields.has("retry") else Retry()
        return Task(signature.task, given, retry, time_ms(fields, "timeout"))

    def _input(self, step: StepDef, signature: Signature, check: Check) -> Value:
        """What is written, else what the phase before came to."""
        fields = step.fields
        if not fields.has("input"):
            if signature.takes is not None:
                self._read.update(self._came_from)
                check.implied(self._came_type, signature.takes, self._came_ref, from_input=step.phase == 0)
            return self.came
        given = fields.given["input"]
        if not isinstance(given, dict) and not is_ref(given):
            fields.wrong("input", "an object, or one ref")
            return EMPTY
        value = check.place.value(given, fields.at("input"), "input", secrets=step.kind in ("tool", None))
        if signature.takes is not None:
            check.given(given, signature.takes)
        return value

    def _each(self, step: StepDef, check: Check) -> tuple[ForEach, Type]:
        fields = step.fields
        concurrency, most = fields.whole("concurrency", 1), fields.whole("maxIterations", 1)
        on_error = fields.choice("onError", ON_ERROR, "fail")
        if step.item in self._phases:
            fields.problem("reserved_name", "as", f"{shown(step.item)} is a step; call the item something else")
        given = fields.given["forEach"]
        if not is_ref(given):
            fields.wrong("forEach", "a ref to an array, like '@fetch.output.items'")
            return ForEach(EMPTY), ANYTHING
        items = check.place.value(given, fields.at("forEach"), "forEach")
        compare_items(check.place, given, fields.at("forEach"))
        each = ForEach(
            items,
            concurrency or 1,
            ITEMS_MAX if most is None else most,
            "continue" if on_error == "continue" else "fail",
        )
        return each, items_of(check.place.type_of_text(given)[0])

    def chains(self) -> Iterator[Chain]:
        final = tuple(step.name for step in self._document.phases[-1]) if self._document.phases else ()
        phase = len(self._document.phases)
        names = Names(
            self._types,
            self._phases,
            phase,
            self._given,
            final=final,
            id=self._id,
            continuing=frozenset(self._continuing),
        )
        for trigger in self._document.triggers:
            yield chain(trigger, Place(names, self._faults, trigger.id, self.effort, self._read))
        self._tell_of_unsaid(final)

    def _tell_of_unsaid(self, final: tuple[str, ...]) -> None:
        """Of what is read although nobody says what it is. In triggers, `@output` reads all that the last phase came to."""
        read = self._read | set(final) if "output" in self._read else self._read
        for step in self._document.steps:
            unsaid, task = self._unsaid.get(step.name, ("", ""))
            if unsaid and step.name in read:
                self._faults.warning(
                    "unchecked", step.fields.at("tool"), unsaid, step=step.fields.step, field="tool", ref=task
                )


def _tell_of_oddities(step: StepDef) -> None:
    fields = step.fields
    if step.kind in ("transform", "sleep") and fields.has("retry"):
        message = f"only a tool step can be retried; a {step.kind} comes to the same each time"
        fields.problem("no_retry", "retry", message)
    if step.kind == "sleep":
        for key in ("input", "timeout"):
            if fields.has(key):
                fields.warning("no_effect", key, f"{key!r} has no effect on a sleep")
    if not step.repeats:
        fields.choice("onError", ON_ERROR, "fail")
        for key in ("maxIterations", "concurrency"):
            if fields.has(key):
                fields.warning("no_effect", key, f"{key!r} has an effect only beside 'forEach'")
    elif step.kind != "sleep" and not fields.has("input"):
        message = "every item is given the same, what the phase before came to; write 'input', with '@item' in it"
        fields.warning_here("no_item", "input", message)


def _entered(document: PhasesDocument) -> list[tuple[str, ...]]:
    """The steps that each phase begins with; of the first, the one before them if they are several."""
    names = {step.name for step in document.steps}
    entered = [tuple(step.name for step in phase) for phase in document.phases]
    if entered and len(entered[0]) > 1:
        entered[0] = (_free("start", names),)
    return entered


def _barrier(phase: int, names: Mapping[str, int]) -> str:
    return _free(f"phase {phase}", names)


def _free(name: str, names: Mapping[str, int] | set[str]) -> str:
    while name in names:
        name = f"{name}'"
    return name
