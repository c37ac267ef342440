"""Values from outside, made such that every store keeps them as they are: plain JSON, small enough, readable by everybody."""

from __future__ import annotations

import math
from typing import Any

from perdure.errors import PerdureError
from perdure.expressions import numbers
from perdure.expressions.texts import storable
from perdure.model.values import Json

DEPTH_MAX = 200
SIZE_MAX = 8 << 20
"""Characters and items of one value."""

INT_MIN, INT_MAX = -(2**63), 2**64 - 1
"""Integers that stay integers; beyond that, a number is a double, as it is in JavaScript."""

ESCAPED_NUL = b"\\u0000"
"""NUL in encoded JSON. A backslash before the letters `u0000` matches too, which only costs time."""


class NotJson(PerdureError, code="not_json"):
    """A value from outside that cannot be kept; the message says where and why."""


def canonical(value: Any) -> Json:
    """The value as JSON has it: tuples are lists, what is no number is null, NUL and lone surrogates are U+FFFD. Raises `NotJson`
    for what has no such form.
    """
    try:
        return _copy(value, None, 0, [SIZE_MAX])
    except NotJson:
        return _copy(value, "", 0, [SIZE_MAX])  # raises it again, and says where


def _copy(value: Any, path: str | None, depth: int, left: list[int]) -> Json:
    """`path` is None unless it is needed for an error: to build one for each part takes most of the time."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if INT_MIN <= value <= INT_MAX else _finite(numbers.double(value))
    if kind is float:
        return _finite(value)
    if kind is str:
        _spend(left, len(value), path)
        return storable(value)
    if depth > DEPTH_MAX:
        raise NotJson(f"{path or '/'}: a value is at most {DEPTH_MAX} levels deep")
    if isinstance(value, dict):
        _spend(left, len(value), path)
        if path is None:
            return {_key(key, path): _copy(item, None, depth + 1, left) for key, item in value.items()}
        return {_key(key, path): _copy(item, f"{path}/{key}", depth + 1, left) for key, item in value.items()}
    if isinstance(value, list | tuple):
        _spend(left, len(value), path)
        if path is None:
            return [
                item if type(item) is int and INT_MIN <= item <= INT_MAX else _copy(item, None, depth + 1, left)
                for item in value
            ]
        return [_copy(item, f"{path}/{number}", depth + 1, left) for number, item in enumerate(value)]
    if isinstance(value, str | int | float):  # a subclass: an enum, say
        plain = _plainly(value)
        return _copy(plain, path, depth, left)
    raise NotJson(
        f"{path or '/'}: {type(value).__name__} is not JSON; use dicts, lists, texts, numbers, booleans or None"
    )


def _plainly(value: str | float) -> str | int | float:
    """Not by way of its own words: an enum says `Colour.RED` of what is "red"."""
    if isinstance(value, str):
        return str.__str__(value)
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def _key(key: Any, path: str | None) -> str:
    if not isinstance(key, str):
        raise NotJson(f"{path or '/'}: the key {key!r} is not a text")
    return storable(key)


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def _spend(left: list[int], size: int, path: str | None) -> None:
    left[0] -= size
    if left[0] < 0:
        raise NotJson(
            f"{path or '/'}: the value is larger than {SIZE_MAX:,} characters; keep it elsewhere and pass on where"
        )
