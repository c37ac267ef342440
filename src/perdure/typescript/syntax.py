"""Types as they are written, each with its place in the source. What they come to as JSON is said in `schema`."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Keyword(Struct, frozen=True):
    """string, number, boolean, null, undefined, unknown, any, never, object and the like."""

    at: int
    name: str


class Literal(Struct, frozen=True):
    at: int
    value: str | float | bool


class Reference(Struct, frozen=True):
    """A type by its name, which may have dots."""

    at: int
    name: str
    arguments: tuple[Type, ...] = ()


class ArrayOf(Struct, frozen=True):
    at: int
    item: Type


class Place(Struct, frozen=True):
    """One of the places of a tuple. `rest`: what it is of is an array, and takes all that follow."""

    type: Type
    optional: bool = False
    rest: bool = False


class Tuple(Struct, frozen=True):
    at: int
    places: tuple[Place, ...]


class Property(Struct, frozen=True):
    at: int
    name: str
    type: Type
    optional: bool = False
    doc: str = ""


class Index(Struct, frozen=True):
    """`[name: key]: type`"""

    at: int
    key: Type
    type: Type


class Inexpressible(Struct, frozen=True):
    """What JSON has nothing for; `message` says what, and what to write instead. As a member or as a type."""

    at: int
    message: str


Member: TypeAlias = Property | Index | Inexpressible


class ObjectOf(Struct, frozen=True):
    at: int
    members: tuple[Member, ...]


class Mapped(Struct, frozen=True):
    """`{[name in keys]: type}`. `optional`: `?` and `-?` say so; None leaves it as it was."""

    at: int
    name: str
    keys: Type
    type: Type
    optional: bool | None = None


class Union(Struct, frozen=True):
    at: int
    parts: tuple[Type, ...]


class Intersection(Struct, frozen=True):
    at: int
    parts: tuple[Type, ...]


class KeyOf(Struct, frozen=True):
    at: int
    type: Type


class Access(Struct, frozen=True):
    """`type[index]`"""

    at: int
    type: Type
    index: Type


Type: TypeAlias = (
    Keyword
    | Literal
    | Reference
    | ArrayOf
    | Tuple
    | ObjectOf
    | Mapped
    | Union
    | Intersection
    | KeyOf
    | Access
    | Inexpressible
)


class Parameter(Struct, frozen=True):
    """Of a generic type."""

    at: int
    name: str
    default: Type | None = None


class Declared(Struct, frozen=True):
    """An interface, with all of its declarations as one, or an alias, whose type it is. `bases` are what an interface extends."""

    at: int
    name: str
    parameters: tuple[Parameter, ...]
    type: Type
    bases: tuple[Type, ...] = ()
    doc: str = ""
    is_interface: bool = False


def is_same(one: object, other: object) -> bool:
    """Whether both are written alike, wherever they stand and whatever is said of them."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, Struct):
        names = (name for name in one.__struct_fields__ if name not in ("at", "doc"))
        return all(is_same(getattr(one, name), getattr(other, name)) for name in names)
    return one == other
