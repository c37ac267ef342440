"""What comes out of an expression: JSON and nothing else."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions import numbers
from perdure.expressions.convert import Instant, iso, to_text
from perdure.expressions.effort import TEXT_MAX, not_too_deep, sized, spend
from perdure.expressions.protocol import UNDEFINED, Undefined
from perdure.expressions.texts import joined, mended, storable
from perdure.model.values import Json

_encoder = msgspec.json.Encoder()
BRACKETS, COMMA, QUOTES, KEY_SIGNS = "[]", ",", '""', '"":'
NUMBER_SIZE = 5
"""As long as a number, true, false and null are on average."""

COPIES_A_STEP = 4
_COPIED_AS_THEY_ARE = frozenset({bool, type(None), Undefined})
_TOO_LARGE = f"the result is larger than an expression may make; the limit is {TEXT_MAX} characters"


def rendered(value: Any, *, free: bool = False) -> str:
    """As a part of a longer text: null and undefined are nothing, arrays and objects compact JSON. `free`: at no cost to
    the expression, because it has come to its end.
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int or kind is float:  # `now` is neither
        return numbers.to_text(value)
    if value is None or value is UNDEFINED:
        return ""
    return stringify(value, free=free) if isinstance(value, list | dict) else to_text(value)


def stringify(value: Any, indent: str = "", *, free: bool = False) -> str:
    """As JSON.stringify(value), for a value that is not undefined."""
    copying = _Copying(as_text=True)
    encoded = _encoder.encode(copying.plain(value))
    if not free:
        spend(copying.handled // COPIES_A_STEP)
    if indent:
        lines = msgspec.json.format(encoded, indent=1).decode().split("\n")
        return joined("\n", (indent * (len(line) - len(line.lstrip(" "))) + line.lstrip(" ") for line in lines))
    return sized(encoded.decode())


def plain(value: Any) -> Json:
    """JSON and nothing else, and no more than a million characters of it: an instant is its text, what JSON has no number
    for is null, undefined is left out, NUL and lone surrogates are U+FFFD.
    """
    kind = type(value)
    if kind is str:
        return storable(value)
    return value if kind in _COPIED_AS_THEY_ARE else _Copying(as_text=False).plain(value)


class _Copying:
    """What is in a value twice is copied once, or a small expression could take forever. `as_text`: numbers are written as
    JavaScript writes them.
    """

    def __init__(self, *, as_text: bool) -> None:
        self.as_text = as_text
        self.mend = mended if as_text else storable  # JSON has an escape for NUL; databases do not store it
        self.handled = 0
        self.known: dict[int, tuple[Json, int]] = {}
        """By identity: the copy, and how many characters it has."""

    def plain(self, value: Any) -> Json:
        return self.copied(value, 0)[0] if isinstance(value, list | dict) else self.leaf(value)

    def copied(self, value: list[Any] | dict[str, Any], depth: int) -> tuple[Json, int]:
        found = self.known.get(id(value))
        if found is not None:
            return found
        not_too_deep(depth)
        self.handled += len(value)
        size = len(BRACKETS) + (sum(map(len, value)) + len(value) * len(KEY_SIGNS) if isinstance(value, dict) else 0)
        copies: list[Json] = []
        for item in value.values() if isinstance(value, dict) else value:
            kind = type(item)
            if kind is list or kind is dict:
                copy, more = self.copied(item, depth + 1)
            elif kind is str:
                copy, more = item, len(item) + len(QUOTES)
            else:
                copy, more = item if kind in _COPIED_AS_THEY_ARE else self.leaf(item), NUMBER_SIZE
            size += more + len(COMMA)
            if size > TEXT_MAX:
                raise EvaluationError(_TOO_LARGE)
            copies.append(self.mend(copy) if kind is str else copy)
        if isinstance(value, list):
            copied: Json = [None if copy is UNDEFINED else copy for copy in copies]
        else:
            copied = {self.mend(key): copy for key, copy in zip(value, copies, strict=True) if copy is not UNDEFINED}
        self.known[id(value)] = (copied, size)
        return copied, size

    def leaf(self, value: Any) -> Json:
        match value:
            case str():
                return self.mend(value)
            case bool() | None:
                return value
            case Instant():
                return iso(int(value))
            case _:  # a number
                if type(value) is int and abs(value) <= numbers.WHOLE_MAX:
                    return value
                whole = isinstance(value, int) and -(2**63) <= value < 2**64
                number = value if whole else _whole(numbers.double(value))
                return msgspec.Raw(numbers.to_text(number).encode()) if self.as_text and number is not None else number


def _whole(value: float) -> Json:
    if not math.isfinite(value):
        return None
    return 0 if value == 0 else numbers.normal(value)
