"""Whether what a step is given fits what it takes: field by field, as far as both are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final

from msgspec import Struct

from perdure.dialects.phases.document import StepDef
from perdure.dialects.phases.types import (
    Type,
    as_typescript,
    at_path,
    constant,
    list_of,
    object_of,
    part_of,
    within,
)
from perdure.dialects.phases.values import Place
from perdure.expressions.assignability import Mismatch, mismatches
from perdure.expressions.refs import Ref, Segment, refs_in
from perdure.expressions.shapes import Literals, Record, Sequence, Shape, Unknown, kind_of
from perdure.expressions.shapes import kind as kind_of_shape
from perdure.expressions.wording import near, pointer
from perdure.model.values import Json

_ARRAY: Final = {"type": "array"}
_NOT_OF_TYPES: Final = ("required", "keys allowed", " item")
"""Of reasons that the two types do not show when they are written out."""
_NAMES_MAX: Final = 300
"""Of more names than that, nobody looks for the one that is meant."""
_TOLD_MAX: Final = 12
_DEPTH_MAX: Final = 5
"""So deep it is asked for what a step requires; types may go on for ever."""


class Check(Struct):
    """`required` are the paths into the input of the workflow without which some step cannot run."""

    step: StepDef
    place: Place
    required: list[tuple[str, ...]]

    def given(self, given: Json, takes: Type) -> None:
        """All of an input that is written out."""
        self._value(given, takes, self.step.fields.at("input"), (), needed=True)

    def implied(self, came: Type, takes: Type, ref: str, *, from_input: bool) -> None:
        """What the phase before came to, where no input is written."""
        if from_input:
            self.required.extend(_required(takes))
        self._compare(came, takes, self.step.fields.path, "input", ref)

    def time(self, given: str, key: str) -> None:
        type_, ref = self.place.type_of_text(given)
        if ref is not None:
            takes = Type({"type": ["string", "number", "null"]})
            self._compare(type_, takes, f"{self.step.fields.at('sleep')}/{key}", key, ref.text)

    def _value(self, given: Json, takes: Type, path: str, field: tuple[str, ...], *, needed: bool) -> None:
        if isinstance(given, str):
            type_, ref = self.place.type_of_text(given)
            if ref is not None and needed and ref.name == "input":
                self._require(ref, takes)
            doubted = needed and type_.is_known  # of what is not known at all, that has been told
            self._compare(type_, takes, path, _name(field), None if ref is None else ref.text, needed=doubted)
            return
        match given, [shape for shape in takes.shapes() if _may_be(shape, given)]:
            case dict(), [Record() as shape]:
                self._object(given, shape, takes, path, field)
            case list(), [Sequence() as shape]:
                self._array(given, shape, takes, path, field)
            case _:
                self._compare(self._type(given), takes, path, _name(field), None)

    def _object(self, given: dict[str, Json], shape: Record, takes: Type, path: str, field: tuple[str, ...]) -> None:
        written = {key: _literal(key) for key in given}
        computed = None in written.values()
        for key, value in given.items():
            name = written[key]
            if name is None:
                continue
            at = f"{path}/{pointer(key)}"
            inner = part_of(takes, (shape,), name)
            if inner is not None:
                self._value(value, inner, at, (*field, name), needed=name in shape.required)
            is_known = name in shape.properties and inner is not None
            if not is_known and not computed:
                refused = shape.rest is False or name in shape.properties
                self._unexpected(name, shape, at, (*field, name), refused=refused, declared=takes.closed)
        for key in shape.required:
            if key not in written.values() and not computed:
                wanted = part_of(takes, (shape,), key) or Type({})
                message = (
                    f"Expected {as_typescript(wanted)} but got nothing: {key!r} is required{_meant(key, given, shape)}"
                )
                self._problem(path, _name((*field, key)), message, expected=wanted.told)

    def _array(self, given: list[Json], shape: Sequence, takes: Type, path: str, field: tuple[str, ...]) -> None:
        places = [part_of(takes, (shape,), number) for number in range(len(given))]
        if len(given) < shape.least or None in places:
            self._compare(self._type(given), takes, path, _name(field), None)
            return
        for number, (item, inner) in enumerate(zip(given, places, strict=True)):
            assert inner is not None
            self._value(item, inner, f"{path}/{number}", (*field, str(number)), needed=False)

    def _type(self, given: Json) -> Type:
        """Of what is written out, as a whole."""
        match given:
            case str():
                return self.place.type_of_text(given)[0]
            case dict():
                names = {key: _literal(key) for key in given}
                if None in names.values():
                    return Type({"type": "object"})
                return object_of({str(names[key]): self._type(value) for key, value in given.items()})
            case list():
                return list_of([self._type(item) for item in given])
            case _:
                return constant(given)

    def _compare(
        self, found: Type, takes: Type, path: str, field: str, ref: str | None, *, needed: bool = False
    ) -> None:
        compare(self.place, found, takes, path, field, ref, needed=needed)

    def _unexpected(
        self, key: str, shape: Record, path: str, field: tuple[str, ...], *, refused: bool, declared: bool
    ) -> None:
        """A key that is not taken: refused, or of no use where keys are declared; elsewhere only if another one is meant."""
        faults = self.place.faults
        known = [name for name, schema in shape.properties.items() if schema is not False]
        is_enough = faults.is_full if refused else faults.has_warned_enough
        meant = None if is_enough or len(known) > _NAMES_MAX else near(key, known)
        if not refused and meant is None and not declared:
            return
        hint = f"; did you mean {meant!r}?" if meant else f"; there are {', '.join(known[:_TOLD_MAX])}" if known else ""
        message = f"{key!r} is nothing that {self.step.name!r} takes{hint}"
        if refused:
            self._problem(path, _name(field), message)
        else:
            faults.warning("unknown_key", path, message, step=self.step.fields.step, field=_name(field))

    def _require(self, ref: Ref, takes: Type) -> None:
        """Up to an item of an array: nobody knows how many there are."""
        path = tuple(str(key) for key in takewhile(_is_key, ref.path))
        if path:
            self.required.append(path)
        if len(path) == len(ref.path):
            self.required.extend((*path, *inner) for inner in _required(takes))

    def _problem(self, path: str, field: str, message: str, *, expected: Json = None) -> None:
        self.place.faults.problem(
            "type_mismatch", path, message, step=self.step.fields.step, field=field, expected=expected
        )


def compare(
    place: Place, found: Type, takes: Type, path: str, field: str, ref: str | None, *, needed: bool = False
) -> None:
    """Tell whether a value of one type fits another. `needed`: it must not be missing."""
    if place.faults.is_full:
        return
    wrong = mismatches(
        found.schema,
        takes.schema,
        source_root=found.whole.schema,
        target_root=takes.whole.schema,
        effort=place.effort,
    )
    if takes.closed:
        wrong = tuple(each for each in wrong if not each.widens)
    lenient = [each for each in wrong if each.warning or (each.narrows and at_path(found, each.path).closed)]
    errors = [each for each in wrong if each not in lenient]
    about = {"step": place.step, "field": field, "ref": ref}
    if errors:
        message = f"Expected {as_typescript(takes)} but got {as_typescript(found)}{_detail(errors)}"
        place.faults.problem("type_mismatch", path, message, **about, expected=takes.told, actual=found.told)
        return
    if found.closed and ref is not None and not found.is_known and not _takes_anything(takes):
        message = f"{ref} is unknown, and {as_typescript(takes)} is needed: whether it fits is not checked"
        place.faults.warning("unchecked", path, message, **about)
    for each in lenient:
        place.faults.warning("may_not_fit", path, _doubt(each, ref or repr(field)), **about)
    if not found.sure and needed:
        message = f"{field!r} is required, and {ref or 'this'} may be missing"
        place.faults.warning("may_be_missing", path, message, **about)


def _takes_anything(takes: Type) -> bool:
    return any(isinstance(shape, Unknown) and not shape.besides for shape in takes.shapes())


def compare_items(place: Place, text: str, path: str) -> None:
    """What a forEach goes over, which has to be an array."""
    found, ref = place.type_of_text(text)
    written = None if ref is None else ref.text
    compare(place, found, Type(_ARRAY), path, "forEach", written, needed=found.is_known)


def _may_be(shape: Shape, given: Json) -> bool:
    """Whether an object or an array, as it is written here, may be of that shape. Of literals, their kind says so."""
    kind = "object" if isinstance(given, dict) else "array"
    match shape:
        case Unknown():
            return kind not in shape.besides
        case Literals():
            return any(kind_of(value) == kind for value in shape.values.values())
        case _:
            return kind_of_shape(shape) == kind


def _meant(key: str, given: dict[str, Json], shape: Record) -> str:
    """Of what is given, what may be meant by it: something else, that nobody takes."""
    others = [name for name in islice(given, _NAMES_MAX) if name not in shape.properties]
    meant = near(key, others)
    return "" if meant is None else f"; {meant!r} is not known here, and may be meant"


def _literal(key: str) -> str | None:
    """A key as it is, with `@@` for `@`; None, if it is computed."""
    parts = refs_in(key)
    return None if any(isinstance(part, Ref) for part in parts) else "".join(map(str, parts))


def _is_key(segment: Segment) -> bool:
    """`length` is one of arrays and texts, too: nobody knows which is meant."""
    return isinstance(segment, str) and segment != "length"


def _records(takes: Type) -> list[Record]:
    """What it takes, if that is an object and nothing else."""
    shapes = [shape for shape in takes.shapes() if not isinstance(shape, Unknown)]
    return [shape for shape in shapes if isinstance(shape, Record)] if len(shapes) == 1 else []


def _required(takes: Type, depth: int = 0) -> Iterator[tuple[str, ...]]:
    """The paths to all that it cannot do without."""
    for name in [name for shape in _records(takes) for name in shape.required]:
        yield (name,)
        inner = within(takes, (name,))
        if isinstance(inner, Type) and depth < _DEPTH_MAX:
            yield from ((name, *rest) for rest in _required(inner, depth + 1))


def _name(field: tuple[str, ...]) -> str:
    return ".".join(field) or "input"


def _detail(errors: list[Mismatch]) -> str:
    """What of it does not fit, where that is not all of it."""
    told = [_sentence(each) for each in errors if each.path or any(word in each.reason for word in _NOT_OF_TYPES)]
    return f": {'; '.join(told[:3])}" if told else ""


def _sentence(each: Mismatch) -> str:
    return f"{each.path} {each.reason}".strip()


def _doubt(each: Mismatch, what: str) -> str:
    """A sentence of its own: `@a.total is a number, …`, `@a.user: 'name' is required …`."""
    is_of_all = not each.path and each.reason.startswith(("is ", "may ", "has "))
    return f"{what}{' ' if is_of_all else ': '}{_sentence(each)}"


def input_schema(required: list[tuple[str, ...]], own: Json) -> Json:
    """What an execution has to be started with: what steps cannot do without, and what the document asks for itself."""
    tree: dict[str, Json] = {}
    for path in required:
        inner = tree
        for name in path:
            inner = inner.setdefault(name, {})
    if not tree or own is False:
        return own
    derived = _object(tree)
    return {**own, "allOf": [*own.get("allOf", ()), derived]} if isinstance(own, dict) else derived


def _object(tree: dict[str, Json]) -> Json:
    inner = {name: _object(part) for name, part in tree.items() if part}
    schema: Json = {"type": "object", "required": list(tree)}
    return {**schema, "properties": inner} if inner else schema
