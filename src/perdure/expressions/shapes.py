"""What a JSON Schema allows, as a flat list of alternatives: the shapes of its values.

Everything that says "all of" ($ref beside other keywords, allOf, enum, type) is merged and everything that says "one of"
(type lists, anyOf, oneOf, nullable) is spread out, so that who compares or describes schemas meets five shapes and no
keywords. What is inside of an object or an array stays a schema until somebody asks.

A keyword that is not read (pattern, minimum, format, if, and `not` unless it is of null) allows everything: data decides. So
does one that makes no sense, a reference that leads out of the document, and a schema that is nothing but itself; as one of
several alternatives, it adds nothing to the others.

Schemas come from strangers. Reading is bounded in depth and in effort; what lies beyond is unknown, never an exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf
from typing import TypeAlias
from urllib.parse import unquote

from msgspec import Struct

from perdure.model.values import Json

Schema: TypeAlias = Mapping[str, Json] | bool

DEPTH_MAX = 64
EFFORT_MAX = 200_000
PLAIN = ("string", "number", "integer", "boolean", "null")
_OF_OBJECTS = ("properties", "additionalProperties", "patternProperties", "required")
_OF_ARRAYS = ("items", "prefixItems", "additionalItems", "minItems", "maxItems")
_READ = {"type", "const", "enum", "nullable", "$ref", "allOf", "anyOf", "oneOf", *_OF_OBJECTS, *_OF_ARRAYS}
"""The keywords that mean something here."""
_OF_NULL = {"type": "null"}


class Unknown(Struct, frozen=True):
    """Anything that is not of the kinds `besides`. Of "object" and "array" other shapes beside it tell; "null" is not allowed."""

    besides: frozenset[str] = frozenset()


class Plain(Struct, frozen=True):
    """Any value of one of the kinds in `PLAIN`."""

    kind: str


class Literals(Struct, frozen=True):
    """One of these values, by their `key`. Null is not among them: it is `Plain`."""

    values: Mapping[Json, Json]


class Record(Struct, frozen=True):
    """An object. `rest` is what keys hold that are not named; None if the schema does not say whether there are any."""

    properties: Mapping[str, Schema]
    required: Mapping[str, None]
    rest: Schema | None


class Sequence(Struct, frozen=True):
    """An array. `first` is what the first places hold, `rest` all others; None if the schema does not say."""

    first: tuple[Schema, ...]
    rest: Schema | None
    least: int
    most: float

    def at(self, place: int) -> Schema:
        if place < len(self.first):
            return self.first[place]
        return True if self.rest is None else self.rest


Shape: TypeAlias = Unknown | Plain | Literals | Record | Sequence
Shapes: TypeAlias = tuple[Shape, ...]
"""Alternatives. None at all: no value is allowed. `Literals` come first and at most once, null comes last."""

ANYTHING: Shapes = (Unknown(),)
NULL = Plain("null")


class Effort:
    """What may still be spent on schemas, so that hostile ones take no longer than large ones."""

    def __init__(self, amount: int = EFFORT_MAX) -> None:
        self._left = amount

    def spend(self, amount: int = 1) -> bool:
        self._left -= amount
        return not self.is_spent

    @property
    def is_spent(self) -> bool:
        return self._left < 0


class Reader:
    """Reads the schemas of one document, each once: they are known by identity, and kept so that it lasts."""

    def __init__(self, document: Schema, effort: Effort) -> None:
        self._document = document
        self._effort = effort
        self._known: dict[int, tuple[Schema, Shapes]] = {}
        self._merged: dict[frozenset[int], Schema] = {}
        self._parts: dict[int, dict[int, Schema]] = {}
        """Of the schemas made here, what they were made of."""

    def shapes(self, schema: Schema, depth: int = 0) -> Shapes:
        if schema is False:
            return ()
        if not isinstance(schema, Mapping):
            return ANYTHING
        if id(schema) in self._known:
            return self._known[id(schema)][1]
        if depth > DEPTH_MAX or not self._effort.spend():
            return ANYTHING
        self._known[id(schema)] = schema, ANYTHING  # for as long as it is being read: it may lead back to itself
        shapes = self._alternatives(schema, depth) if _is_choice(schema) else self._read(schema, depth)
        self._known[id(schema)] = schema, shapes
        return shapes

    def _alternatives(self, schema: Mapping[str, Json], depth: int) -> Shapes:
        """Of what is nothing but alternatives, however they are put. One that leads back adds nothing to the others."""
        seen: dict[int, Schema] = {}
        ahead: list[Schema] = [schema]
        others: list[Schema] = []
        while ahead:
            one = ahead.pop()
            if id(one) in seen:
                continue
            seen[id(one)] = one
            if not self._effort.spend():
                return ANYTHING
            if not isinstance(one, Mapping) or not _is_choice(one):
                others.append(one)
            elif "$ref" in one:
                ahead.append(self._resolved(one["$ref"]))
            else:
                ahead.extend(reversed(_list(one, "anyOf") or _list(one, "oneOf")))
        found = [shape for one in others for shape in self.shapes(one, depth + 1)]
        return united(found) if others and self._effort.spend(len(found)) else ANYTHING

    def _read(self, schema: Mapping[str, Json], depth: int) -> Shapes:
        shapes = _typed(schema)
        for also in self._constraints(schema, depth + 1):
            shapes = self._both(shapes, also)
        return united((*shapes, NULL)) if schema.get("nullable") is True else shapes

    def _constraints(self, schema: Mapping[str, Json], depth: int) -> Iterator[Shapes]:
        if "const" in schema:
            yield _literals([schema["const"]])
        if isinstance(values := schema.get("enum"), list):
            yield _literals(values)
        if schema.get("not") == _OF_NULL:
            yield (Unknown(frozenset({"null"})),)
        if "$ref" in schema:
            yield self.shapes(self._resolved(schema["$ref"]), depth)
        for part in _list(schema, "allOf"):
            yield self.shapes(part, depth)
        for word in ("anyOf", "oneOf"):
            if parts := _list(schema, word):
                yield united([shape for part in parts for shape in self.shapes(part, depth)])

    def _resolved(self, ref: Json) -> Schema:
        if not isinstance(ref, str) or not f"{ref}/".startswith("#/"):
            return True
        found: Json = self._document
        for part in ref.split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                return True
            found = found[name]
        schema: Schema = found
        return schema

    def _both(self, some: Shapes, others: Shapes) -> Shapes:
        if some is ANYTHING:
            return others
        met: list[Shape] = []
        for one in some:
            for other in others:
                if not self._effort.spend(_size(one) + _size(other)):
                    return ANYTHING
                if (shape := self._met(one, other)) is not None:
                    met.append(shape)
        return united(met)

    def _met(self, one: Shape, other: Shape) -> Shape | None:
        """What is of both shapes. Of an object in an enum, that it is an object is enough."""
        if isinstance(one, Literals):
            values = {key: value for key, value in one.values.items() if admits(other, value)}
            return Literals(values) if values else None
        if isinstance(other, Literals):
            return self._met(other, one)
        if isinstance(one, Unknown):
            if isinstance(other, Unknown):
                return Unknown(one.besides | other.besides)
            return None if kind(other) in one.besides else other
        if isinstance(other, Unknown):
            return self._met(other, one)
        if isinstance(one, Record) and isinstance(other, Record):
            return self._met_records(one, other)
        if isinstance(one, Sequence) and isinstance(other, Sequence):
            places = range(max(len(one.first), len(other.first)))
            first = tuple(self._all_of(one.at(place), other.at(place)) for place in places)
            rest = self._rest(one.rest, other.rest)
            return Sequence(first, rest, max(one.least, other.least), min(one.most, other.most))
        if fits(kind(one), kind(other)):
            return one
        return other if fits(kind(other), kind(one)) else None

    def _met_records(self, one: Record, other: Record) -> Record:
        properties: dict[str, Schema] = {}
        for name in (*one.properties, *other.properties):
            mine = one.properties.get(name, True if one.rest is None else one.rest)
            theirs = other.properties.get(name, True if other.rest is None else other.rest)
            properties[name] = self._all_of(mine, theirs)
        return Record(properties, {**one.required, **other.required}, self._rest(one.rest, other.rest))

    def _rest(self, one: Schema | None, other: Schema | None) -> Schema | None:
        if one is None or other is None:
            return one if other is None else other
        return self._all_of(one, other)

    def _all_of(self, one: Schema, other: Schema) -> Schema:
        """One schema for both; the same one for the same two, or recursive schemas would grow for ever."""
        if one is True or one is other:
            return other
        if other is True or one is False:
            return one
        if other is False:
            return False
        parts = self._parts.get(id(one), {id(one): one}) | self._parts.get(id(other), {id(other): other})
        if not self._effort.spend(len(parts)):
            return True
        merged = self._merged.setdefault(frozenset(parts), {"allOf": list(parts.values())})
        self._parts[id(merged)] = parts
        return merged


def united(shapes: Iterable[Shape]) -> Shapes:
    """The same alternatives without repetition, all literals as one. Beside anything, the others tell nothing."""
    values: dict[Json, Json] = {}
    kept: dict[Json, Shape] = {}
    for shape in shapes:
        match shape:
            case Unknown(besides) if not besides:
                return ANYTHING
            case Literals():
                values.update(shape.values)
            case Plain() | Unknown():
                kept[shape] = shape
            case _:
                kept[id(shape)] = shape
    nulls = [kept.pop(NULL)] if NULL in kept else []
    return (*([Literals(values)] if values else []), *kept.values(), *nulls)


def admits(shape: Shape, value: Json) -> bool:
    """Whether the value is of that shape, as far as that shows from outside."""
    if isinstance(shape, Literals):
        return key(value) in shape.values
    if isinstance(shape, Unknown):
        return kind_of(value) not in shape.besides
    return fits(kind_of(value), kind(shape))


def fits(one: str, other: str) -> bool:
    return one == other or (one == "integer" and other == "number")


def kind(shape: Plain | Record | Sequence) -> str:
    if isinstance(shape, Plain):
        return shape.kind
    return "object" if isinstance(shape, Record) else "array"


def kind_of(value: Json) -> str:
    """Of a value that may stand in `Literals`, so never of null."""
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case list():
            return "array"
        case Mapping():
            return "object"
        case _:
            return "integer" if value % 1 == 0 else "number"


def key(value: Json, depth: int = 0) -> Json:
    """Equal for values that are equal in JSON: 1 and 1.0 are, 1 and true are not. Beyond `DEPTH_MAX` all are equal."""
    if depth > DEPTH_MAX:
        return ()
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, list):
        return "array", tuple([key(item, depth + 1) for item in value])
    if isinstance(value, Mapping):
        return "object", frozenset([(name, key(item, depth + 1)) for name, item in value.items()])
    return value


def _is_choice(schema: Mapping[str, Json]) -> bool:
    """Whether it is alternatives, or a reference, and says nothing else."""
    said = schema.keys() & _READ
    if schema.get("not") == _OF_NULL:
        return False
    return said == {"$ref"} or (len(said) == 1 and said <= {"anyOf", "oneOf"} and bool(_list(schema, *said)))


def _typed(schema: Mapping[str, Json]) -> Shapes:
    """What the type allows. Without one, keywords speak of values of their kind only; others may be anything."""
    named = schema.get("type")
    kinds: list[Json] = named if isinstance(named, list) else [named]
    if kinds and all(name in (*PLAIN, "object", "array") for name in kinds):
        return united([_of_kind(name, schema) for name in kinds])
    besides = []
    if isinstance(schema.get("required"), list) or any(
        isinstance(schema.get(word), Mapping | bool)
        for word in ("properties", "additionalProperties", "patternProperties")
    ):
        besides.append("object")
    if isinstance(schema.get("items"), Mapping | bool | list) or isinstance(schema.get("prefixItems"), list):
        besides.append("array")
    return united([*(_of_kind(name, schema) for name in besides), Unknown(frozenset(besides))])


def _of_kind(name: str, schema: Mapping[str, Json]) -> Shape:
    if name == "object":
        properties = schema.get("properties")
        rest = schema.get("additionalProperties")
        return Record(
            properties if isinstance(properties, Mapping) else {},
            dict.fromkeys(name for name in _list(schema, "required") if isinstance(name, str)),
            True if schema.get("patternProperties") else rest if isinstance(rest, Mapping | bool) else None,
        )
    if name == "array":
        listed = "prefixItems" if isinstance(schema.get("prefixItems"), list) else "items"
        first = tuple(_list(schema, listed))
        rest = schema.get("additionalItems" if isinstance(schema.get("items"), list) else "items")
        most = len(first) if rest is False else inf
        least = schema.get("minItems")
        given = schema.get("maxItems")
        return Sequence(
            first,
            rest if isinstance(rest, Mapping | bool) else None,
            least if isinstance(least, int) else 0,
            min(most, given) if isinstance(given, int) else most,
        )
    return Plain(name)


def _literals(values: list[Json]) -> Shapes:
    known = {key(value): value for value in values if value is not None}
    return united([*([Literals(known)] if known else []), *([NULL] if None in values else [])])


def _list(schema: Mapping[str, Json], word: str) -> list[Json]:
    found = schema.get(word)
    return found if isinstance(found, list) else []


def _size(shape: Shape) -> int:
    match shape:
        case Record():
            return 1 + len(shape.properties)
        case Sequence():
            return 1 + len(shape.first)
        case Literals():
            return 1 + len(shape.values)
        case _:
            return 1
