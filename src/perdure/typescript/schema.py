"""From a type to its JSON Schema.

Named types are written out where they are used; only one that contains itself stands in `$defs`, under its name. An object may
have other keys than those of its type, as in TypeScript, so nothing is said of them; an index signature says what they hold.

`undefined` is what a property may be that is not there. Elsewhere JSON has nothing for it.

What is inexpressible is told with its place, and taken for anything, so that all of it is told at once. A schema is bounded in
depth and in size, and so is the work to find it: types can be made to grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain, count
from typing import TypeAlias, assert_never
from urllib.parse import quote

from msgspec import Struct

from perdure.model.values import Json
from perdure.typescript.alternatives import items_of, parts_of
from perdure.typescript.closed import Closed
from perdure.typescript.fields import fields_of, fields_of_type
from perdure.typescript.meanings import Field, Fields, Meanings, TooMuch, Ways
from perdure.typescript.syntax import (
    Access,
    ArrayOf,
    Declared,
    Inexpressible,
    Intersection,
    KeyOf,
    Keyword,
    Literal,
    Mapped,
    ObjectOf,
    Reference,
    Tuple,
    Union,
)
from perdure.typescript.united import PRESENT, met, united

DEPTH_MAX = 64
PARTS_MAX = 5_000

_Key: TypeAlias = tuple[str, tuple[int, ...]]
"""The name of a type, and the identities of its arguments."""

_ANYTHING: Json = {}
_PLAIN: Mapping[str, Json] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "object": {"type": "object"},
    "unknown": _ANYTHING,
    "any": _ANYTHING,
    "never": False,
    "undefined": False,
}
_NOT_JSON = {
    "void": "void is no value; write null, and return it",
    "bigint": "a bigint is not JSON; write number, or string",
    "symbol": "a symbol is not JSON; write string",
}
_NO_UNDEFINED = "JSON has no undefined here; write null, or make it a property that may be left out, as in a?: string"


def schema_of(declared: Declared, types: Mapping[str, Declared], no_types: Mapping[str, str]) -> Written:
    """Of a type that is declared by its name. `no_types` are names that stand for something else, such as a class."""
    meanings = Meanings(types, no_types, _WAYS)
    schema: Json = None
    try:
        writing = _Writing(meanings)
        schema = writing.whole(writing.solid, meanings.close(Reference(declared.at, declared.name)))
    except TooMuch as too_much:
        meanings.refuse(too_much.at, too_much.message)
    if schema is False and not meanings.problems:
        meanings.refuse(declared.at, f"no value is of the type {declared.name!r}; write null if there is nothing")
    return Written(schema, tuple(meanings.problems), meanings.work)


class Written(Struct, frozen=True):
    """`problems`: what could not be expressed, and where. `work`: what it took."""

    schema: Json
    problems: tuple[tuple[int, str], ...]
    work: int


class _Writing:
    """One schema in the making."""

    def __init__(self, meanings: Meanings) -> None:
        self._meanings = meanings
        self._parts = 0
        self._depth = 0
        self._inside = 0
        """How many properties and items are around this place."""
        self._under_way: dict[_Key, int] = {}
        self._named: dict[_Key, str] = {}
        """Types that contain themselves."""
        self._defs: dict[str, Json] = {}

    def whole(self, write: Callable[[Closed], Json], closed: Closed) -> Json:
        """With the definitions that it refers to."""
        schema = write(closed)
        return {**schema, "$defs": self._defs} if self._defs else schema

    def schema(self, closed: Closed) -> Json:
        self._depth += 1
        self._parts += 1
        self._check(closed.at)
        found = self._written(closed)
        self._depth -= 1
        return found

    def _written(self, closed: Closed) -> Json:
        type_ = closed.type
        match type_:
            case Keyword():
                if type_.name in _NOT_JSON:
                    return self._refused(type_.at, _NOT_JSON[type_.name])
                return _PLAIN[type_.name]
            case Literal():
                return {"const": type_.value}
            case Inexpressible():
                return self._refused(type_.at, type_.message)
            case ArrayOf():
                return self._array(self._meanings.close(type_.item, closed.names))
            case Tuple():
                return self._tuple(closed, type_)
            case Reference():
                return self._reference(closed, type_)
            case ObjectOf() if not type_.members:
                return PRESENT
            case ObjectOf() | Mapped():
                return self._object_of(closed)
            case Intersection():
                return self._intersection(closed, type_)
            case Union() | KeyOf() | Access():
                return self._union(closed)
            case _:
                assert_never(type_)

    def _refused(self, at: int, message: str) -> Json:
        self._meanings.refuse(at, message)
        return _ANYTHING

    def _check(self, at: int) -> None:
        if self._depth > DEPTH_MAX:
            raise TooMuch(
                at, f"this type is nested more than {DEPTH_MAX} levels deep, or grows without end; make it flatter"
            )
        if self._parts > PARTS_MAX:
            raise TooMuch(at, f"written out, this type has more than {PARTS_MAX:,} parts; make it smaller")

    def solid(self, closed: Closed) -> Json:
        """Of what cannot be left out."""
        if self._meanings.may_be_undefined(closed):
            return self._refused(closed.at, _NO_UNDEFINED)
        return self.schema(closed)

    def _within(self, write: Callable[[Closed], Json], closed: Closed) -> Json:
        self._inside += 1
        found = write(closed)
        self._inside -= 1
        return found

    def _array(self, item: Closed) -> Json:
        items = self._within(self.solid, item)
        return {"type": "array"} if items == {} else {"type": "array", "items": items}

    def _tuple(self, closed: Closed, type_: Tuple) -> Json:
        places: list[Json] = []
        rest: Json = False
        least = 0
        for place in type_.places:
            inner = self._meanings.close(place.type, closed.names)
            if rest is not False:
                return self._refused(inner.at, "nothing can come after '...' in a tuple; put it last")
            if place.rest:
                items = self._meanings.items(inner)
                if items is None or items.places or len(items.rest) != 1:
                    return self._refused(inner.at, "after '...' in a tuple comes an array, as in ...string[]")
                rest = self._within(self.solid, items.rest[0])
                continue
            places.append(self._within(self.schema if place.optional else self.solid, inner))
            least = least if place.optional else len(places)
        schema: dict[str, Json] = {"type": "array"}
        if places:
            schema["prefixItems"] = places
        if rest != {}:
            schema["items"] = rest
        return {**schema, "minItems": least} if least else schema

    def _object_of(self, closed: Closed) -> Json:
        fields = self._meanings.fields(closed)
        assert fields is not None, closed.type
        return self._object(fields)

    def _object(self, fields: Fields) -> Json:
        schema: dict[str, Json] = {"type": "object"}
        if fields.properties:
            schema["properties"] = {name: self._property(field) for name, field in fields.properties.items()}
        required = [name for name, field in fields.properties.items() if self._is_required(field)]
        if required:
            schema["required"] = required
        if fields.index is not None:
            schema["additionalProperties"] = self._within(self.schema, fields.index)
        return schema

    def _property(self, field: Field) -> Json:
        schema = self._within(self.schema, field.type)
        if not field.doc or schema is False:
            return schema
        self._parts += 1
        return {**schema, "description": field.doc}

    def _is_required(self, field: Field) -> bool:
        return not field.optional and not self._meanings.may_be_undefined(field.type)

    def _intersection(self, closed: Closed, type_: Intersection) -> Json:
        fields = self._meanings.fields(closed)
        if fields is not None:
            return self._object(fields)
        return met([self.schema(self._meanings.close(part, closed.names)) for part in type_.parts])

    def _union(self, closed: Closed) -> Json:
        parts = self._meanings.parts(closed)
        return united([self.schema(part) for part in parts])

    def _reference(self, closed: Closed, type_: Reference) -> Json:
        meanings = self._meanings
        declared = meanings.declared(type_)
        if declared is None:
            return self._built_in(closed, type_)
        names = meanings.instance(declared, type_, closed.names)
        if names is None:
            return _ANYTHING
        key = type_.name, tuple(map(id, names.values()))
        return self._once(key, closed, lambda: self._declared(declared, names))

    def _declared(self, declared: Declared, names: Mapping[str, Closed]) -> Json:
        if declared.is_interface:
            schema = self._object(fields_of(self._meanings, declared, names))
        else:
            schema = self.schema(self._meanings.close(declared.type, names))
        if not declared.doc or schema is False:
            return schema
        self._parts += 1
        return {"description": declared.doc, **schema} if "$ref" in schema else {**schema, "description": declared.doc}

    def _built_in(self, closed: Closed, type_: Reference) -> Json:
        meanings = self._meanings
        if not meanings.knows(type_):
            return _ANYTHING
        if type_.name in ("Array", "ReadonlyArray"):
            return self._array(meanings.close(type_.arguments[0], closed.names))
        if type_.name in ("Exclude", "Extract", "NonNullable") or meanings.parts(closed) != (closed,):
            return self._union(closed)
        if type_.name == "Readonly":
            return self.schema(meanings.close(type_.arguments[0], closed.names))
        key = type_.name, tuple(id(meanings.close(each, closed.names)) for each in type_.arguments)
        return self._once(key, closed, lambda: self._object_of(closed))

    def _once(self, key: _Key, closed: Closed, write: Callable[[], Json]) -> Json:
        """What contains itself is written once, and referred to."""
        if key in self._named and key not in self._under_way:
            return self._ref(key)
        if key in self._under_way:
            if self._under_way[key] == self._inside:
                return self._refused(closed.at, "this type is nothing but itself; say what it has")
            if key not in self._named:
                taken = set(self._named.values())
                names = chain((key[0],), (f"{key[0]}{number}" for number in count(2)))
                self._named[key] = next(name for name in names if name not in taken)
            return self._ref(key)
        self._under_way[key] = self._inside
        schema = write()
        del self._under_way[key]
        if key not in self._named:
            return schema
        self._defs[self._named[key]] = schema
        return self._ref(key)

    def _ref(self, key: _Key) -> Json:
        return {"$ref": f"#/$defs/{quote(self._named[key])}"}


def _alone(meanings: Meanings, closed: Closed) -> Json:
    writing = _Writing(meanings)
    return writing.whole(writing.schema, closed)


_WAYS = Ways(parts_of, items_of, fields_of_type, _alone)
