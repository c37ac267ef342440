"""What a condition on an event demands to be equal: the keys by which waits can be found without asking each of them.

Only what must hold for the condition to be true counts: the parts of an `&&`. And only equality of a part of the event with
something that does not change while the wait is open.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from perdure.expressions import tree as t
from perdure.expressions.parse import parse
from perdure.expressions.protocol import Path
from perdure.expressions.walk import path_of, reads

IMMUTABLE = frozenset({"input", "trigger", "execution"})
"""Roots that stay as they are from the start of an execution on."""


class Key(Struct, frozen=True):
    """The part of the event at `path` equals what `other` computes."""

    path: Path
    other: t.Node


def keys(source: str) -> tuple[Key, ...]:
    """The equalities without which the condition is never true, in the order in which they are written."""
    return tuple(_keys(parse(source)))


def _keys(node: t.Node) -> Iterator[Key]:
    match node:
        case t.Logical(operator="&&", left=left, right=right):
            yield from _keys(left)
            yield from _keys(right)
        case t.Binary(operator="==" | "===", left=left, right=right):
            for one, other in ((left, right), (right, left)):
                path = path_of(one)
                if path is not None and path[0] == "event" and all(read[0] in IMMUTABLE for read in reads(other)):
                    yield Key(path[1:], other)
                    return
        case _:
            return
