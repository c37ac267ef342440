"""What JavaScript makes of a value where it needs another: a number or a text.

Values are JSON, and `UNDEFINED`. A number is an int or a float, and means the double that JavaScript would have.
"""

from __future__ import annotations

import math
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions import numbers, times
from perdure.expressions.effort import ITEMS_A_STEP, not_too_deep, read, spend
from perdure.expressions.protocol import UNDEFINED, Undefined
from perdure.expressions.texts import joined


class Instant(int):
    """`now`: a number of milliseconds that is an ISO instant wherever a text is needed."""

    __slots__ = ()


def iso(ms: int) -> str:
    if ms != times.clamp_ms(ms):
        raise EvaluationError(f"{ms} ms since 1970 is outside the years 0 to 9999")
    return times.iso(ms)


def to_number(value: Any) -> float:
    """As Number(value)."""
    match value:
        case bool():
            return float(value)
        case int() | float():
            return numbers.double(value)
        case str():
            read(value)
            return numbers.double(numbers.from_text(value))
        case None:
            return 0.0
        case list():
            return to_number(to_text(value))
        case _:  # undefined, or an object
            return math.nan


def to_text(value: Any, depth: int = 0) -> str:
    """As String(value)."""
    match value:
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case Instant():
            return iso(int(value))
        case int() | float():
            return numbers.to_text(value)
        case None:
            return "null"
        case Undefined():
            return "undefined"
        case list():
            spend(1 + len(value) // ITEMS_A_STEP)
            not_too_deep(depth)
            return joined(
                ",", ("" if item is None or item is UNDEFINED else to_text(item, depth + 1) for item in value)
            )
        case _:
            return "[object Object]"


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def primitive(value: Any) -> Any:
    return to_text(value) if isinstance(value, list | dict) else value
