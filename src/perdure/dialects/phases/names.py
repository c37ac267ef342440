"""What refs lead to: `@fetch.output.users[0].id`, `@input.x`, `@item`. Each as an expression of the model, with its type."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from perdure.dialects.phases.document import RESERVED
from perdure.dialects.phases.types import ANYTHING, Type, keys_of, within
from perdure.dialects.values import quoted
from perdure.expressions.refs import Ref, Segment, source
from perdure.expressions.shapes import Record
from perdure.expressions.wording import nearest, shown

_TOLD_MAX: Final = 8
_THE_OUTPUT: Final = "the output of the execution"
_BY_NAME: Final = "execution.workflow"
"""What a workflow is referred to by, as long as nobody knows its id: that of what has no name, and is not saved."""
_CONTEXT: Final = {
    "execution_id": "execution.id",
    "executionId": "execution.id",
    "workflow_id": _BY_NAME,
    "workflowId": _BY_NAME,
    "correlation_id": "execution.correlationId",
    "correlationId": "execution.correlationId",
    "parent_execution_id": "execution.parent",
    "depth": "execution.depth",
}
"""What `@ctx` has."""


def output_of(step: str, continuing: Collection[str]) -> str:
    """An expression: the output of a step; null, if it failed and the phase went on."""
    output = f"steps[{quoted(step)}].output"
    return f"({output} ?? null)" if step in continuing else output


class Way(Struct, frozen=True):
    """The path of a ref into a type; `what` is what that is the type of."""

    type: Type
    path: tuple[Segment, ...]
    what: str


class Led(Struct, frozen=True):
    """Where a ref leads: an expression, and the type of its value."""

    source: str
    type: Type = ANYTHING
    way: Way | None = None

    @property
    def doubt(self) -> str:
        """Why it may lead nowhere all the same; empty, if nothing says so."""
        return "" if self.way is None else _doubt(self.way)


class Astray(Struct, frozen=True):
    """A ref that leads nowhere, and why. `is_name`: what it begins with means something here; else it may be a word of a text."""

    why: str | Way
    is_name: bool = True

    @property
    def message(self) -> str:
        return self.why if isinstance(self.why, str) else _nowhere(self.why)


class Names(Struct, frozen=True):
    """What is known at some place of a document.

    earlier  the steps of the phases before, and the types of their outputs
    phases   the phase of every step, by name
    phase    the one that this place is in
    given    the type of the input of the workflow
    item     what the current item of a forEach is called; None where there is none; `each` is its type
    final    in triggers: the steps of the last phase, whose outputs are that of the execution
    id       the one that the workflow is saved under, if that is known
    continuing  the steps whose output is null if they fail
    """

    earlier: Mapping[str, Type]
    phases: Mapping[str, int]
    phase: int
    given: Type = ANYTHING
    item: str | None = None
    each: Type = ANYTHING
    final: tuple[str, ...] | None = None
    id: str | None = None
    continuing: frozenset[str] = frozenset()

    def led(self, ref: Ref) -> Led | Astray | None:
        """None: it begins with nothing that is known here."""
        match ref.name:
            case "input":
                return _inside("input", self.given, ref.path, "the input")
            case "output":
                return self._output(ref.path)
            case "ctx":
                return self._context(ref.path)
            case "secrets":
                return _secret(ref.path)
            case "item" | "index":
                return self._of_each(ref)
            case name if name == self.item:
                return self._of_each(ref)
            case name if name in self.earlier:
                return self._step(name, ref.path)
            case name if name in self.phases:
                when = "in the same phase" if self.phases[name] == self.phase else "later"
                return Astray(f"Step {name!r} not found in previous phases: it runs {when}")
        return None

    def unknown(self, ref: Ref) -> str:
        """What is to be said of a ref that begins with nothing that is known here."""
        hint = nearest(ref.name, (*self.earlier, *RESERVED))
        if "." in ref.text or "[" in ref.text or hint:
            return f"Step {ref.name!r} not found in previous phases{hint}"
        return f"Step {ref.name!r} not found in previous phases; if {ref.text!r} is meant as text, write {'@' + ref.text!r}"

    def _step(self, name: str, path: tuple[Segment, ...]) -> Led | Astray:
        """`.output` may be left out."""
        rest = path[1:] if path[:1] == ("output",) else path
        root = output_of(name, self.continuing)
        return _inside(root, self.earlier[name], rest, f"the output of step {name!r}")

    def _context(self, path: tuple[Segment, ...]) -> Led | Astray:
        match path:
            case (str() as name,) if name in _CONTEXT:
                found = _CONTEXT[name]
                if found == _BY_NAME and self.id is not None:
                    found = quoted(self.id)
                is_there = not name.startswith(("correlation", "parent"))
                return Led(found, Type({"type": "integer" if name == "depth" else "string"}, sure=is_there))
            case _:
                return Astray(f"'@ctx' has {', '.join(_CONTEXT)}, and nothing else", is_name=bool(path))

    def _of_each(self, ref: Ref) -> Led | Astray:
        if self.item is None:
            return Astray(f"'@{ref.name}' is only known where there is a 'forEach'", is_name=False)
        if ref.name != "index":
            return _inside("item", self.each, ref.path, "the item")
        return (
            Led("index", Type({"type": "integer"}))
            if not ref.path
            else Astray("'@index' is a number, and has no parts")
        )

    def _output(self, path: tuple[Segment, ...]) -> Led | Astray:
        """Of several final steps, their names come first, then the keys of each of them, the last first."""
        if self.final is None:
            return Astray(
                "'@output' is the output of the execution, and only known in triggers; refer to a step: '@name'",
                is_name=False,
            )
        if not path:
            alone = self.earlier[self.final[0]] if len(self.final) == 1 else ANYTHING
            return _inside("output", alone, path, _THE_OUTPUT)
        if len(self.final) == 1:
            return self._only_output(self.final[0], path)
        if path[0] in self.final:
            return self._step(str(path[0]), path[1:])
        found = [
            _inside(output_of(name, self.continuing), self.earlier[name], path, f"the output of step {name!r}")
            for name in reversed(self.final)
        ]
        led = [each for each in found if isinstance(each, Led)]
        if not led:
            known = ", ".join(self.final)
            return Astray(
                f"{shown(str(path[0]))} is not in the output of the execution: neither is it the name of one of its "
                f"steps ({known}), nor has one of them such a key"
            )
        return _first_of(led)

    def _only_output(self, name: str, path: tuple[Segment, ...]) -> Led | Astray:
        """Of one final step its keys come first, because its output is all there is; then its name, as if there were more."""
        own = _inside("output", self.earlier[name], path, _THE_OUTPUT)
        if path[0] != name or path[0] in keys_of(self.earlier[name]):
            return own
        found = [each for each in (own, self._step(name, path[1:])) if isinstance(each, Led)]
        return _first_of(found) if found else own


def _first_of(led: list[Led]) -> Led:
    """The first of them that is there."""
    if len(led) == 1:
        return led[0]
    sources = ", ".join(each.source for each in led)
    return Led(f"[{sources}].find(found => found !== undefined)")


def _inside(root: str, type_: Type, path: tuple[Segment, ...], what: str) -> Led | Astray:
    found, way = within(type_, path), Way(type_, path, what)
    return Led(source(root, path), found, way) if isinstance(found, Type) else Astray(way)


def _nowhere(way: Way) -> str:
    found = within(way.type, way.path)
    assert isinstance(found, int)
    outer = within(way.type, way.path[:found])
    assert isinstance(outer, Type)
    known = keys_of(outer)
    segment = way.path[found]
    where = way.what if not found else f"{way.what}, at {'.'.join(map(str, way.path[:found]))}"
    optional = _as_optional(outer, segment)
    if not known:
        return f"{shown(str(segment))} is not in {where}{optional}"
    hint = (
        nearest(str(segment), known)
        or f"; there are {', '.join(known[:_TOLD_MAX])}{', …' if len(known) > _TOLD_MAX else ''}"
    )
    return f"{shown(str(segment))} is not in {where}{hint}{optional}"


def _as_optional(type_: Type, segment: Segment) -> str:
    """The way out where an object names all of its keys, and this is none of them."""
    records = [shape for shape in type_.shapes() if isinstance(shape, Record)]
    if not isinstance(segment, str) or not records or any(segment in shape.properties for shape in records):
        return ""
    key = segment if segment.isidentifier() else shown(segment)
    return f"; if it may be there, declare it optional{f', as {key}?: …' if type_.closed else ''}"


def _doubt(way: Way) -> str:
    """Of a key that may be there, as any other may, but is much like one that is named."""
    for number, segment in enumerate(way.path):
        outer = within(way.type, way.path[:number])
        known = keys_of(outer) if isinstance(outer, Type) and isinstance(segment, str) else []
        hint = nearest(str(segment), known) if segment not in known else ""
        if hint:
            return f"{shown(str(segment))} is not named in {way.what}, and may not be there{hint}"
    return ""


def _secret(path: tuple[Segment, ...]) -> Led | Astray:
    match path:
        case (str() as name,):
            return Led(source("secrets", (name,)), Type({"type": "string"}))
        case _:
            return Astray("a secret is named: '@secrets.NAME'")
