"""Whether what a step is given fits what it takes: field by field, as far as both are known."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from msgspec import Struct

from perdure.dialects.phases.document import StepDef
from perdure.dialects.phases.types import ANYTHING, Type, as_typescript, object_of, within
from perdure.dialects.phases.values import Place
from perdure.expressions.assignability import Mismatch, mismatches
from perdure.expressions.refs import Ref, refs_in
from perdure.expressions.shapes import Effort, Reader, Record, Schema, Sequence, Shape, Unknown
from perdure.expressions.wording import near, pointer
from perdure.model.values import Json

_ARRAY: Final = {"type": "array"}
_NOT_OF_TYPES: Final = ("required", "keys allowed", " item")
"""Of reasons that the two types do not show when they are written out."""
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
            return
        self._compare(came, takes, self.step.fields.path, "input", ref)

    def items(self, text: str) -> None:
        """What a forEach goes over."""
        found, ref = self.place.type_of_text(text)
        self._compare(found, Type(_ARRAY), self.step.fields.at("forEach"), "forEach", None if ref is None else ref.text)

    def time(self, given: Json, key: str) -> None:
        found = self.place.type_of_text(given) if isinstance(given, str) else (Type({}), None)
        type_, ref = found
        if ref is not None:
            takes = Type({"type": ["string", "number", "null"]})
            self._compare(type_, takes, f"{self.step.fields.at('sleep')}/{key}", f"sleep.{key}", ref.text)

    def _value(self, given: Json, takes: Type, path: str, field: tuple[str, ...], *, needed: bool) -> None:
        if isinstance(given, str):
            type_, ref = self.place.type_of_text(given)
            if ref is not None and needed and ref.name == "input":
                self._require(ref, takes)
            doubted = needed and type_ != ANYTHING  # of what is not known at all, that has been told
            self._compare(type_, takes, path, _name(field), None if ref is None else ref.text, needed=doubted)
            return
        shapes = [shape for shape in _shapes(takes) if not isinstance(shape, Unknown)]
        match given, shapes:
            case dict(), [Record() as shape]:
                self._object(given, shape, takes, path, field)
            case list(), [Sequence() as shape]:
                self._array(given, shape, takes, path, field)
            case _:
                self._compare(self._type(given), takes, path, _name(field), None)

    def _object(self, given: dict[str, Json], shape: Record, takes: Type, path: str, field: tuple[str, ...]) -> None:
        computed = any(isinstance(part, Ref) for key in given for part in refs_in(key))
        for key, value in given.items():
            at = f"{path}/{pointer(key)}"
            inner = within(takes, (key,))
            if isinstance(inner, Type):
                self._value(value, inner, at, (*field, key), needed=key in shape.required)
            is_odd = not isinstance(inner, Type) or (key not in shape.properties and near(key, shape.properties))
            if is_odd and not computed:
                closed = shape.rest is False or shape.properties.get(key) is False
                self._unexpected(key, shape, at, (*field, key), closed=closed)
        for key in shape.required:
            if key not in given and not computed:
                inner = within(takes, (key,))
                wanted = inner.schema if isinstance(inner, Type) else {}
                message = f"Expected {as_typescript(wanted)} but got nothing: {key!r} is required"
                self._problem(path, _name((*field, key)), message, expected=wanted)

    def _array(self, given: list[Json], shape: Sequence, takes: Type, path: str, field: tuple[str, ...]) -> None:
        places = [(number, item, within(takes, (number,))) for number, item in enumerate(given)]
        if len(given) < shape.least or any(not isinstance(inner, Type) for _, _, inner in places):
            self._compare(self._type(given), takes, path, _name(field), None)
            return
        for number, item, inner in places:
            assert isinstance(inner, Type)
            self._value(item, inner, f"{path}/{number}", (*field, str(number)), needed=False)

    def _type(self, given: Json) -> Type:
        """Of what is written out, as a whole."""
        match given:
            case str():
                return self.place.type_of_text(given)[0]
            case dict():
                parts = {key: self._type(value) for key, value in given.items()}
                return object_of({key: part for key, part in parts.items() if part.sure})
            case list():
                return Type(
                    {
                        "type": "array",
                        "prefixItems": [self._plain(item) for item in given],
                        "items": False,
                        "minItems": len(given),
                    }
                )
            case _:
                return Type({"const": given})

    def _plain(self, given: Json) -> Schema:
        found = object_of({"it": self._type(given)}).schema
        assert isinstance(found, dict)
        schema: Schema = found["properties"]["it"]
        return schema

    def _compare(
        self, found: Type, takes: Type, path: str, field: str, ref: str | None, *, needed: bool = False
    ) -> None:
        wrong = mismatches(found.schema, takes.schema)
        lenient = [each for each in wrong if each.warning or (each.narrows and found.closed)]
        errors = [each for each in wrong if each not in lenient]
        if errors:
            message = f"Expected {as_typescript(takes.schema)} but got {as_typescript(found.schema)}{_detail(errors)}"
            self._problem(path, field, message, ref=ref, expected=takes.schema, actual=found.schema)
        for each in lenient if not errors else ():
            self._warn("may_not_fit", path, field, _doubt(each, ref or repr(field)), ref)
        if not found.sure and needed and not errors:
            self._warn("may_be_missing", path, field, f"{field!r} is required, and {ref or 'this'} may be missing", ref)

    def _unexpected(self, key: str, shape: Record, path: str, field: tuple[str, ...], *, closed: bool) -> None:
        known = [name for name, schema in shape.properties.items() if schema is not False]
        meant = near(key, known)
        hint = f"; did you mean {meant!r}?" if meant else f"; there are {', '.join(known)}" if known else ""
        message = f"{key!r} is nothing that {self.step.name!r} takes{hint}"
        if closed:
            self._problem(path, _name(field), message)
        else:
            self._warn("unknown_key", path, _name(field), message, None)

    def _require(self, ref: Ref, takes: Type) -> None:
        """Up to an item of an array: nobody knows how many there are."""
        path = tuple(str(key) for key in takewhile(lambda segment: isinstance(segment, str), ref.path))
        if path:
            self.required.append(path)
        if len(path) == len(ref.path):
            self.required.extend((*path, *inner) for inner in _required(takes))

    def _problem(
        self, path: str, field: str, message: str, *, ref: str | None = None, expected: Json = None, actual: Json = None
    ) -> None:
        self.place.faults.problem(
            "type_mismatch", path, message, step=self.step.name, field=field, ref=ref, expected=expected, actual=actual
        )

    def _warn(self, type_: str, path: str, field: str, message: str, ref: str | None) -> None:
        self.place.faults.warning(type_, path, message, step=self.step.name, field=field, ref=ref)


def _shapes(takes: Type) -> tuple[Shape, ...]:
    return Reader(takes.schema, Effort()).shapes(takes.schema)


def _records(takes: Type) -> list[Record]:
    """What it takes, if that is an object and nothing else."""
    shapes = [shape for shape in _shapes(takes) if not isinstance(shape, Unknown)]
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
