"""The types of what steps give and take: JSON Schemas, where a path leads in one, and how they are written for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

from msgspec import Struct

from perdure.expressions.assignability import step_to
from perdure.expressions.describing import describe
from perdure.expressions.refs import Segment
from perdure.expressions.shapes import (
    DEPTH_MAX,
    Effort,
    Literals,
    Plain,
    Reader,
    Record,
    Schema,
    Sequence,
    Shape,
    Shapes,
    Unknown,
)
from perdure.expressions.wording import pointer
from perdure.model.values import Json

_DEFINITIONS: Final = ("$defs", "definitions")
_LENGTH: Final = {"type": "integer"}
_OF_VALUES: Final = ("const", "enum")
"""What says values, in which nothing refers to anything."""


class Type(Struct, frozen=True, dict=True):
    """
    schema  what is known of the value; `{}` is everything
    sure    it is never undefined
    closed  objects have no other keys than those that are named, where nothing says otherwise: as a programmer declares them
    root    the type that this one is a part of, whose schema its references lead into; None: it is all there is
    parts   what it was put together of, by the steps that lead there in the path of a mismatch
    """

    schema: Schema
    sure: bool = True
    closed: bool = False
    root: Type | None = None
    parts: Mapping[str, Type] = {}

    @property
    def whole(self) -> Type:
        return self.root or self

    @cached_property
    def reader(self) -> Reader:
        """Of a whole: what has been read of it is known."""
        return Reader(self.schema, Effort())

    @property
    def is_known(self) -> bool:
        """Whether anything is, beside that it may not be null."""
        shapes = self.shapes()
        return not shapes or any(not isinstance(shape, Unknown) for shape in shapes)

    def shapes(self) -> Shapes:
        return self.whole.reader.shapes(self.schema)

    @property
    def told(self) -> Schema:
        """The schema as people and programs are told it: with the definitions that it may refer to."""
        if self.root is None or not isinstance(self.schema, Mapping) or not _refers(self.schema):
            return self.schema
        whole = self.root.schema if isinstance(self.root.schema, Mapping) else {}
        return {**{word: whole[word] for word in _DEFINITIONS if word in whole}, **self.schema}


ANYTHING: Final = Type({}, sure=False)


def within(found: Type, path: tuple[Segment, ...]) -> Type | int:
    """The type at the end of a path; a number, if nothing can be there: that of the first segment that leads nowhere."""
    for number, segment in enumerate(path):
        inner = _member(found, segment)
        if inner is None:
            return number
        found = inner
    return found


def _member(of: Type, segment: Segment) -> Type | None:
    return part_of(of, of.shapes(), segment)


def part_of(of: Type, shapes: Iterable[Shape], segment: Segment) -> Type | None:
    """What is there in values of these shapes, which are some of the type; None, if nothing can be there."""
    found = [_of_shape(shape, segment, closed=of.closed) for shape in shapes]
    there = [each for each in found if each is not None]
    if not there:
        return None
    sure = of.sure and len(there) == len(found) and all(sure for _, sure in there)
    return Type(_united([part for part, _ in there]), sure, of.closed, of.whole)


def _of_shape(shape: Shape, segment: Segment, *, closed: bool) -> tuple[Schema, bool] | None:
    """What is there in a value of that shape, and whether it surely is."""
    match shape:
        case Unknown():
            return {}, False
        case Record():
            return _key(shape, str(segment), closed=closed)
        case Sequence() if isinstance(segment, int):
            inner = shape.at(segment)
            return None if inner is False or segment >= shape.most else (inner, segment < shape.least)
        case Sequence() | Plain("string") if segment == "length":
            return _LENGTH, True
        case Literals() if any(isinstance(value, dict | list) for value in shape.values.values()):
            return {}, False
        case _:
            return None


def _key(shape: Record, name: str, *, closed: bool) -> tuple[Schema, bool] | None:
    if name in shape.properties:
        inner = shape.properties[name]
        return None if inner is False else (inner, name in shape.required)
    if shape.rest is None:
        is_open = not closed or not shape.properties
        return ({}, name in shape.required) if is_open or name in shape.required else None
    return None if shape.rest is False else (shape.rest, name in shape.required)


def _says(schema: Schema) -> bool:
    return isinstance(schema, Mapping) and bool(schema)


def _united(parts: list[Schema]) -> Schema:
    """One of these; everything, if one of them is."""
    different: list[Schema] = []
    for part in parts:
        if not _says(part):
            return {}
        if part not in different:
            different.append(part)
    return different[0] if len(different) == 1 else {"anyOf": different}


def _refers(part: Any, depth: int = 0) -> bool:
    """Whether it may lead out of itself. What is too deep to look at may."""
    if depth > DEPTH_MAX:
        return True
    match part:
        case Mapping():
            return "$ref" in part or any(_refers(value, depth + 1) for value in part.values())
        case list():
            return any(_refers(value, depth + 1) for value in part)
        case _:
            return False


def items_of(found: Type) -> Type:
    """The type of each item of an array; of what may be something else, of what it is if it is one."""
    parts = [part for shape in found.shapes() if isinstance(shape, Sequence) for part in _items(shape)]
    return Type(_united(parts) if parts else {}, closed=found.closed, root=found.whole)


def _items(shape: Sequence) -> Iterator[Schema]:
    yield from shape.first
    if shape.rest is not False:
        yield {} if shape.rest is None else shape.rest


def array_of(item: Type, *, nullable: bool = False) -> Type:
    """An array of these, and of nulls in the places of those that failed."""
    if not _says(item.schema):
        return Type({"type": "array"}, closed=item.closed)
    items: Json = {"anyOf": [item.schema, {"type": "null"}]} if nullable else item.schema
    return Type({"type": "array", "items": items}, closed=item.closed, root=item.whole)


def or_null(type_: Type) -> Type:
    """The same, or null in the place of an output of what failed."""
    if not _says(type_.schema):
        return type_
    schema: Json = {"anyOf": [type_.schema, {"type": "null"}]}
    return Type(schema, sure=type_.sure, closed=type_.closed, root=type_.whole)


def object_of(parts: Mapping[str, Type]) -> Type:
    """What stands under several names, each from somewhere else."""
    known, definitions = _beside(parts)
    required = [name for name, part in parts.items() if part.sure]
    schema = {"type": "object", "properties": known, "required": required, "additionalProperties": False}
    return Type({**schema, **definitions}, parts={step_to(name): part for name, part in parts.items()})


def list_of(parts: list[Type]) -> Type:
    """What stands in several places, each from somewhere else."""
    places, definitions = _beside({str(number): part for number, part in enumerate(parts)})
    schema = {"type": "array", "prefixItems": [*places.values()], "items": False, "minItems": len(places)}
    return Type({**schema, **definitions}, parts={step_to(number): part for number, part in enumerate(parts)})


def _beside(parts: Mapping[str, Type]) -> tuple[dict[str, Schema], dict[str, Json]]:
    """The schemas of several types in one. What refers to something leads into its own whole, which is kept among the definitions
    by the name of the part.
    """
    schemas: dict[str, Schema] = {}
    wholes: dict[str, Json] = {}
    for name, part in parts.items():
        schemas[name] = part.schema
        if _refers(part.schema):
            root = f"#/$defs/{quote(pointer(name), safe='~')}"
            schemas[name] = {"$ref": root} if part.root is None else _led(part.schema, root)
            wholes[name] = _led(part.whole.schema, root)
    return schemas, {"$defs": wholes} if wholes else {}


def _led(part: Any, root: str, depth: int = 0) -> Any:
    """The same with its references leading to where its whole is now. What is too deep to look at allows everything."""
    if depth > DEPTH_MAX:
        return {}
    match part:
        case Mapping():
            return {
                word: f"{root}{inner[1:]}"
                if word == "$ref" and isinstance(inner, str) and inner.startswith("#")
                else inner
                if word in _OF_VALUES
                else _led(inner, root, depth + 1)
                for word, inner in part.items()
            }
        case list():
            return [_led(inner, root, depth + 1) for inner in part]
        case _:
            return part


def at_path(found: Type, path: str) -> Type:
    """Of what was put together, the part that the path of a mismatch leads into."""
    for step, part in found.parts.items():
        if path == step or path.startswith((f"{step}.", f"{step}[")):
            return at_path(part, path.removeprefix(step).removeprefix("."))
    return found


def constant(value: Json) -> Type:
    """The type of what stands in the document."""
    return Type({"const": value})


def keys_of(found: Type) -> list[str]:
    """The keys that are named, and may be there, for messages."""
    records = [shape for shape in found.shapes() if isinstance(shape, Record)]
    return list(
        dict.fromkeys(name for shape in records for name, inner in shape.properties.items() if inner is not False)
    )


def as_typescript(found: Type) -> str:
    """A type as people write it: `{ id: string; name?: string }[]`."""
    return describe(found.schema, found.whole.reader)
