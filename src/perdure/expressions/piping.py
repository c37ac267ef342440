"""The pipes: `items|map("id")|join(", ")`. A table; what is not in it cannot be used.

A pipe gets the value before it, then its arguments. `now` is the first argument of those that ask for the time.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import array_methods, functions, methods, numbers, operators, places, results, texts, times
from perdure.expressions import convert as v
from perdure.expressions.effort import ITEMS_A_STEP, handle, read, spend
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.wording import kind, shown

DAY_MS = 86_400_000
COUNTS_BELOW = 1_000_000
"""A number below is a count of days or hours; above it is an instant in milliseconds."""
SECONDS_BELOW = 1e11
"""For `isoDate` and `parseDate`: a number below is an instant in seconds, others are in milliseconds (1973 and later)."""


class PipeSpec(Struct, frozen=True):
    """`of_time`: it takes an instant as it is; to all others `now` is its text. `light`: it does not go through the value.

    `inner`: what its first argument is, if that is a literal text: an expression over each item, or a template.
    """

    compute: Callable[..., Any]
    needs_now: bool = False
    of_time: bool = False
    light: bool = False
    takes_function: bool = False
    inner: Literal["expression", "template"] | None = None


def _array(value: Any, pipe: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if value is None or value is UNDEFINED:
        return []
    raise EvaluationError(f"{pipe} needs an array, not {kind(value)}")


def _at(items: list[Any], path: Any) -> list[Any]:
    """The value at a path like "address.city", of each item."""
    names = v.to_text(path).split(".")
    spend(len(names) * (1 + len(items) // ITEMS_A_STEP))
    found = items
    for name in names:
        found = [operators.item(item, name) for item in found]
    return found


def _upper(value: Any) -> str:
    return results.rendered(value).upper()


def _lower(value: Any) -> str:
    return results.rendered(value).lower()


def _trim(value: Any) -> str:
    return results.rendered(value).strip(numbers.SPACE)


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return len(value)
    return operators.length(value) if isinstance(value, str | list) else 0


def _first(value: Any) -> Any:
    return operators.item(value, 0)


def _last(value: Any) -> Any:
    return operators.item(value, _length(value) - 1) if isinstance(value, str | list) else UNDEFINED


def _join(value: Any, by: Any = ",") -> str:
    return texts.joined(v.to_text(by), map(_rendered, _array(value, "join")))


def _rendered(item: Any) -> str:
    if not isinstance(item, list | dict):
        return results.rendered(item)
    found = results.stringify(item)
    spend(1)
    handle(found)
    return found


def _number(value: Any) -> Any:
    return numbers.normal(v.to_number(value))


def _map(value: Any, by: Any) -> list[Any]:
    items = _array(value, "map")
    if callable(by):
        return [by(item, number, items) for number, item in enumerate(items)]
    return [found for found in _at(items, by) if found is not UNDEFINED]


def _filter(value: Any, by: Any) -> list[Any]:
    call, items = array_methods.function(by, "filter"), _array(value, "filter")
    return [item for number, item in enumerate(items) if truthy(call(item, number, items))]


def _filter_by(value: Any, path: Any, wanted: Any) -> list[Any]:
    items = _array(value, "filterBy")
    return [item for item, own in zip(items, _at(items, path), strict=True) if operators.loosely_equal(own, wanted)]


def _find(value: Any, path: Any, wanted: Any = UNDEFINED) -> Any:
    items = _array(value, "find")
    if callable(path):
        return next((item for number, item in enumerate(items) if truthy(path(item, number, items))), UNDEFINED)
    pairs = zip(items, _at(items, path), strict=True)
    return next((item for item, own in pairs if operators.loosely_equal(own, wanted)), UNDEFINED)


def _flatten(value: Any) -> list[Any]:
    flat: list[Any] = methods.call(_array(value, "flatten"), "flat", [])
    return flat


def _unique(value: Any) -> list[Any]:
    """The first of each; arrays and objects by what they hold."""
    found: dict[str, Any] = {}
    for item in _array(value, "unique"):
        found.setdefault("undefined" if item is UNDEFINED else _key(item), item)
    return list(found.values())


def _key(item: Any) -> str:
    read(item)
    return f'"{item}"' if isinstance(item, str) else _rendered(item)


def _concat(value: Any, *others: Any) -> Any:
    if isinstance(value, str):
        return methods.call(value, "concat", list(others))
    return methods.call(_array(value, "concat"), "concat", list(others))


def _sort(value: Any, path: Any = UNDEFINED, direction: Any = "asc") -> list[Any]:
    """By a field, or by the items themselves: numbers as numbers, the rest as text. What has no value comes last."""
    if direction not in ("asc", "desc"):
        what = shown(direction) if isinstance(direction, str) else kind(direction)
        raise EvaluationError(f"sort goes 'asc' or 'desc', not {what}")
    items = _array(value, "sort")
    spend(len(items) // ITEMS_A_STEP)
    keyed = list(zip(items if path is UNDEFINED else _at(items, path), items, strict=True))
    there = [pair for pair in keyed if pair[0] is not UNDEFINED and pair[0] is not None]
    numeric = all(v.is_number(key) for key, _ in there)
    there.sort(
        key=lambda pair: v.to_number(pair[0]) if numeric else texts.order(v.to_text(pair[0])),
        reverse=direction == "desc",
    )
    return [item for _, item in there] + [item for key, item in keyed if key is UNDEFINED or key is None]


def _reverse(value: Any) -> Any:
    if isinstance(value, str):
        return value[::-1]
    return _array(value, "reverse")[::-1]


def _slice(value: Any, start: Any = UNDEFINED, end: Any = UNDEFINED) -> Any:
    return methods.call(value if isinstance(value, str) else _array(value, "slice"), "slice", [start, end])


def _chunk(value: Any, size: Any) -> list[Any]:
    items, count = _array(value, "chunk"), places.whole(size)
    if not 1 <= count < math.inf:
        raise EvaluationError("chunk needs a size of at least 1")
    return [items[start : start + int(count)] for start in range(0, len(items), int(count))]


def _has_overlap(value: Any, other: Any) -> bool:
    others = _array(other, "hasOverlap")
    return any(_has(others, item) for item in _array(value, "hasOverlap"))


def _has(items: list[Any], item: Any) -> bool:
    handle(items)
    return bool(methods.call(items, "includes", [item]))


def _format_list(value: Any, template: Any, by: Any = "\n") -> str:
    call = array_methods.function(template, "formatList")
    items = _array(value, "formatList")
    return texts.joined(v.to_text(by), (results.rendered(call(item, number)) for number, item in enumerate(items)))


def _parse_json(value: Any) -> Any:
    return None if value is None or value is UNDEFINED else functions.FUNCTIONS["JSON.parse"](value)


def _is_empty(value: Any) -> bool:
    """Return whether there is no date: null, undefined, or the empty string that date pipes make of those."""
    return value is None or value is UNDEFINED or value == ""


def _instant(value: Any) -> int:
    if v.is_number(value) and math.isfinite(numbers.double(value)):
        return int(value)
    if isinstance(value, str):
        return times.instant_ms(value)
    what = v.to_text(value) if v.is_number(value) else kind(value)
    raise EvaluationError(f"a date is needed here, an ISO text or a number of milliseconds, not {what}")


def _instant_in(value: Any, unit: Any) -> int:
    """Read a number in a unit, "s" or "ms". Without one, a small number is Unix seconds; `now` is always in milliseconds."""
    if unit not in (UNDEFINED, "s", "ms"):
        what = shown(unit) if isinstance(unit, str) else kind(unit)
        raise EvaluationError(f"the unit of a date is 's' or 'ms', not {what}")
    if v.is_number(value) and not isinstance(value, v.Instant) and math.isfinite(numbers.double(value)):
        is_small = abs(value) < SECONDS_BELOW
        return int(value * 1_000) if unit == "s" or (unit is UNDEFINED and is_small) else int(value)
    return _instant(value)


def _iso_date(value: Any, unit: Any = UNDEFINED) -> str:
    return "" if _is_empty(value) else v.iso(_instant_in(value, unit))


def _parse_date(value: Any, unit: Any = UNDEFINED) -> Any:
    return "" if _is_empty(value) else _instant_in(value, unit)


def _epoch_seconds(value: Any) -> Any:
    return "" if _is_empty(value) else _instant(value) // 1_000


def _comparing(compare: Callable[[int, int], bool]) -> Callable[..., Any]:
    """Compare two dates; a date that is not there is neither before nor after another."""

    def computed(value: Any, other: Any) -> bool:
        return not _is_empty(value) and not _is_empty(other) and compare(_instant(value), _instant(other))

    return computed


def _ago(unit_ms: int) -> Callable[..., Any]:
    """Of a date: how many of these units ago it was. Of a small number: the instant that was so many of them ago."""

    def computed(now: int, value: Any) -> Any:
        if _is_empty(value):
            return ""
        if v.is_number(value) and abs(value) < COUNTS_BELOW:
            return v.iso(int(now - value * unit_ms))
        return math.floor((now - _instant(value)) / unit_ms)

    return computed


PIPES: dict[str, PipeSpec] = {
    "boolean": PipeSpec(truthy),
    "chunk": PipeSpec(_chunk),
    "concat": PipeSpec(_concat),
    "daysAgo": PipeSpec(_ago(DAY_MS), needs_now=True, of_time=True),
    "epochSeconds": PipeSpec(_epoch_seconds, of_time=True),
    "filter": PipeSpec(_filter, takes_function=True, inner="expression"),
    "filterBy": PipeSpec(_filter_by),
    "find": PipeSpec(_find, takes_function=True),
    "first": PipeSpec(_first, light=True),
    "flatten": PipeSpec(_flatten),
    "formatList": PipeSpec(_format_list, takes_function=True, inner="template"),
    "hasOverlap": PipeSpec(_has_overlap),
    "hoursAgo": PipeSpec(_ago(3_600_000), needs_now=True, of_time=True),
    "isAfter": PipeSpec(_comparing(operator.gt), of_time=True),
    "isBefore": PipeSpec(_comparing(operator.lt), of_time=True),
    "isoDate": PipeSpec(_iso_date, of_time=True),
    "join": PipeSpec(_join),
    "keys": PipeSpec(functions.FUNCTIONS["Object.keys"]),
    "last": PipeSpec(_last, light=True),
    "length": PipeSpec(_length, light=True),
    "lower": PipeSpec(_lower),
    "map": PipeSpec(_map, takes_function=True),
    "minutesAgo": PipeSpec(_ago(60_000), needs_now=True, of_time=True),
    "number": PipeSpec(_number, of_time=True),
    "parseDate": PipeSpec(_parse_date, of_time=True),
    "parseJSON": PipeSpec(_parse_json),
    "reverse": PipeSpec(_reverse),
    "slice": PipeSpec(_slice, light=True),
    "sort": PipeSpec(_sort),
    "string": PipeSpec(lambda value: results.rendered(value)),
    "trim": PipeSpec(_trim),
    "unique": PipeSpec(_unique),
    "upper": PipeSpec(_upper),
    "values": PipeSpec(functions.FUNCTIONS["Object.values"]),
}
