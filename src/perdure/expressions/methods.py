"""The methods of texts, arrays and numbers: pure, and as in JavaScript. A table; what is not in it cannot be called."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, cmp_to_key
from inspect import Parameter, signature
from typing import Any, TypeAlias

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import numbers
from perdure.expressions.effort import ITEMS_A_STEP, spend
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.expressions.wording import kind

Method: TypeAlias = Callable[..., Any]
DECIMAL = 10


def place(value: Any, otherwise: int, size: int) -> int:
    """A place from the front, or if negative from the back, within `size`."""
    if value is UNDEFINED:
        return otherwise
    number = whole(value)
    return int(max(size + number, 0) if number < 0 else min(number, size))


def whole(value: Any) -> float:
    number = v.to_number(value)
    return 0 if math.isnan(number) else float(math.trunc(number)) if math.isfinite(number) else number


def function(value: Any, method: str) -> Callable[..., Any]:
    if not callable(value):
        raise EvaluationError(f"{method} needs a function, as in x => x.id, not {kind(value)}")
    found: Callable[..., Any] = value
    return found


# Texts. Each works on code units, so that lengths and places are JavaScript's.


def _slice(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED) -> str:
    units = v.code_units(text)
    return v.from_code_units(units[place(start, 0, len(units)) : place(end, len(units), len(units))])


def _substring(text: str, start: Any = UNDEFINED, end: Any = UNDEFINED) -> str:
    units = v.code_units(text)
    size = len(units)
    first, last = (int(min(max(whole(part), 0), size)) for part in (start, size if end is UNDEFINED else end))
    return v.from_code_units(units[min(first, last) : max(first, last)])


def _index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    units = v.code_units(text)
    return units.find(v.code_units(v.to_text(part)), int(min(max(whole(start), 0), len(units))))


def _last_index_of(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    units, wanted = v.code_units(text), v.code_units(v.to_text(part))
    number = v.to_number(start)
    last = len(units) if math.isnan(number) else int(min(max(whole(start), 0), len(units)))
    return units.rfind(wanted, 0, last + len(wanted))


def _includes(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    return _index_of(text, part, start) >= 0


def _starts_with(text: str, part: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    units = v.code_units(text)
    return units.startswith(v.code_units(v.to_text(part)), int(min(max(whole(start), 0), len(units))))


def _ends_with(text: str, part: Any = UNDEFINED, end: Any = UNDEFINED) -> bool:
    units = v.code_units(text)
    stop = len(units) if end is UNDEFINED else int(min(max(whole(end), 0), len(units)))
    return units[:stop].endswith(v.code_units(v.to_text(part)))


def _split(text: str, by: Any = UNDEFINED, most: Any = UNDEFINED) -> list[Any]:
    if by is UNDEFINED:
        found = [text]
    elif (separator := v.to_text(by)) == "":
        v.fitting(len(text))
        found = list(v.code_units(text))
    else:
        units, separator = v.code_units(text), v.code_units(separator)
        v.fitting(units.count(separator))
        found = [v.from_code_units(part) for part in units.split(separator)]
    if most is UNDEFINED:
        return found
    return found[: int(whole(most)) % 2**32 if math.isfinite(whole(most)) else 0]


def _replace(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    """The first occurrence; `$` in the replacement is just a dollar."""
    units, old = v.code_units(text), v.code_units(v.to_text(part))
    return v.from_code_units(v.sized(units.replace(old, v.to_text(by), 1)))


def _replace_all(text: str, part: Any = UNDEFINED, by: Any = UNDEFINED) -> str:
    units, old, new = v.code_units(text), v.code_units(v.to_text(part)), v.to_text(by)
    if len(units) + units.count(old) * max(len(new) - len(old), 0) > v.TEXT_MAX:
        raise EvaluationError("replaceAll would make a text that is longer than an expression may make")
    return v.from_code_units(units.replace(old, new))


def _pad(text: str, size: Any, filler: Any, *, front: bool) -> str:
    wanted = whole(size)
    units, fill = v.code_units(text), v.code_units(" " if filler is UNDEFINED else v.to_text(filler))
    if wanted <= len(units) or not fill:
        return text
    if wanted > v.TEXT_MAX:
        raise EvaluationError("padding would make a text that is longer than an expression may make")
    missing = int(wanted) - len(units)
    padding = (fill * (missing // len(fill) + 1))[:missing]
    return v.from_code_units(padding + units if front else units + padding)


def _pad_start(text: str, size: Any = UNDEFINED, filler: Any = UNDEFINED) -> str:
    return _pad(text, size, filler, front=True)


def _pad_end(text: str, size: Any = UNDEFINED, filler: Any = UNDEFINED) -> str:
    return _pad(text, size, filler, front=False)


def _repeat(text: str, count: Any = UNDEFINED) -> str:
    times = whole(count)
    if times < 0 or math.isinf(times):
        raise EvaluationError(f"repeat needs a number of times, not {v.to_text(count)}")
    if len(text) * times > v.TEXT_MAX:
        raise EvaluationError("repeat would make a text that is longer than an expression may make")
    return text * int(times) if text else ""


def _char_at(text: str, at: Any = UNDEFINED) -> str:
    units, number = v.code_units(text), whole(at)
    return units[int(number)] if 0 <= number < len(units) else ""


def _char_code_at(text: str, at: Any = UNDEFINED) -> Any:
    found = _char_at(text, at)
    return ord(found) if found else math.nan


def _concat_text(text: str, *others: Any) -> str:
    return v.joined("", (text, *map(v.to_text, others)))


def _locale_compare(text: str, other: Any = UNDEFINED) -> int:
    second = v.to_text(other)
    return (v.code_units(text) > v.code_units(second)) - (v.code_units(text) < v.code_units(second))


# Both.


def _at(value: Any, at: Any = UNDEFINED) -> Any:
    items = v.code_units(value) if isinstance(value, str) else value
    number = whole(at)
    number = len(items) + number if number < 0 else number
    return items[int(number)] if 0 <= number < len(items) else UNDEFINED


# Arrays. Functions get (item, index, array), as in JavaScript.


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
        v.fitting(len(found) + v.width(part))
        found.extend(part) if isinstance(part, list) else found.append(part)
    return found


def _flat(items: list[Any], depth: Any = UNDEFINED) -> list[Any]:
    found: list[Any] = []
    _flatten(items, 1 if depth is UNDEFINED else min(whole(depth), v.LEVELS_MAX), found)
    return found


def _flatten(items: list[Any], levels: float, found: list[Any]) -> None:
    spend(1 + len(items) // ITEMS_A_STEP)
    v.fitting(len(found) + len(items))
    for part in items:
        if isinstance(part, list) and levels > 0:
            _flatten(part, levels - 1, found)
        else:
            found.append(part)


def _join(items: list[Any], by: Any = UNDEFINED) -> str:
    separator = "," if by is UNDEFINED else v.to_text(by)
    return v.joined(separator, ("" if item is None or item is UNDEFINED else v.to_text(item) for item in items))


def _array_slice(items: list[Any], start: Any = UNDEFINED, end: Any = UNDEFINED) -> list[Any]:
    size = len(items)
    return items[place(start, 0, size) : place(end, size, size)]


def _array_includes(items: list[Any], wanted: Any = UNDEFINED, start: Any = UNDEFINED) -> bool:
    nan = isinstance(wanted, float) and math.isnan(wanted)
    items = items[place(start, 0, len(items)) :]
    return any(
        v.strictly_equal(item, wanted) or (nan and isinstance(item, float) and math.isnan(item)) for item in items
    )


def _array_index_of(items: list[Any], wanted: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    places = range(place(start, 0, len(items)), len(items))
    return next((number for number in places if v.strictly_equal(items[number], wanted)), -1)


def _array_last_index_of(items: list[Any], wanted: Any = UNDEFINED, start: Any = UNDEFINED) -> int:
    number = len(items) - 1 if start is UNDEFINED else whole(start)
    first = len(items) + number if number < 0 else min(number, len(items) - 1)
    places = range(int(max(first, -1)), -1, -1)
    return next((number for number in places if v.strictly_equal(items[number], wanted)), -1)


def _array_concat(items: list[Any], *others: Any) -> list[Any]:
    found = list(items)
    for other in others:
        v.fitting(len(found) + v.width(other))
        found.extend(other) if isinstance(other, list) else found.append(other)
    return found


def _reverse(items: list[Any]) -> list[Any]:
    return items[::-1]


def _sort(items: list[Any], given: Any = UNDEFINED) -> list[Any]:
    """A new array, also where JavaScript would change the old one. Undefined comes last."""
    defined = [item for item in items if item is not UNDEFINED]
    rest: list[Any] = [UNDEFINED] * (len(items) - len(defined))
    if given is UNDEFINED:
        spend(len(defined) // 2)
        return sorted(defined, key=lambda item: v.code_units(v.to_text(item))) + rest
    call = function(given, "sort")

    def compare(one: Any, other: Any) -> int:
        found = v.to_number(call(one, other))
        return (found > 0) - (found < 0)

    return sorted(defined, key=cmp_to_key(compare)) + rest


def _keys(items: list[Any]) -> list[Any]:
    return list(range(len(items)))


def _entries(items: list[Any]) -> list[Any]:
    return [[number, item] for number, item in enumerate(items)]


# Numbers.


def _to_fixed(number: float, digits: Any = UNDEFINED) -> str:
    try:
        return numbers.to_fixed(number, int(whole(digits)))
    except (ValueError, OverflowError):
        raise EvaluationError("toFixed takes 0 to 100 digits") from None


def _to_string(value: Any) -> str:
    return v.to_text(value)


def _number_to_string(value: Any, radix: Any = UNDEFINED) -> str:
    if radix is not UNDEFINED and v.to_number(radix) != DECIMAL:
        raise EvaluationError("toString takes no other base than 10")
    return v.to_text(value)


TEXTS: dict[str, Method] = {
    "at": _at,
    "charAt": _char_at,
    "charCodeAt": _char_code_at,
    "concat": _concat_text,
    "endsWith": _ends_with,
    "includes": _includes,
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "localeCompare": _locale_compare,
    "padEnd": _pad_end,
    "padStart": _pad_start,
    "repeat": _repeat,
    "replace": _replace,
    "replaceAll": _replace_all,
    "slice": _slice,
    "split": _split,
    "startsWith": _starts_with,
    "substring": _substring,
    "toLowerCase": lambda text: text.lower(),
    "toString": _to_string,
    "toUpperCase": lambda text: text.upper(),
    "trim": lambda text: text.strip(numbers.SPACE),
    "trimEnd": lambda text: text.rstrip(numbers.SPACE),
    "trimStart": lambda text: text.lstrip(numbers.SPACE),
}
ARRAYS: dict[str, Method] = {
    "at": _at,
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
    "toString": _to_string,
}
NUMBERS: dict[str, Method] = {"toFixed": _to_fixed, "toString": _number_to_string}
OTHERS: dict[str, Method] = {"toString": _to_string}
METHODS: frozenset[str] = frozenset({*TEXTS, *ARRAYS, *NUMBERS, *OTHERS})
LIGHT = frozenset({"at", "charAt", "charCodeAt", "endsWith", "slice", "startsWith", "substring"})
"""Those that do not go through the whole value."""

TAKE_FUNCTIONS = frozenset(
    {"every", "filter", "find", "findIndex", "findLast", "flatMap", "map", "reduce", "some", "sort", "toSorted"}
)
"""Those whose first argument may be a function. A function is nowhere else, so that it is no value."""


@cache
def accepts(function: Callable[..., Any]) -> tuple[int, int | None]:
    """How many arguments it needs, and how many it takes; as in JavaScript, those that are too many are ignored."""
    parameters = list(signature(function).parameters.values())
    named = [parameter for parameter in parameters if parameter.kind is not Parameter.VAR_POSITIONAL]
    least = sum(parameter.default is Parameter.empty for parameter in named)
    return least, len(named) if len(named) == len(parameters) else None


def call(value: Any, method: str, arguments: list[Any]) -> Any:
    """A method of a value that is not nothing."""
    table = OTHERS
    if isinstance(value, v.Instant) and method in TEXTS:
        value = v.to_text(value)
    if isinstance(value, str):
        table = TEXTS
    elif isinstance(value, list):
        table = ARRAYS
    elif v.is_number(value):
        table = NUMBERS
    found = table.get(method)
    if found is None:
        raise EvaluationError(f"{kind(value)} has no method {method!r}")
    most = accepts(found)[1]
    return found(value, *(arguments if most is None else arguments[: most - 1]))
