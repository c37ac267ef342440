"""The subschemas of a schema, and which of them a value, or a part of it, is held against in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias
from urllib.parse import unquote, urldefrag, urljoin

import msgspec

from perdure.schemas.patterns import places
from perdure.schemas.violation import Violation, pointer

SUBSCHEMAS_MAX: Final = 5_000
PLACES_MAX: Final = 20_000
"""Of all patterns together. What they are compiled to takes memory for each, and time."""

_SHOWN_MAX: Final = 80
_OF_JSON_SCHEMA: Final = ("http://json-schema.org/", "https://json-schema.org/")
_OF_JSON_SCHEMA_WEIGHT: Final = 64
_BYTES_PER_WEIGHT: Final = 16
_UNEVALUATED_TIMES: Final = 3
"""To know what nobody has looked at, the value is held once more against all that is in place. Measured, and rounded up."""

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
_IN_PLACE: Final = ("not", "if", "then", "else")
_IN_PLACE_LISTS: Final = ("allOf", "anyOf", "oneOf")
_IN_PLACE_MAPS: Final = ("dependentSchemas", "dependencies")
_OF_OBJECTS: Final = ("additionalProperties", "unevaluatedProperties", "propertyNames")
_OF_ARRAYS: Final = ("items", "additionalItems", "contains", "unevaluatedItems")
_LISTS_OF_ARRAYS: Final = ("prefixItems", "items")
_SUBSCHEMAS: Final = frozenset(
    (
        *(*_IN_PLACE, *_IN_PLACE_LISTS, *_IN_PLACE_MAPS, *_OF_OBJECTS, *_OF_ARRAYS, *_LISTS_OF_ARRAYS),
        *("properties", "patternProperties", "$defs", "definitions"),
    )
)


_Trail: TypeAlias = tuple[Any, str | int]
"""The trail of what a part is in, and its place there."""


class Node:
    """
    weight    what it takes to hold one value against it, without what it refers to
    places    and what each character of a text is held against
    times     how often it looks at what it refers to in place
    in_place  those that the same value is held against
    by_key    those that one property is held against; by_place: one item
    of_object those that every property may be held against; of_array: every item
    """

    __slots__ = ("by_key", "by_place", "in_place", "of_array", "of_object", "places", "times", "weight")

    def __init__(self, schema: dict[str, Any]) -> None:
        own = {key: value for key, value in schema.items() if key not in _SUBSCHEMAS}
        self.weight = 1 + len(msgspec.json.encode(own)) // _BYTES_PER_WEIGHT + len(_mapping(schema, "properties"))
        self.places = sum(places(pattern) for pattern in _patterns(schema))
        self.times = _UNEVALUATED_TIMES if {"unevaluatedProperties", "unevaluatedItems"} & schema.keys() else 1
        self.in_place: list[int] = []
        self.by_key: list[int] = []
        self.by_place: list[int] = []
        self.of_object: list[int] = []
        self.of_array: list[int] = []


class Graph:
    """`nodes` in an order in which those that are in place come before what refers to them; `root` is one of them, unless the
    schema is a mere yes or no. `violations` says why the schema cannot be used.
    """

    def __init__(self, schema: Any) -> None:
        self._places = _Places(schema)
        self._numbers: dict[int, int] = {}
        self._built: list[Node] = []
        self.violations: list[Violation] = []
        self.has_choices = False
        root = self._number(schema)
        self._build()
        order = self._ordered()
        where = {number: place for place, number in enumerate(order)}
        self.nodes = [self._built[number] for number in order]
        for node in self.nodes:
            for kind in ("in_place", "by_key", "by_place", "of_object", "of_array"):
                setattr(node, kind, [where[number] for number in getattr(node, kind) if number in where])
        self.root = None if root is None else where.get(root)

    def _number(self, schema: Any) -> int | None:
        """Of a subschema; None for one that is a mere yes or no."""
        if not isinstance(schema, dict) or not schema:
            return None
        number = self._numbers.get(id(schema))
        if number is None:
            number = self._numbers[id(schema)] = len(self._built)
            self._built.append(Node(schema))
            self._places.waiting.append(schema)
        return number

    def _build(self) -> None:
        all_places = 0
        while self._places.waiting:
            schema = self._places.waiting.pop()
            node = self._built[self._numbers[id(schema)]]
            all_places += node.places
            if len(self._built) > SUBSCHEMAS_MAX or all_places > PLACES_MAX:
                self.violations.append(_too_large(len(self._built), all_places))
                return
            self.has_choices = self.has_choices or "anyOf" in schema or "oneOf" in schema
            self._connect(schema, node)

    def _connect(self, schema: dict[str, Any], node: Node) -> None:
        self._add(node.in_place, (schema.get(key) for key in _IN_PLACE))
        self._add(node.in_place, (each for key in _IN_PLACE_LISTS for each in _list(schema, key)))
        self._add(node.in_place, (each for key in _IN_PLACE_MAPS for each in _mapping(schema, key).values()))
        self._add(node.by_key, _mapping(schema, "properties").values())
        self._add(node.of_object, _mapping(schema, "patternProperties").values())
        self._add(node.of_object, (schema.get(key) for key in _OF_OBJECTS))
        self._add(node.of_array, (schema.get(key) for key in _OF_ARRAYS))
        self._add(node.by_place, (each for key in _LISTS_OF_ARRAYS for each in _list(schema, key)))
        for key in _REFERENCES:
            if isinstance(schema.get(key), str):
                self._refer(schema, key, node)

    def _add(self, to: list[int], schemas: Any) -> None:
        to.extend(number for number in map(self._number, schemas) if number is not None)

    def _refer(self, schema: dict[str, Any], key: str, node: Node) -> None:
        found = self._places.meant(schema, schema[key], dynamic=key != "$ref")
        if found:
            self._add(node.in_place, found)
        elif schema[key].startswith(_OF_JSON_SCHEMA):
            node.weight += _OF_JSON_SCHEMA_WEIGHT
        else:
            what = schema[key] if len(schema[key]) <= _SHOWN_MAX else f"{schema[key][:_SHOWN_MAX]}…"
            message = (
                f"it refers to {what!r}, which is not in it; a schema may only refer to itself, with '#/$defs/…' say"
            )
            self.violations.append(Violation(f"{self._places.path(id(schema))}/{key}", message))

    def _ordered(self) -> list[int]:
        """Depth first, without recursion. Who refers to itself in place is told of it, and no such way is followed."""
        order: list[int] = []
        begun: set[int] = set()
        under_way: dict[int, None] = {}
        schemas = list(self._numbers)
        for first in range(len(self._built)):
            stack: list[tuple[int, Iterator[int]]] = [] if first in begun else [(first, iter(self._begin(first)))]
            begun.add(first)
            under_way[first] = None
            while stack:
                number, ahead = stack[-1]
                following = next(ahead, None)
                if following is None:
                    stack.pop()
                    under_way.pop(number, None)
                    order.append(number)
                elif following in under_way:
                    message = "it refers to itself without going into the value, which never ends; refer to it from a property"
                    self.violations.append(Violation(self._places.path(schemas[following]), message))
                elif following not in begun:
                    begun.add(following)
                    under_way[following] = None
                    stack.append((following, iter(self._begin(following))))
            under_way.clear()
        return order

    def _begin(self, number: int) -> list[int]:
        return self._built[number].in_place


class _Places:
    """Where everything is: the bases of references, what has an id or an anchor, and the path of each object."""

    def __init__(self, schema: Any) -> None:
        self.waiting: list[dict[str, Any]] = []
        self._trail: dict[int, _Trail | None] = {}
        self._base: dict[int, str] = {}
        self._resources: dict[str, list[Any]] = {"": [schema]}
        self._anchors: dict[tuple[str, str], list[Any]] = {}
        self._roots: list[Any] = [schema]
        ahead: list[tuple[Any, _Trail | None, str]] = [(schema, None, "")]
        while ahead:
            part, trail, base = ahead.pop()
            if isinstance(part, dict):
                base = self._note(part, trail, base)
                ahead.extend((item, (trail, key), base) for key, item in part.items())
            elif isinstance(part, list):
                ahead.extend((item, (trail, number), base) for number, item in enumerate(part))

    def path(self, schema: int) -> str:
        """Of the object with this identity. It is made only when it is told: many long ones would take much memory."""
        parts: list[str | int] = []
        trail = self._trail[schema]
        while trail is not None:
            trail, part = trail
            parts.append(part)
        return pointer(parts[::-1])

    def _note(self, part: dict[str, Any], trail: _Trail | None, base: str) -> str:
        """What goes by several names is found by each; what several go by one name, all of them are meant."""
        for key in ("$id", "id"):
            if isinstance(part.get(key), str):
                full, fragment = urldefrag(_joined(base, part[key]))
                if fragment:
                    self._anchors.setdefault((full, fragment), []).append(part)
                else:
                    base = full
                    self._resources.setdefault(full, []).append(part)
                    self._roots.append(part)
        for key in ("$anchor", "$dynamicAnchor"):
            if isinstance(part.get(key), str):
                self._anchors.setdefault((base, part[key]), []).append(part)
        self._trail[id(part)], self._base[id(part)] = trail, base
        return base

    def meant(self, schema: dict[str, Any], reference: str, *, dynamic: bool) -> list[Any]:
        """All that a reference can mean. A dynamic one means whatever has its name, wherever that is."""
        uri, fragment = urldefrag(_joined(self._base[id(schema)], reference))
        found: list[Any] = []
        if not fragment or fragment.startswith("/"):
            for resource in self._resources.get(uri, ()):
                found.extend(_at(resource, unquote(fragment)))
            if dynamic and found:
                found.extend(self._roots)
        else:
            found.extend(self._anchors.get((uri, fragment), ()))
            if dynamic:
                found.extend(each for (_, name), some in self._anchors.items() if name == fragment for each in some)
        return list({id(each): each for each in found}.values())


def _joined(base: str, reference: str) -> str:
    if reference.startswith("#"):
        return f"{base}{reference}"
    try:
        return urljoin(base, reference)
    except ValueError:  # no address at all
        return reference


def _at(value: Any, path: str) -> Iterator[Any]:
    for part in path.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key in _indices(value):
            value = value[int(key)]
        else:
            return
    yield value


def _indices(items: list[Any]) -> Iterator[str]:
    """As a pointer writes them: whatever else is made of digits is none."""
    return map(str, range(len(items)))


def _patterns(schema: dict[str, Any]) -> Iterator[str]:
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        yield pattern
    yield from _mapping(schema, "patternProperties")


def _mapping(schema: dict[str, Any], key: str) -> dict[str, Any]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _list(schema: dict[str, Any], key: str) -> list[Any]:
    found = schema.get(key)
    return found if isinstance(found, list) else []


def _too_large(subschemas: int, all_places: int) -> Violation:
    if subschemas > SUBSCHEMAS_MAX:
        return Violation("", f"it has more than {SUBSCHEMAS_MAX:,} parts; make it smaller")
    return Violation(
        "", f"its patterns come to {all_places:,} places, repetitions written out, and {PLACES_MAX:,} are the most"
    )
