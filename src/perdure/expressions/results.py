"""What comes out of an expression: JSON and nothing else."""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions import numbers
from perdure.expressions.convert import Instant, as_double, iso, to_text
from perdure.expressions.effort import TEXT_MAX, not_too_deep, sized
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.texts import mended
from perdure.model.values import Json

_encoder = msgspec.json.Encoder()
BRACKETS, COMMA, QUOTES, KEY_SIGNS = "[]", ",", '""', '"":'
NUMBER_SIZE = 5
"""As long as a number, true, false and null are on average."""


def rendered(value: Any) -> str:
    """As a part of a longer text: null and undefined are nothing, arrays and objects compact JSON."""
    if isinstance(value, str):
        return value
    if value is None or value is UNDEFINED:
        return ""
    if isinstance(value, list | dict):
        return stringify(value)
    return to_text(value)


def stringify(value: Any, indent: str = "") -> str:
    """As JSON.stringify(value), for a value that is not undefined."""
    encoded = _encoder.encode(plain(value, as_text=True))
    if indent:
        lines = msgspec.json.format(encoded, indent=1).decode()
        return sized(re.sub("(?m)^ +", lambda found: indent * len(found[0]), lines))
    return sized(encoded.decode())


def plain(value: Any, *, as_text: bool = False) -> Json:
    """JSON and nothing else, and no more than a million characters of it: an instant is its text, what JSON has no number
    for is null, undefined is left out. `as_text`: numbers are written as JavaScript writes them.
    """
    if isinstance(value, list | dict):
        return _copied(value, {}, 0, as_text=as_text)[0]
    return _leaf(value, as_text=as_text)


def _copied(
    value: list[Any] | dict[str, Any], known: dict[int, tuple[Json, int]], depth: int, *, as_text: bool
) -> tuple[Json, int]:
    """A copy, and how many characters it has. What is in it twice is copied once, or a small expression could take forever."""
    found = known.get(id(value))
    if found is not None:
        return found
    not_too_deep(depth)
    size = len(BRACKETS)
    copies: list[Json] = []
    for item in value.values() if isinstance(value, dict) else value:
        if isinstance(item, list | dict):
            copy, more = _copied(item, known, depth + 1, as_text=as_text)
        else:
            copy = item if item is UNDEFINED else _leaf(item, as_text=as_text)
            more = len(copy) + len(QUOTES) if isinstance(copy, str) else NUMBER_SIZE
        size += more + len(COMMA)
        copies.append(copy)
    if isinstance(value, list):
        copied: Json = [None if copy is UNDEFINED else copy for copy in copies]
    else:
        size += sum(map(len, value)) + len(value) * len(KEY_SIGNS)
        copied = {mended(key): copy for key, copy in zip(value, copies, strict=True) if copy is not UNDEFINED}
    if size > TEXT_MAX:
        raise EvaluationError(f"the result is larger than an expression may make; the limit is {TEXT_MAX} characters")
    known[id(value)] = (copied, size)
    return copied, size


def _leaf(value: Any, *, as_text: bool) -> Json:
    match value:
        case str():
            return mended(value)
        case bool() | None:
            return value
        case Instant():
            return iso(int(value))
        case _:  # a number
            number = _whole(as_double(value)) if isinstance(value, float) or not -(2**63) <= value < 2**64 else value
            return msgspec.Raw(numbers.to_text(number).encode()) if as_text and number is not None else number


def _whole(value: float) -> Json:
    if not math.isfinite(value):
        return None
    return 0 if value == 0 else numbers.normal(value)
