"""What a condition on an event demands to be equal: the keys by which waits can be found without asking each of them.

Only what must hold for the condition to be true counts: the parts of an `&&`. And only equality of a part of the event with
something that does not change while the wait is open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import numbers
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.convert import to_number, to_text
from perdure.expressions.effort import begin, begin_value
from perdure.expressions.parse import parse
from perdure.expressions.protocol import UNDEFINED, Path, Scope
from perdure.expressions.walk import path_of, reads
from perdure.model.values import Json

IMMUTABLE = frozenset({"input", "trigger", "execution"})
"""Roots that stay as they are from the start of an execution on."""


class Key(Struct, frozen=True):
    """The part of the event at `path` equals what `other` computes."""

    path: Path
    other: Callable[[Scope], Json]

    def of(self, scope: Scope) -> str | None:
        """What to look up by. None: it cannot be computed, and so the condition is never true."""
        begin_value()
        try:
            begin()
            return index_key(self.other(scope))
        except EvaluationError:
            return None


def index_key(value: Json) -> str:
    """Values that are equal, by == or by ===, have the same key; those that are not may have, too: the condition decides."""
    text = "" if value is None or value is UNDEFINED else to_text(value)
    number = to_number(value) if not isinstance(value, list | dict) else to_number(text)
    if value is None or value is UNDEFINED:
        return "nothing"
    return f"text {text}" if math.isnan(number) else f"number {numbers.to_text(number)}"


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
                    yield Key(path[1:], compute(other))
                    return
        case _:
            return
