"""The operators: what they make of two values, as in JavaScript."""

from __future__ import annotations

import math
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions import numbers, texts
from perdure.expressions.convert import Instant, is_number, primitive, to_number, to_text
from perdure.expressions.effort import handle, read
from perdure.expressions.protocol import UNDEFINED, Undefined
from perdure.expressions.texts import cut, joined, order, wide
from perdure.expressions.wording import kind

INDEX_DIGITS = 16


def strictly_equal(one: Any, other: Any) -> bool:
    """As ===; arrays and objects are equal only if they are the same one."""
    if is_number(one) and is_number(other):
        return numbers.double(one) == numbers.double(other)
    if isinstance(one, list | dict):
        return one is other
    return type(one) is type(other) and bool(_equal_texts(one, other) if type(one) is str else one == other)


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
        return _equal_texts(one, other)
    return to_number(one) == to_number(other)


def _equal_texts(one: str, other: str) -> bool:
    if len(one) != len(other):
        return False
    read(one)
    return one == other


def less(one: Any, other: Any) -> bool | None:
    """As <; None where one of them is not a number, so that neither <, nor >= is true."""
    one, other = primitive(one), primitive(other)
    if isinstance(one, str) and isinstance(other, str):
        return order(one) < order(other) if wide(one) or wide(other) else one < other
    left, right = to_number(one), to_number(other)
    return None if math.isnan(left) or math.isnan(right) else left < right


def add(one: Any, other: Any) -> Any:
    """As +."""
    if type(one) is int and type(other) is int:
        return numbers.normal(one + other)
    one, other = primitive(one), primitive(other)
    if isinstance(one, str) or isinstance(other, str):
        return joined("", (to_text(one), to_text(other)))
    return numbers.normal(to_number(one) + to_number(other))


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
    match as_text_if_time(other):
        case list() as items:
            handle(items)
            return any(strictly_equal(one, item) for item in items)
        case str() as text:
            read(text)
            return to_text(one) in text
        case dict() as entries:
            return to_text(one) in entries
        case None | Undefined():
            return False
        case _:
            raise EvaluationError(f"in asks an array, a text or an object, not {kind(other)}")


def width(value: Any) -> int:
    """How many items it becomes where arrays are joined."""
    return len(value) if isinstance(value, list) else 1


def as_text_if_time(value: Any) -> Any:
    """Where a text is looked into, `now` is one."""
    return to_text(value) if type(value) is Instant else value


def member(value: Any, name: str) -> Any:
    """A property. Of null and undefined, and wherever there is none, it is undefined."""
    if isinstance(value, dict):
        return value.get(name, UNDEFINED)
    value = as_text_if_time(value)
    if name == "length" and isinstance(value, str | list):
        return length(value)
    return UNDEFINED


def length(value: Any) -> int:
    return texts.length(value) if isinstance(value, str) else len(value)


def is_index(name: str) -> bool:
    """Whether it is how JavaScript writes a place in an array."""
    return len(name) < INDEX_DIGITS and name.isascii() and name.isdigit() and (name == "0" or name[0] != "0")


def item(value: Any, key: Any) -> Any:
    """value[key]"""
    value = as_text_if_time(value)
    if type(value) is list and type(key) is int and 0 <= key < len(value):  # the common case
        return value[key]
    if isinstance(value, list | str):
        name = to_text(key)
        if is_index(name):
            number = int(name)
            if number >= length(value):
                return UNDEFINED
            return cut(value, number, number + 1) if isinstance(value, str) else value[number]
        return member(value, name)
    return member(value, to_text(key))
