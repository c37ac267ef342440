"""The pipes: `items|map("id")|join(", ")`. A table; what is not in it cannot be used.

A pipe gets the value before it, then its arguments. `now` is the first argument of those that ask for the time.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import functions, methods, numbers, times
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.wording import kind

DAY_MS = 86_400_000
COUNTS_BELOW = 1_000_000
"""A number below is a count of days or hours; above it is an instant in milliseconds."""


class PipeSpec(Struct, frozen=True):
    """`of_time`: it takes an instant as it is; to all others `now` is its text.

    `inner`: what its first argument is, if that is a literal text: an expression over each item, or a template.
    """

    compute: Callable[..., Any]
    needs_now: bool = False
    of_time: bool = False
    inner: Literal["expression", "template"] | None = None


def _array(value: Any, pipe: str) -> list[Any]:
    if isinstance(value, list):
        return value
    if value is None or value is UNDEFINED:
        return []
    raise EvaluationError(f"{pipe} needs an array, not {kind(value)}")


def _at(item: Any, path: Any) -> Any:
    """The value at a path like "address.city"."""
    for name in v.to_text(path).split("."):
        item = v.item(item, name)
    return item


def _upper(value: Any) -> str:
    return v.rendered(value).upper()


def _lower(value: Any) -> str:
    return v.rendered(value).lower()


def _trim(value: Any) -> str:
    return v.rendered(value).strip(numbers.SPACE)


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return len(value)
    return v.length(value) if isinstance(value, str | list) else 0


def _first(value: Any) -> Any:
    return v.item(value, 0)


def _last(value: Any) -> Any:
    return v.item(value, _length(value) - 1) if isinstance(value, str | list) else UNDEFINED


def _join(value: Any, by: Any = ",") -> str:
    return v.sized(v.to_text(by).join(v.rendered(item) for item in _array(value, "join")))


def _number(value: Any) -> Any:
    return numbers.normal(v.to_number(value))


def _map(value: Any, by: Any) -> list[Any]:
    items = _array(value, "map")
    if callable(by):
        return [by(item, number, items) for number, item in enumerate(items)]
    return [_at(item, by) for item in items]


def _filter(value: Any, by: Any) -> list[Any]:
    call, items = methods.function(by, "filter"), _array(value, "filter")
    return [item for number, item in enumerate(items) if truthy(call(item, number, items))]


def _filter_by(value: Any, path: Any, wanted: Any) -> list[Any]:
    return [item for item in _array(value, "filterBy") if v.loosely_equal(_at(item, path), wanted)]


def _find(value: Any, path: Any, wanted: Any = UNDEFINED) -> Any:
    items = _array(value, "find")
    if callable(path):
        return next((item for number, item in enumerate(items) if truthy(path(item, number, items))), UNDEFINED)
    return next((item for item in items if v.loosely_equal(_at(item, path), wanted)), UNDEFINED)


def _flatten(value: Any) -> list[Any]:
    found: list[Any] = []
    for item in _array(value, "flatten"):
        found.extend(item) if isinstance(item, list) else found.append(item)
    return v.fitting(found)


def _unique(value: Any) -> list[Any]:
    """The first of each; arrays and objects by what they hold."""
    found: dict[str, Any] = {}
    for item in _array(value, "unique"):
        found.setdefault("undefined" if item is UNDEFINED else v.stringify(item), item)
    return list(found.values())


def _concat(value: Any, *others: Any) -> Any:
    if isinstance(value, str):
        return methods.call(value, "concat", list(others))
    return methods.call(_array(value, "concat"), "concat", list(others))


def _sort(value: Any, path: Any = UNDEFINED, direction: Any = "asc") -> list[Any]:
    """By a field, or by the items themselves: numbers as numbers, the rest as text. What has no value comes last."""
    if direction not in ("asc", "desc"):
        raise EvaluationError(f"sort goes 'asc' or 'desc', not {v.to_text(direction)!r}")
    items = _array(value, "sort")
    keyed = [(item if path is UNDEFINED else _at(item, path), item) for item in items]
    there = [pair for pair in keyed if pair[0] is not UNDEFINED and pair[0] is not None]
    numeric = all(v.is_number(key) for key, _ in there)
    there.sort(
        key=lambda pair: v.to_number(pair[0]) if numeric else v.code_units(v.to_text(pair[0])),
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
    items, count = _array(value, "chunk"), methods.whole(size)
    if not 1 <= count < math.inf:
        raise EvaluationError("chunk needs a size of at least 1")
    return [items[start : start + int(count)] for start in range(0, len(items), int(count))]


def _has_overlap(value: Any, other: Any) -> bool:
    return any(methods.call(_array(other, "hasOverlap"), "includes", [item]) for item in _array(value, "hasOverlap"))


def _format_list(value: Any, template: Any, by: Any = "\n") -> str:
    call = methods.function(template, "formatList")
    rows = [v.rendered(call(item, number)) for number, item in enumerate(_array(value, "formatList"))]
    return v.sized(v.to_text(by).join(rows))


def _instant(value: Any) -> int:
    if v.is_number(value) and math.isfinite(v.as_double(value)):
        return int(value)
    if isinstance(value, str):
        return times.instant_ms(value)
    what = v.to_text(value) if v.is_number(value) else kind(value)
    raise EvaluationError(f"a date is needed here, an ISO text or a number of milliseconds, not {what}")


def _ago(unit_ms: int) -> Callable[..., Any]:
    """Of a date: how many of these units ago it was. Of a small number: the instant that was so many of them ago."""

    def computed(now: int, value: Any) -> Any:
        if v.is_number(value) and abs(value) < COUNTS_BELOW:
            return v.iso(int(now - value * unit_ms))
        return math.floor((now - _instant(value)) / unit_ms)

    return computed


PIPES: dict[str, PipeSpec] = {
    "boolean": PipeSpec(truthy),
    "chunk": PipeSpec(_chunk),
    "concat": PipeSpec(_concat),
    "daysAgo": PipeSpec(_ago(DAY_MS), needs_now=True, of_time=True),
    "epochSeconds": PipeSpec(lambda value: _instant(value) // 1_000, of_time=True),
    "filter": PipeSpec(_filter, inner="expression"),
    "filterBy": PipeSpec(_filter_by),
    "find": PipeSpec(_find),
    "first": PipeSpec(_first),
    "flatten": PipeSpec(_flatten),
    "formatList": PipeSpec(_format_list, inner="template"),
    "hasOverlap": PipeSpec(_has_overlap),
    "hoursAgo": PipeSpec(_ago(3_600_000), needs_now=True, of_time=True),
    "isAfter": PipeSpec(lambda value, other: _instant(value) > _instant(other), of_time=True),
    "isBefore": PipeSpec(lambda value, other: _instant(value) < _instant(other), of_time=True),
    "isoDate": PipeSpec(lambda value: v.iso(_instant(value)), of_time=True),
    "join": PipeSpec(_join),
    "keys": PipeSpec(functions.FUNCTIONS["Object.keys"]),
    "last": PipeSpec(_last),
    "length": PipeSpec(_length),
    "lower": PipeSpec(_lower),
    "map": PipeSpec(_map),
    "minutesAgo": PipeSpec(_ago(60_000), needs_now=True, of_time=True),
    "number": PipeSpec(_number, of_time=True),
    "parseDate": PipeSpec(_instant, of_time=True),
    "parseJSON": PipeSpec(functions.FUNCTIONS["JSON.parse"]),
    "reverse": PipeSpec(_reverse),
    "slice": PipeSpec(_slice),
    "sort": PipeSpec(_sort),
    "string": PipeSpec(v.rendered),
    "trim": PipeSpec(_trim),
    "unique": PipeSpec(_unique),
    "upper": PipeSpec(_upper),
    "values": PipeSpec(functions.FUNCTIONS["Object.values"]),
}
