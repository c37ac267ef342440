"""Places in texts and arrays, as the methods of JavaScript count them."""

from __future__ import annotations

import math
from typing import Any

from perdure.expressions import convert, operators
from perdure.expressions.protocol import UNDEFINED


def place(value: Any, otherwise: int, size: int) -> int:
    """A place from the front, or if negative from the back, within `size`."""
    if value is UNDEFINED:
        return otherwise
    number = whole(value)
    return int(max(size + number, 0) if number < 0 else min(number, size))


def whole(value: Any) -> float:
    number = convert.to_number(value)
    return 0 if math.isnan(number) else float(math.trunc(number)) if math.isfinite(number) else number


def at(value: Any, number: Any = UNDEFINED) -> Any:
    size, found = operators.length(value), whole(number)
    found = size + found if found < 0 else found
    return operators.item(value, int(found)) if 0 <= found < size else UNDEFINED
