"""How a step says what a value is: constants, expressions, and trees of them.

A dialect's templates all become these five; below the dialects there is one language. `Expression.source`
is text in that language, with the names of `core.scope`: input, steps, vars, loop, item, event and so on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, assert_never

from msgspec import Struct

Json: TypeAlias = Any
"""null, booleans, numbers, strings, and lists and string-keyed dicts of them."""


class Constant(Struct, frozen=True, tag_field="kind", tag="constant"):
    value: Json = None


class Expression(Struct, frozen=True, tag_field="kind", tag="expression"):
    """Computes one value, whatever its type."""

    source: str


class Text(Struct, frozen=True, tag_field="kind", tag="text"):
    """The parts, rendered as text and joined. Null and undefined render as nothing."""

    parts: tuple[Value, ...]


class Object(Struct, frozen=True, tag_field="kind", tag="object"):
    """Keys are values too, rendered as text; an undefined value drops its key."""

    entries: tuple[tuple[Value, Value], ...]


class Array(Struct, frozen=True, tag_field="kind", tag="array"):
    """An undefined item is null."""

    items: tuple[Value, ...]


Value: TypeAlias = Constant | Expression | Text | Object | Array

NOTHING = Constant(None)
EMPTY = Constant({})


def sources(value: Value) -> Iterator[str]:
    """The sources of all expressions in a value."""
    match value:
        case Expression():
            yield value.source
        case Text():
            for part in value.parts:
                yield from sources(part)
        case Array():
            for item in value.items:
                yield from sources(item)
        case Object():
            for key, part in value.entries:
                yield from sources(key)
                yield from sources(part)
        case Constant():
            pass
        case _:
            assert_never(value)
