"""What types mean beneath their names: the alternatives of a union, the items of an array, the properties of an object.

Here generics are filled in. Nothing is written: what a property is of stays a type until somebody asks. Depth and work are
bounded, because types can be made to grow without end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from perdure.expressions import numbers
from perdure.expressions.assignability import mismatches
from perdure.expressions.shapes import Effort
from perdure.expressions.wording import nearest
from perdure.model.values import Json
from perdure.typescript.closed import EMPTY, Closed, Closing
from perdure.typescript.syntax import Declared, Intersection, Keyword, Literal, Reference, Type, Union

DEPTH_MAX = 64
WORK_MAX = 100_000
COMPARING_MAX = 60_000
"""What comparing types with each other may take, in all of a transform."""

BUILT_IN = {
    **dict.fromkeys(("Array", "ReadonlyArray", "Partial", "Required", "Readonly", "NonNullable"), 1),
    **dict.fromkeys(("Pick", "Omit", "Record", "Exclude", "Extract"), 2),
}
"""How many arguments they have."""

_NOT_JSON = {
    "Date": "a Date is not JSON; write string, for a time as in '2026-01-31T08:00:00Z', or number",
    "Map": "a Map is not JSON; write Record<string, …>",
    "Set": "a Set is not JSON; write an array",
    "Promise": "a transform returns its value at once; write the type of the value itself",
    "PromiseLike": "a transform returns its value at once; write the type of the value itself",
    "Function": "a function is not JSON, so it cannot be a part of Input or Output; leave it out",
    "RegExp": "a RegExp is not JSON; write string",
    "Symbol": "a symbol is not JSON; write string",
    "BigInt": "a bigint is not JSON; write number, or string",
    "Object": "write object, or unknown",
    "String": "write string",
    "Number": "write number",
    "Boolean": "write boolean",
}

_NOT_WORKED_OUT = frozenset(
    {
        *("Uppercase", "Lowercase", "Capitalize", "Uncapitalize", "ReturnType", "Parameters", "ConstructorParameters"),
        *("InstanceType", "ThisParameterType", "OmitThisParameter", "ThisType", "NoInfer", "Iterable", "Iterator"),
        *("IterableIterator", "AsyncIterable", "Generator", "ArrayLike", "WeakMap", "WeakSet", "PropertyKey"),
    }
)
"""Types that TypeScript has, and nobody has asked for where JSON goes in or out."""


class TooMuch(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


class Field(Struct, frozen=True):
    type: Closed
    optional: bool = False
    doc: str = ""


class Fields(Struct, frozen=True):
    """`index`: what keys hold that are not named; None if nothing is said of them."""

    properties: dict[str, Field]
    index: Closed | None = None


class Items(Struct, frozen=True):
    """Of an array: what its first places hold, and all others."""

    places: tuple[Closed, ...]
    rest: tuple[Closed, ...]


class Ways(Struct, frozen=True):
    """How it is found out what a type means, and how it is written."""

    parts: Callable[[Meanings, Closed], tuple[Closed, ...]]
    items: Callable[[Meanings, Closed], Items | None]
    fields: Callable[[Meanings, Closed], Fields | None]
    schema: Callable[[Meanings, Closed], Json]


class Meanings:
    """Of the types of one source. `no_types` are names that stand for something else, such as a class."""

    def __init__(self, types: Mapping[str, Declared], no_types: Mapping[str, str], ways: Ways) -> None:
        self._types = types
        self._no_types = no_types
        self._ways = ways
        self._closing = Closing()
        self._literals: dict[str, Literal] = {}
        self._parts: dict[Closed, tuple[Closed, ...]] = {}
        self._comparing = Effort(COMPARING_MAX)
        self._work = 0
        self._depth = 0
        self.problems: dict[tuple[int, str], None] = {}

    def parts(self, closed: Closed) -> tuple[Closed, ...]:
        """The alternatives of a union, however it is put; of everything else, it alone."""
        self._begin(closed)
        found = self._parts.get(closed)
        if found is None:
            found = self._parts[closed] = self._ways.parts(self, closed)
        self._depth -= 1
        self.spend(len(found))
        return found

    def items(self, closed: Closed) -> Items | None:
        """Of an array or a tuple; None if it is neither."""
        self._begin(closed)
        found = self._ways.items(self, closed)
        self._depth -= 1
        return found

    def fields(self, closed: Closed) -> Fields | None:
        """Of an object type; None if it is none."""
        self._begin(closed)
        found = self._ways.fields(self, closed)
        self._depth -= 1
        self.spend(len(found.properties) if found else 0)
        return found

    def schema(self, closed: Closed) -> Json:
        """By itself, with the definitions that it refers to."""
        return self._ways.schema(self, closed)

    def fits(self, schema: Json, other: Json, at: int) -> bool:
        """Whether all of one schema is allowed by another."""
        found = mismatches(schema, other, effort=self._comparing)
        if self._comparing.is_spent:
            message = (
                "this takes too long to work out: too many types are compared with each other; write out what is left"
            )
            raise TooMuch(at, message)
        return not found

    def may_be_undefined(self, closed: Closed) -> bool:
        return any(is_keyword(part.type, "undefined") for part in self.parts(closed))

    def refuse(self, at: int, message: str) -> None:
        self.problems[at, message] = None

    def spend(self, work: int) -> None:
        self._work += work

    @property
    def work(self) -> int:
        """What it has taken so far."""
        return self._work

    def _begin(self, closed: Closed) -> None:
        self._depth += 1
        self.spend(1)
        if self._depth > DEPTH_MAX or self._work > WORK_MAX:
            message = "this type refers to itself without end, or takes too long to work out; write it out"
            raise TooMuch(closed.at, message)

    # Making types.

    def close(self, type_: Type, names: Mapping[str, Closed] = EMPTY) -> Closed:
        return self._closing.close(type_, names)

    def joined(self, kind: type[Union | Intersection], parts: Sequence[Closed], at: int) -> Closed:
        return self._closing.joined(kind, parts, at)

    def literal(self, name: str) -> Closed:
        return self.close(self._literals.setdefault(name, Literal(0, name)))

    # Names.

    def declared(self, reference: Reference) -> Declared | None:
        return self._types.get(reference.name)

    def knows(self, reference: Reference) -> bool:
        """Whether TypeScript brings it; if not, why it cannot be used is noted."""
        name, given = reference.name, len(reference.arguments)
        if name in BUILT_IN:
            if given == BUILT_IN[name]:
                return True
            self.refuse(reference.at, f"{name} takes {_types(BUILT_IN[name])}, and {given} {_are(given)} given")
        elif name in _NOT_JSON:
            self.refuse(reference.at, _NOT_JSON[name])
        elif name in _NOT_WORKED_OUT:
            self.refuse(reference.at, f"{name} is not worked out here; write the type that it comes to")
        elif name in self._no_types:
            self.refuse(reference.at, f"{name!r} is {self._no_types[name]}, not a type of JSON; declare an interface")
        else:
            near = nearest(name, (*self._types, *BUILT_IN))
            self.refuse(reference.at, f"there is no type {name!r}{near or '; declare it in the transform'}")
        return False

    def instance(
        self, declared: Declared, reference: Reference, names: Mapping[str, Closed]
    ) -> dict[str, Closed] | None:
        """What the parameters of a generic type stand for; None if that cannot be said."""
        given, parameters = reference.arguments, declared.parameters
        least = sum(parameter.default is None for parameter in parameters)
        if not least <= len(given) <= len(parameters):
            wanted = _types(least) if least == len(parameters) else f"{least} to {len(parameters)} types"
            self.refuse(reference.at, f"{declared.name!r} takes {wanted}, and {len(given)} {_are(len(given))} given")
            return None
        found: dict[str, Closed] = {}
        for number, parameter in enumerate(parameters):
            if number < len(given):
                found[parameter.name] = self.close(given[number], names)
            elif parameter.default is not None:
                found[parameter.name] = self.close(parameter.default, found)
        return found

    def beneath(self, closed: Closed) -> Closed | None:
        """What an alias stands for; None if it is none."""
        type_ = closed.type
        if not isinstance(type_, Reference):
            return None
        declared = self.declared(type_)
        if declared is None or declared.is_interface:
            return None
        names = self.instance(declared, type_, closed.names)
        return None if names is None else self.close(declared.type, names)


def is_keyword(type_: Type, *names: str) -> bool:
    return isinstance(type_, Keyword) and type_.name in names


def name_of(type_: Literal) -> str:
    """A literal as the name of a property."""
    value = type_.value
    return value if isinstance(value, str) else numbers.to_text(value)


def _types(number: int) -> str:
    return "no types" if number == 0 else "one type" if number == 1 else f"{number} types"


def _are(number: int) -> str:
    return "is" if number == 1 else "are"
