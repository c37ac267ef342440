"""What a condition on an event demands to be equal: the keys by which waits can be found without asking each of them.

Only what must hold for the condition to be true counts: the parts of an `&&`. And only equality of a part of the event with
something that does not change while the wait is open.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from hashlib import blake2b

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import numbers
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.convert import to_number, to_text
from perdure.expressions.effort import begin, begin_value
from perdure.expressions.faults import internal_error, report
from perdure.expressions.operators import item
from perdure.expressions.protocol import UNDEFINED, Path, Scope
from perdure.expressions.walk import path_of, reads
from perdure.expressions.wording import pointer
from perdure.model.values import Json

IMMUTABLE = frozenset({"input", "trigger", "execution"})
"""Roots that stay as they are from the start of an execution on."""


KEY_MAX = 200
"""Longer keys are kept as their digests: what stands in an index has to be short."""


PLACE_MAX = 100
"""Nothing is looked up by what stands at a longer place in an event: the condition alone decides."""


class Key(Struct, frozen=True):
    """The part of the event at `path` equals what `other` computes from what it reads."""

    path: Path
    other: Callable[[Scope], Json]
    reads: tuple[Path, ...]

    @property
    def place(self) -> str:
        """The path as one text: a JSON pointer."""
        return "".join(f"/{pointer(name)}" for name in self.path)

    def of(self, scope: Scope) -> str | None:
        """What to look up by. None: it cannot be computed, and so the condition is never true."""
        begin_value()
        try:
            begin()
            return index_key(self.other(scope))
        except EvaluationError:
            return None
        except Exception as error:
            raise internal_error(self.place, error) from error


def index_key(value: Json) -> str:
    """Values that are equal, by == or by ===, have the same key; those that are not may have, too: the condition decides."""
    text = "" if value is None or value is UNDEFINED else to_text(value)
    number = to_number(value) if not isinstance(value, list | dict) else to_number(text)
    if value is None or value is UNDEFINED:
        return "nothing"
    return _short(f"text {text}" if math.isnan(number) else f"number {numbers.to_text(number)}")


def _short(key: str) -> str:
    return key if len(key) <= KEY_MAX and "\0" not in key else f"digest {blake2b(key.encode()).hexdigest()}"


def key_in(event: Json, place: str) -> str | None:
    """The key of what stands in an event at a place. None: it cannot be computed, and only the condition can tell."""
    begin_value()
    try:
        begin()
        found = event
        for name in place.split("/")[1:]:
            found = item(found, name.replace("~1", "/").replace("~0", "~"))
        return index_key(found)
    except EvaluationError:
        return None
    except Exception as error:  # noqa: BLE001  the condition is computed, and tells
        report(place, error)
        return None


def best(node: t.Node) -> Key | None:
    """The key that tells most waits apart: what is equal to a constant is the same for all of them."""
    found = list(keys(node))
    return next((key for key in found if key.reads), found[0] if found else None)


def keys(node: t.Node) -> Iterator[Key]:
    """The equalities without which a condition is never true, in the order in which they are written."""
    match node:
        case t.Logical(operator="&&", left=left, right=right):
            yield from keys(left)
            yield from keys(right)
        case t.Binary(operator="==" | "===", left=left, right=right):
            for one, other in ((left, right), (right, left)):
                path = path_of(one)
                read = reads(other)
                if path is not None and path[0] == "event" and path[1:] and all(root[0] in IMMUTABLE for root in read):
                    key = Key(path[1:], compute(other), tuple(sorted(read)))
                    if len(key.place) <= PLACE_MAX:
                        yield key
                    return
        case _:
            return
