"""What JavaScript makes of a value where it needs another: a number, a text, a truth; and when two values are equal.

Values are JSON, and `UNDEFINED`. A number is an int or a float, and means the double that JavaScript would have.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions import numbers, times
from perdure.expressions.protocol import UNDEFINED, Undefined
from perdure.expressions.wording import kind
from perdure.model.values import Json

TEXT_MAX = 1 << 20
"""How long a text may get while an expression is computed, and how large its result, in characters."""

LIST_MAX = 1 << 20
INDEX_DIGITS = 16

_encoder = msgspec.json.Encoder()


class Instant(int):
    """`now`: a number of milliseconds that is an ISO instant wherever a text is needed."""

    __slots__ = ()


def iso(ms: int) -> str:
    try:
        return times.iso(ms)
    except ValueError as error:
        raise EvaluationError(str(error)) from error


def to_number(value: Any) -> float:
    """As Number(value)."""
    match value:
        case bool():
            return float(value)
        case int() | float():
            return as_double(value)
        case str():
            return as_double(numbers.from_text(value))
        case None:
            return 0.0
        case list():
            return to_number(to_text(value))
        case _:
            return math.nan


def as_double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_text(value: Any) -> str:
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
            return sized(",".join("" if item is None or item is UNDEFINED else to_text(item) for item in value))
        case dict():
            return "[object Object]"
        case _:
            raise EvaluationError("a function has no text")


def rendered(value: Any) -> str:
    """As a part of a longer text: null and undefined are nothing, arrays and objects compact JSON."""
    if isinstance(value, str):
        return value
    if value is None or value is UNDEFINED:
        return ""
    if isinstance(value, list | dict):
        return stringify(value)
    return to_text(value)


def stringify(value: Any) -> str:
    """As JSON.stringify(value), for a value that is not undefined."""
    return sized(_encoder.encode(plain(value)).decode())


def result(value: Any) -> Json:
    """What comes out of an expression: JSON and nothing else, and no more than a million characters of it."""
    found = plain(value)
    if isinstance(found, list | dict) and _weight(found, TEXT_MAX) > TEXT_MAX:
        raise EvaluationError(f"the result is larger than an expression may make; the limit is {TEXT_MAX} characters")
    return found


def _weight(value: Json, most: int) -> int:
    """How many characters and items there are, counted no further than `most`."""
    if isinstance(value, str):
        return len(value) + 1
    if not isinstance(value, list | dict):
        return 1
    total = 1 + (sum(map(len, value)) if isinstance(value, dict) else 0)
    for item in value.values() if isinstance(value, dict) else value:
        total += _weight(item, most - total)
        if total > most:
            break
    return total


def plain(value: Any) -> Json:
    """JSON and nothing else: an instant is its text, what JSON has no number for is null, undefined is left out."""
    match value:
        case str():
            return _mended(value)
        case bool() | None:
            return value
        case Instant():
            return iso(int(value))
        case int():
            return value if -(2**63) <= value < 2**64 else _whole(as_double(value))
        case float():
            return _whole(value)
        case list():
            return [None if item is UNDEFINED else plain(item) for item in value]
        case dict():
            return {key: plain(item) for key, item in value.items() if item is not UNDEFINED}
        case Undefined():
            return None
        case _:
            raise EvaluationError("a function is not a value; call it, or pass it to a method")


def _mended(text: str) -> str:
    """Halves of a pair that stand alone become U+FFFD: no JSON can hold them."""
    if text.isascii():
        return text
    return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in from_code_units(text))


def _whole(value: float) -> Json:
    if not math.isfinite(value):
        return None
    return 0 if value == 0 else numbers.normal(value)


def sized(text: str) -> str:
    if len(text) > TEXT_MAX:
        raise EvaluationError(
            f"a text of {len(text)} characters is longer than an expression may make; the limit is {TEXT_MAX}"
        )
    return text


def fitting(items: list[Any]) -> list[Any]:
    if len(items) > LIST_MAX:
        raise EvaluationError(
            f"an array of {len(items)} items is longer than an expression may make; the limit is {LIST_MAX}"
        )
    return items


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def strictly_equal(one: Any, other: Any) -> bool:
    """As ===; arrays and objects are equal only if they are the same one."""
    if is_number(one) and is_number(other):
        return as_double(one) == as_double(other)
    if isinstance(one, list | dict):
        return one is other
    return type(one) is type(other) and bool(one == other)


def loosely_equal(one: Any, other: Any) -> bool:
    """As ==."""
    nothing = (None, UNDEFINED)
    if one in nothing or other in nothing:
        return one in nothing and other in nothing
    if isinstance(one, list | dict) and isinstance(other, list | dict):
        return one is other
    if isinstance(one, list | dict):
        return loosely_equal(to_text(one), other)
    if isinstance(other, list | dict):
        return loosely_equal(one, to_text(other))
    if type(one) is type(other) and isinstance(one, str):
        return bool(one == other)
    return to_number(one) == to_number(other)


def less(one: Any, other: Any) -> bool | None:
    """As <; None where one of them is not a number, so that neither <, nor >= is true."""
    one, other = primitive(one), primitive(other)
    if isinstance(one, str) and isinstance(other, str):
        return code_units(one) < code_units(other)
    left, right = to_number(one), to_number(other)
    return None if math.isnan(left) or math.isnan(right) else left < right


def primitive(value: Any) -> Any:
    return to_text(value) if isinstance(value, list | dict) else value


def code_units(text: str) -> str:
    """A text with one character for each UTF-16 code unit, as JavaScript counts and compares them."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(map(chr, units))


def from_code_units(text: str) -> str:
    """The text that these code units make; halves of a pair that stand alone stay as they are."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def add(one: Any, other: Any) -> Any:
    """As +."""
    if type(one) is int and type(other) is int:
        return _exact(one + other)
    one, other = primitive(one), primitive(other)
    if isinstance(one, str) or isinstance(other, str):
        return from_code_units(sized(to_text(one) + to_text(other)))
    return numbers.normal(to_number(one) + to_number(other))


def _exact(value: int) -> Any:
    return value if -(2**53) < value < 2**53 else numbers.normal(as_double(value))


def subtract(one: Any, other: Any) -> Any:
    return numbers.normal(to_number(one) - to_number(other))


def multiply(one: Any, other: Any) -> Any:
    return numbers.normal(to_number(one) * to_number(other))


def divide(one: Any, other: Any) -> Any:
    left, right = to_number(one), to_number(other)
    if right == 0:
        if left == 0 or math.isnan(left):
            return math.nan
        return math.inf if math.copysign(1, left) == math.copysign(1, right) else -math.inf
    return numbers.normal(left / right)


def remainder(one: Any, other: Any) -> Any:
    left, right = to_number(one), to_number(other)
    if right == 0 or not math.isfinite(left) or math.isnan(right):
        return math.nan
    return numbers.normal(math.fmod(left, right))


def power(one: Any, other: Any) -> Any:
    left, right = to_number(one), to_number(other)
    if math.isnan(right) or (abs(left) == 1 and math.isinf(right)):
        return math.nan
    try:
        return numbers.normal(math.pow(left, right))
    except OverflowError:
        return -math.inf if left < 0 and right % 2 == 1 else math.inf
    except ValueError:  # a root of something negative, or zero to a negative power
        if left == 0:
            return -math.inf if math.copysign(1, left) < 0 and right % 2 == 1 else math.inf
        return math.nan


def contains(one: Any, other: Any) -> bool:
    """`in`: an item of an array, a part of a text, a key of an object; in nothing there is nothing."""
    match other:
        case list():
            return any(strictly_equal(one, item) for item in other)
        case str():
            return to_text(one) in other
        case dict():
            return to_text(one) in other
        case None | Undefined():
            return False
        case _:
            raise EvaluationError(f"in asks an array, a text or an object, not {kind(other)}")


def member(value: Any, name: str) -> Any:
    """A property. Of null and undefined, and wherever there is none, it is undefined."""
    if isinstance(value, dict):
        return value.get(name, UNDEFINED)
    if name == "length" and isinstance(value, str | list):
        return length(value)
    return UNDEFINED


def length(value: Any) -> int:
    return len(code_units(value)) if isinstance(value, str) else len(value)


def is_index(name: str) -> bool:
    """Whether it is how JavaScript writes a place in an array."""
    return name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and len(name) < INDEX_DIGITS


def item(value: Any, key: Any) -> Any:
    """value[key]"""
    if isinstance(value, list | str):
        name = to_text(key)
        if is_index(name):
            items = code_units(value) if isinstance(value, str) else value
            return items[int(name)] if int(name) < len(items) else UNDEFINED
        return member(value, name)
    return member(value, to_text(key))
