"""The names of templates and expressions, and what the model calls them.

`steps.a.output.data` is `steps.a.output` there, `lastOutput.data` is `latest.output`, `loop.ownerStepSlug` is `loop.owner`; a
bare name is looked for in one place after the other (`LOOKUP`), which `names` stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec
from msgspec import Struct

from perdure.dialects.ports.document import PortsDocument, StepDef
from perdure.dialects.values import quoted
from perdure.expressions.protocol import Path
from perdure.expressions.renaming import Instead, rewritten
from perdure.expressions.wording import nearest
from perdure.model.secrets import SEALED, sealed_variable
from perdure.model.values import Json

CONFIG: Final = "config"
"""The variable that holds `config.variables`."""

LOOKUP: Final = (("local",), ("vars",), ("vars", CONFIG), ("input",), ("latest", "output"))
"""Step-local names, what was set, the workflow's own variables, the input, the data of the last output."""

RESERVED: Final = ("steps", "lastOutput", "loop", "organizationId", "input", "secrets")
"""Roots that come from the engine alone."""

ROOTS: Final = (*RESERVED, CONFIG, "workflow", "now", "nowMs")
VARIABLES: Final = "variables"
"""The root itself, as `variables.x`, unless the document or the input has something of that name."""

OF_ENGINE: Final = ("workflowId", "executionId", "wfDefinitionId", "userId")
"""Names that the engine gives a value to where nothing else has."""

_NESTED_MAX: Final = 8
_ALIKE_MAX: Final = 1_000
OF_WORKFLOW: Final = ("id", "name", "version", "executionId", "input", "output", "variables", "metadata")
OF_STEP: Final = ("stepType", "name", "output", "error", "port")
OF_OUTPUT: Final = ("type", "data", "meta")


class Names(Struct, frozen=True):
    """What a document has names for.

    types, titles  of each step
    items, indexes extra names for what a loop hands out, and the slugs of those that say so
    outputs        the slugs of the output steps
    defined        names that the document itself gives to something
    maps_variables whether an `inputMapping` gives a step the name `variables`
    sealed         names of variables that are set with `secure`, and the first step that does so
    """

    types: Mapping[str, str]
    titles: Mapping[str, str]
    items: Mapping[str, tuple[str, ...]] = {}
    indexes: Mapping[str, tuple[str, ...]] = {}
    outputs: tuple[str, ...] = ()
    defined: frozenset[str] = frozenset()
    maps_variables: bool = False
    sealed: Mapping[str, str] = {}
    id: str | None = None
    metadata: Json = None

    def meant(self, slug: str) -> str:
        """The end of a message about a step that is not there. Among very many, nobody looks for one that is alike."""
        return nearest(slug, self.types) if len(self.types) <= _ALIKE_MAX else ""

    def rename(self, source: str) -> str:
        """Raises `InvalidExpression`."""
        return rewritten(source, self.instead)

    def rename_result(self, source: str, type_: str) -> str:
        """Of an `outputMapping`: `output` is the envelope of this step, `data` and `result` are its data."""
        return rewritten(source, lambda path: self._of_result(path, type_))

    def instead(self, path: Path) -> Instead | None:
        """What the model has in place of a path, or of the beginning of it."""
        match path:
            case ("steps", slug, *rest):
                count, read = self._of_step(slug, tuple(rest))
                return 2 + count, read
            case ("steps",):
                return 1, self._all_steps()
            case ("lastOutput", *rest):
                count, read = self._envelope("latest", self._type_of_latest, tuple(rest), "null")
                return 1 + count, read
            case ("loop", *rest):
                return self._loop(tuple(rest))
            case ("organizationId", *_):
                return 1, "execution.organization"
            case ("input", *_):
                return None
            case ("config", *_):
                return 1, f"vars.{CONFIG}"
            case ("workflow", *rest):
                count, read = self._of_workflow(tuple(rest))
                return 1 + count, read
            case ("variables", *rest) if VARIABLES not in self.defined:
                return self._root(tuple(rest))
            case _:
                return 1, self._bare(path[0])

    def _root(self, rest: Path) -> Instead:
        """Read `variables.x` as the root's `x`, unless the step or the input has a value for `variables` itself."""
        own = f"input.{VARIABLES}"
        if self.maps_variables:
            own = f"(local.{VARIABLES} !== undefined ? local.{VARIABLES} : {own})"
        match rest:
            case ("secrets", *_):
                return 2, f"{own}.secrets"
            case (name, *further) if name in RESERVED:
                count, read = self.instead(rest) or (1, name)
                place = "".join(f"[{quoted(key)}]" for key in (name, *further)[:count])
                return 1 + count, f"({own} !== undefined ? {own}{place} : {read})"
            case (name, *_):
                return 2, f"({own} !== undefined ? {own}[{quoted(name)}] : {_variable(name)})"
            case _:
                return 1, f"({own} !== undefined ? {own} : {self._of_workflow((VARIABLES,))[1]})"

    def _of_step(self, slug: str, rest: Path) -> Instead:
        step = f"steps[{quoted(slug)}]"
        if slug not in self.types:
            return 0, "undefined"
        match rest:
            case ("output", *further):
                count, read = self._envelope(step, lambda: quoted(self.types[slug]), tuple(further), "undefined")
                return 1 + count, read
            case ("stepType" | "name" as part, *_):
                value = self.types[slug] if part == "stepType" else self.titles[slug]
                return 1, f"({step} === undefined ? undefined : {quoted(value)})"
            case ("error" | "port" as part, *_):
                return 1, f"{step}.{part}"
            case (_, *_):
                return 1, "undefined"
            case _:
                return 0, self._entry(slug)

    def _entry(self, slug: str) -> str:
        step, type_ = f"steps[{quoted(slug)}]", quoted(self.types[slug])
        _, output = self._envelope(step, lambda: type_, (), "undefined")
        return (
            f"({step} === undefined ? undefined : {{stepType: {type_}, name: {quoted(self.titles[slug])}, "
            f"output: {output}, error: {step}.error}})"
        )

    def _all_steps(self) -> str:
        """Those that have an outcome: others are no keys of it."""
        entries = (
            f"...(steps[{quoted(slug)}] === undefined ? {{}} : {{{quoted(slug)}: {self._entry(slug)}}})"
            for slug in self.types
        )
        return f"({{{', '.join(entries)}}})"

    def _envelope(self, outcome: str, type_: Callable[[], str], rest: Path, nothing: str) -> Instead:
        """`{type, data, meta}` of an outcome, or a part of it. Its type is asked for only where it is wanted."""
        match rest:
            case ("data", *_):
                return 1, f"{outcome}.output"
            case ("meta", *_):
                return 1, f"{outcome}.meta"
            case ("type", *_):
                return 1, f"({outcome}.output === undefined ? undefined : {type_()})"
            case (_, *_):
                return 1, "undefined"
            case _:
                whole = f"{{type: {type_()}, data: {outcome}.output, meta: {outcome}.meta}}"
                return 0, f"({outcome}.output === undefined ? {nothing} : {whole})"

    def _type_of_latest(self) -> str:
        by_slug = ", ".join(f"{quoted(slug)}: {quoted(type_)}" for slug, type_ in self.types.items())
        return f"({{{by_slug}}})[latest.step]"

    def _loop(self, rest: Path) -> Instead | None:
        up = next((number for number, part in enumerate(rest) if part != "parent"), len(rest))
        if rest[up : up + 1] == ("ownerStepSlug",):
            return 2 + up, ".".join(("loop", *rest[:up], "owner"))
        if up < len(rest):
            return None
        return 1 + up, _whole_loop(".".join(("loop", *rest)))

    def _of_workflow(self, rest: Path) -> Instead:
        match rest:
            case ("input", *_):
                return 1, "input"
            case ("variables", name, *_):
                return 2, _variable(name)
            case ("variables",):
                hidden = (*RESERVED, *map(sealed_variable, self.sealed))
                not_there = ", ".join(f"{quoted(name) if '/' in name else name}: undefined" for name in hidden)
                own = f"{CONFIG}: {_variable(CONFIG)}"
                return 1, f"({{...input, ...vars.{CONFIG}, ...vars, {own}, {not_there}}})"
            case ("executionId", *_):
                return 1, "execution.id"
            case ("name", *_):
                return 1, "execution.workflow"
            case ("version", *_):
                return 1, "execution.version"
            case ("id", *_):
                return 1, "null" if self.id is None else quoted(self.id)
            case ("metadata", *_):
                return 1, f"({msgspec.json.encode(self.metadata).decode()})"
            case ("output", *_):
                return 1, self.result()
            case (_, *_):
                return 1, "undefined"
            case _:
                parts = ", ".join(f"{part}: {self._of_workflow((part,))[1]}" for part in OF_WORKFLOW)
                return 0, f"({{{parts}}})"

    def result(self) -> str:
        """What an output step came to, the last of them that has run; else the data of the last output."""
        if not self.outputs:
            return "latest.output"
        steps = ", ".join(f"steps[{quoted(slug)}]" for slug in self.outputs)
        newest = "(best, one) => one?.status === 'completed' && (best == null || one.at >= best.at) ? one : best"
        found = f"[[{steps}].reduce({newest}, null)].map(best => best == null ? latest.output : best.output)[0]"
        is_last = f"[{', '.join(map(quoted, self.outputs))}].includes(latest.step)"  # two may end in one millisecond
        return f"({is_last} ? latest.output : {found})"

    def _bare(self, name: str) -> str:
        found = f"names.{name}"
        for given, single, of_batch in ((self.items, "item", "items"), (self.indexes, "index", "index")):
            if name in given:
                found = self._handed_out(given[name], single, of_batch, found)
        if name in OF_ENGINE:
            found = f"({found} !== undefined ? {found} : {self._of_engine(name)})"
        if name in self.items or name in self.indexes:  # names of the step itself are nearer than those of a loop
            return f"(local.{name} !== undefined ? local.{name} : {found})"
        return found

    def _of_engine(self, name: str) -> str:
        match name:
            case "executionId":
                return "execution.id"
            case "userId":
                return "execution.startedBy"
            case "wfDefinitionId":  # what runs inline has no stored definition
                return f"(execution.metadata.isInlineExecution ? null : {self._of_workflow(('id',))[1]})"
            case _:
                return self._of_workflow(("id",))[1]

    def _handed_out(self, slugs: tuple[str, ...], single: str, of_batch: str, otherwise: str) -> str:
        """From the innermost loop that gives it this name. Of a batch of several, it is all of them."""
        depth = min(sum(type_ == "loop" for type_ in self.types.values()), _NESTED_MAX)
        owners = f"[{', '.join(map(quoted, slugs))}]"
        for up in reversed(range(depth)):
            at = ".".join(("loop", *["parent"] * up))
            value = f"({at}.{single} === undefined ? {at}.batch.{of_batch} : {at}.{single})"
            otherwise = f"({owners}.includes({at}.owner) && {at}.batch != null ? {value} : {otherwise})"
        return otherwise

    def _of_result(self, path: Path, type_: str) -> Instead | None:
        match path:
            case ("data" | "result", *_):
                return 1, "output"
            case ("output", "data", *_):
                return 2, "output"
            case ("output", "meta", *_):
                return 2, "meta"
            case ("output", "type", *_):
                return 2, quoted(type_)
            case ("output", _, *_):
                return 2, "undefined"
            case ("output",):
                return 1, f"({{type: {quoted(type_)}, data: output, meta: meta ?? undefined}})"
            case ("port", *_):
                return 1, "port"
            case _:
                return self.instead(path)


def _variable(name: str) -> str:
    """Read a key of the root. Envelopes of sealed variables are no keys of it; `config` is one only if the input has it."""
    key = quoted(name)
    if name.startswith(SEALED):
        return "undefined"
    if name == CONFIG:
        return f"input.{CONFIG}"
    places = [f"{place}[{key}]" for place in ("vars", f"vars.{CONFIG}", "input")]
    return f"({places[0]} !== undefined ? {places[0]} : {places[1]} !== undefined ? {places[1]} : {places[2]})"


def _whole_loop(at: str) -> str:
    parts = ("items", "state", "batch", "item", "index", "parent", "errors")
    listed = ", ".join(f"{part}: {at}.{part}" for part in parts)
    return f"({at} === undefined ? undefined : {{{listed}, ownerStepSlug: {at}.owner}})"


def names_of(document: PortsDocument, id_: str | None) -> Names:
    steps = document.steps
    metadata = document.definition.given.get("metadata")
    return Names(
        types={step.slug: step.type for step in steps},
        titles={step.slug: step.name for step in steps},
        items=_extra(document, "itemVariable"),
        indexes=_extra(document, "indexVariable"),
        outputs=tuple(step.slug for step in steps if step.type == "output"),
        defined=frozenset(_defined(document)),
        sealed={
            name: step.slug
            for step in reversed(steps)
            if sets_variables(step)
            for name in names_sealed(step.config.given)
        },
        maps_variables=any(VARIABLES in _object(step.beside.given.get("inputMapping")) for step in steps),
        id=id_,
        metadata=metadata if isinstance(metadata, dict) else {},
    )


def names_sealed(config: Mapping[str, Json]) -> Iterator[str]:
    """Yield the names that a `set_variables` action sets with `secure`."""
    parameters = _object(config.get("parameters", config))
    given = parameters.get("variables")
    for item in given if isinstance(given, list) else ():
        name = _object(item).get("name")
        if isinstance(name, str) and _object(item).get("secure") is True:
            yield name


def sets_variables(step: StepDef) -> bool:
    return step.type == "action" and step.config.given.get("type") == "set_variables"


def names_set(config: Mapping[str, Json]) -> Iterator[str]:
    """Yield the names that a `set_variables` action sets, in each of the ways in which it may say so."""
    parameters = config.get("parameters", config)
    given = parameters.get("variables", parameters) if isinstance(parameters, dict) else None
    if isinstance(given, dict):
        yield from given
    elif isinstance(given, list):
        yield from (item["name"] for item in given if isinstance(item, dict) and isinstance(item.get("name"), str))


def _defined(document: PortsDocument) -> Iterator[str]:
    """Yield the names that the document itself gives to something, but for those of single steps."""
    yield from _object(document.setting("variables").given.get("variables"))
    for step in document.steps:
        yield from _object(step.beside.given.get("outputMapping"))
        for key in ("itemVariable", "indexVariable"):
            if isinstance(step.config.given.get(key), str):
                yield step.config.given[key]
        if sets_variables(step):
            yield from names_set(step.config.given)


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _extra(document: PortsDocument, key: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for step in document.steps:
        name = step.config.given.get(key) if step.type == "loop" else None
        if isinstance(name, str) and name:
            found[name] = (*found.get(name, ()), step.slug)
    return found
