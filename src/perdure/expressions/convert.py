"""What JavaScript makes of a value where it needs another: a number, a text, a truth; and when two values are equal.

Values are JSON, and `UNDEFINED`. A number is an int or a float, and means the double that JavaScript would have.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions import numbers, times
from perdure.expressions.effort import ITEMS_A_STEP, handle, spend
from perdure.expressions.protocol import UNDEFINED, Undefined
from perdure.expressions.wording import kind
from perdure.model.values import Json

TEXT_MAX = 1 << 20
"""How long a text may get while an expression is computed, and how large its result, in characters."""

LIST_MAX = 100_000
LEVELS_MAX = 200
"""How deep a value may be that an expression makes, copies or reads as a text."""

INDEX_DIGITS = 16
_HALF = re.compile("[\ud800-\udfff]")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")

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
        case _:  # undefined, or an object
            return math.nan


def as_double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


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
            _not_too_deep(depth)
            return joined(
                ",", ("" if item is None or item is UNDEFINED else to_text(item, depth + 1) for item in value)
            )
        case _:
            return "[object Object]"


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
    _not_too_deep(depth)
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


BRACKETS, COMMA, QUOTES, KEY_SIGNS = "[]", ",", '""', '"":'
NUMBER_SIZE = 5
"""As long as a number, true, false and null are on average."""


def _not_too_deep(depth: int) -> None:
    if depth > LEVELS_MAX:
        raise EvaluationError(f"the value is more than {LEVELS_MAX} levels deep")


def _leaf(value: Any, *, as_text: bool) -> Json:
    match value:
        case str():
            return mended(value)
        case bool() | None:
            return value
        case Instant():
            return iso(int(value))
        case int() | float():
            number = _whole(as_double(value)) if isinstance(value, float) or not -(2**63) <= value < 2**64 else value
            return msgspec.Raw(numbers.to_text(number).encode()) if as_text and number is not None else number
        case _:
            return None


def mended(text: str) -> str:
    """Halves of a pair that stand alone become U+FFFD: no JSON can hold them."""
    return text if text.isascii() else _HALF.sub("\ufffd", from_code_units(text))


def _whole(value: float) -> Json:
    if not math.isfinite(value):
        return None
    return 0 if value == 0 else numbers.normal(value)


def joined(separator: str, texts: Iterable[str]) -> str:
    """The texts, with the separator between them; no further than a text may be long."""
    parts: list[str] = []
    length = -len(separator)
    for text in texts:
        length += len(separator) + len(text)
        if length > TEXT_MAX:
            raise EvaluationError(_TOO_LONG)
        parts.append(text)
    return from_code_units(separator.join(parts))


_TOO_LONG = f"a text gets longer than an expression may make; the limit is {TEXT_MAX} characters"


def sized(text: str) -> str:
    if len(text) > TEXT_MAX:
        raise EvaluationError(_TOO_LONG)
    return text


def fitting(count: int) -> None:
    """Before an array gets so many items."""
    if count > LIST_MAX:
        raise EvaluationError(f"an array gets longer than an expression may make; the limit is {LIST_MAX} items")


def width(value: Any) -> int:
    """How many items it becomes where arrays are joined."""
    return len(value) if isinstance(value, list) else 1


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
    if text.isascii():
        return text
    handle(text)
    if _BEYOND.search(text) is None:
        return text
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(map(chr, units))


def from_code_units(text: str) -> str:
    """The text that these code units make; halves of a pair that stand alone stay as they are."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def add(one: Any, other: Any) -> Any:
    """As +."""
    if type(one) is int and type(other) is int:
        return _exact(one + other)
    one, other = primitive(one), primitive(other)
    if isinstance(one, str) or isinstance(other, str):
        return joined("", (to_text(one), to_text(other)))
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
            handle(other)
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
