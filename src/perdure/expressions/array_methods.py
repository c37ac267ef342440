"""The methods of arrays. Functions get (item, index, array), as in JavaScript."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import effort, operators, places, texts
from perdure.expressions.effort import ITEMS_A_STEP, spend
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.wording import kind


def function(value: Any, method: str) -> Callable[..., Any]:
    if not callable(value):
        raise EvaluationError(f"{method} needs a function, as in x => x.id, not {kind(value)}")
    found: Callable[..., Any] = value
    return found


def _each(items: list[Any], given: Any, method: str) -> list[Any]:
    call = function(given, method)
    return [call(item, number, items) for number, item in enumerate(items)]


def _map(items: list[Any], given: Any = UNDEFINED) -> list[Any]:
    return _each(items, given, "map")


def _filter(items: list[Any], given: Any = UNDEFINED) -> list[Any]:
    call = function(given, "filter")
    return [item for number, item in enumerate(items) if truthy(call(item, number, items))]


def _find_place(items: list[Any], given: Any, method: str, *, last: bool = False) -> int:
    call = function(given, method)
    places = range(len(items) - 1, -1, -1) if last else range(len(items))
    return next((number for number in places if truthy(call(items[number], number, items))), -1)


def _find(items: list[Any], given: Any = UNDEFINED) -> Any:
    found = _find_place(items, given, "find")
    return UNDEFINED if found < 0 else items[found]


def _find_index(items: list[Any], given: Any = UNDEFINED) -> int:
    return _find_place(items, given, "findIndex")


def _find_last(items: list[Any], given: Any = UNDEFINED) -> Any:
    found = _find_place(items, given, "findLast", last=True)
    return UNDEFINED if found < 0 else items[found]


def _some(items: list[Any], given: Any = UNDEFINED) -> bool:
    return _find_place(items, given, "some") >= 0


def _every(items: list[Any], given: Any = UNDEFINED) -> bool:
    call = function(given, "every")
    return all(truthy(call(item, number, items)) for number, item in enumerate(items))


_NO_START = object()


def _reduce(items: list[Any], given: Any = UNDEFINED, start: Any = _NO_START) -> Any:
    call = function(given, "reduce")
    if start is _NO_START and not items:
        raise EvaluationError("reduce of an empty array needs a value to start with: reduce((sum, x) => sum + x, 0)")
    total, first = (items[0], 1) if start is _NO_START else (start, 0)
    for number in range(first, len(items)):
        total = call(total, items[number], number, items)
    return total


def _flat_map(items: list[Any], given: Any = UNDEFINED) -> list[Any]:
    found: list[Any] = []
    for part in _each(items, given, "flatMap"):
        effort.fitting(len(found) + operators.width(part))
        found.extend(part) if isinstance(part, list) else found.append(part)
    return found


def _flat(items: list[Any], depth: Any = UNDEFINED) -> list[Any]:
    found: list[Any] = []
    _flatten(items, 1 if depth is UNDEFINED else min(places.whole(depth), effort.LEVELS_MAX), found)
    return found


def _flatten(items: list[Any], levels: float, found: list[Any]) -> None:
    spend(1 + len(items) // ITEMS_A_STEP)
    effort.fitting(len(found) + len(items))
    for part in items:
        if isinstance(part, list) and levels > 0:
            _flatten(part, levels - 1, found)
        else:
            found.append(part)


def _join(items: list[Any], by: Any = UNDEFINED) -> str:
    separator = "," if by is UNDEFINED else v.to_text(by)
    return texts.joined(separator, ("" if item is None or item is UNDEFINED else v.to_text(item) for item in items))


def _array_slice(items: list[Any], start: Any = UNDEFINED, end: Any = UNDEFINED) -> list[Any]:
    size = len(items)
    return items[places.place(start, 0, size) : places.place(end, size, size)]


def _array_includes(items: list[Any], wanted: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    nan = isinstance(wanted, float) and math.isnan(wanted)
    items = items[places.place(start, 0, len(items)) :]
    return any(
        operators.strictly_equal(item, wanted) or (nan and isinstance(item, float) and math.isnan(item))
        for item in items
    )


def _array_index_of(items: list[Any], wanted: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    candidates = range(places.place(start, 0, len(items)), len(items))
    return next((number for number in candidates if operators.strictly_equal(items[number], wanted)), -1)


def _array_last_index_of(items: list[Any], wanted: Any = UNDEFINED, start: Any = math.inf) -> int:
    number = places.whole(start)
    first = len(items) + number if number < 0 else min(number, len(items) - 1)
    candidates = range(int(max(first, -1)), -1, -1)
    return next((number for number in candidates if operators.strictly_equal(items[number], wanted)), -1)


def _array_concat(items: list[Any], *others: Any) -> list[Any]:
    found = list(items)
    for other in others:
        effort.fitting(len(found) + operators.width(other))
        found.extend(other) if isinstance(other, list) else found.append(other)
    return found


def _reverse(items: list[Any]) -> list[Any]:
    return items[::-1]


def _sort(items: list[Any], given: Any = UNDEFINED) -> list[Any]:
    """A new array, also where JavaScript would change the old one. Undefined comes last."""
    defined = [item for item in items if item is not UNDEFINED]
    rest: list[Any] = [UNDEFINED] * (len(items) - len(defined))
    if given is UNDEFINED:
        spend(len(defined) // ITEMS_A_STEP)
        return sorted(defined, key=lambda item: texts.order(v.to_text(item))) + rest
    call = function(given, "sort")

    def compare(one: Any, other: Any) -> int:
        found = v.to_number(call(one, other))
        return (found > 0) - (found < 0)

    return sorted(defined, key=cmp_to_key(compare)) + rest


def _keys(items: list[Any]) -> list[Any]:
    return list(range(len(items)))


def _entries(items: list[Any]) -> list[Any]:
    return [[number, item] for number, item in enumerate(items)]


ARRAYS: dict[str, Callable[..., Any]] = {
    "at": places.at,
    "concat": _array_concat,
    "entries": _entries,
    "every": _every,
    "filter": _filter,
    "find": _find,
    "findIndex": _find_index,
    "findLast": _find_last,
    "flat": _flat,
    "flatMap": _flat_map,
    "includes": _array_includes,
    "indexOf": _array_index_of,
    "join": _join,
    "keys": _keys,
    "lastIndexOf": _array_last_index_of,
    "map": _map,
    "reduce": _reduce,
    "reverse": _reverse,
    "slice": _array_slice,
    "some": _some,
    "sort": _sort,
    "toReversed": _reverse,
    "toSorted": _sort,
    "toString": lambda value: v.to_text(value),
}
