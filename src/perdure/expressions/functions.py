"""The functions of the language, as in JavaScript. A table; what is not in it cannot be called."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import numbers, operators, places, results, texts
from perdure.expressions.effort import ITEMS_A_STEP, spend
from perdure.expressions.protocol import UNDEFINED, truthy

NAMESPACES = {
    "Array": "Array.isArray(x)",
    "JSON": "JSON.parse(x)",
    "Math": "Math.max(x, y)",
    "Number": "Number(x)",
    "Object": "Object.keys(x)",
}
"""What functions are in, with an example. None of them is a value."""

HALF = 0.5
ROOT_MAX = 1e6
INDENT_MAX = 10
PARSED_A_STEP = 16
"""Characters of JSON: each may be an item, which costs more than a character of a text."""
CONSTANTS: dict[str, Any] = {
    "undefined": UNDEFINED,
    "NaN": math.nan,
    "Infinity": math.inf,
    "Math.PI": math.pi,
    "Math.E": math.e,
    "Math.LN2": math.log(2),
    "Math.LN10": math.log(10),
    "Math.SQRT2": math.sqrt(2),
    "Math.SQRT1_2": math.sqrt(0.5),
    "Math.LOG2E": math.log2(math.e),
    "Math.LOG10E": math.log10(math.e),
    "Number.MAX_VALUE": sys.float_info.max,
    "Number.MIN_VALUE": 5e-324,
    "Number.MAX_SAFE_INTEGER": 2**53 - 1,
    "Number.MIN_SAFE_INTEGER": -(2**53) + 1,
    "Number.EPSILON": 2.0**-52,
}


def _math(compute: Callable[[float], float]) -> Callable[..., Any]:
    def computed(value: Any = UNDEFINED) -> Any:
        number = v.to_number(value)
        try:
            return numbers.normal(compute(number))
        except (ValueError, OverflowError):
            return math.nan

    return computed


def _rounding(compute: Callable[[float], float]) -> Callable[..., Any]:
    """What is not finite stays as it is; so does the sign of zero."""

    def computed(value: Any = UNDEFINED) -> Any:
        number = v.to_number(value)
        if not math.isfinite(number):
            return number
        return numbers.normal(math.copysign(compute(number), number))

    return computed


def _round(number: float) -> float:
    """Half goes up, also below zero."""
    floor = math.floor(number)
    return floor + (number - floor >= HALF)


def _cbrt(number: float) -> float:
    """Exact where the root is a whole number, which the C library is not everywhere."""
    root = math.cbrt(number)
    if not abs(root) < ROOT_MAX:
        return root
    near = float(round(root))
    return math.copysign(near, number) if near**3 == number else root


def _exp(number: float) -> float:
    try:
        return math.exp(number)
    except OverflowError:
        return math.inf


def _log(compute: Callable[[float], float]) -> Callable[[float], float]:
    return lambda number: -math.inf if number == 0 else compute(number)


def _extreme(choose: Callable[[float, float], bool], of_none: float) -> Callable[..., Any]:
    def computed(*values: Any) -> Any:
        best = of_none
        for value in values:
            number = v.to_number(value)
            if math.isnan(number):
                return math.nan
            if choose(number, best) or (
                number == best == 0 and choose(math.copysign(1, number), math.copysign(1, best))
            ):
                best = number
        return numbers.normal(best)

    return computed


def _hypot(*values: Any) -> Any:
    return numbers.normal(math.hypot(*(v.to_number(value) for value in values)))


def _json_parse(text: Any = UNDEFINED) -> Any:
    source = texts.mended(v.to_text(text))
    spend(len(source) // PARSED_A_STEP)
    try:
        return msgspec.json.decode(source)
    except (msgspec.DecodeError, RecursionError) as error:
        raise EvaluationError(f"JSON.parse needs JSON: {error}") from error


def _json_stringify(value: Any = UNDEFINED, replacer: Any = UNDEFINED, space: Any = "") -> Any:
    if replacer is not None and replacer is not UNDEFINED:
        raise EvaluationError("the second argument of JSON.stringify is null: there are no replacers")
    spaces = min(max(places.whole(space), 0), INDENT_MAX) if v.is_number(space) else 0
    indent = space if isinstance(space, str) else " " * int(spaces)
    return UNDEFINED if value is UNDEFINED else results.stringify(value, indent[:INDENT_MAX])


def _entries_of(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        # As in JavaScript, keys that are whole numbers come first, in their order.
        numbered = sorted(filter(operators.is_index, value), key=int)
        return [(key, value[key]) for key in dict.fromkeys((*numbered, *value))]
    if isinstance(value, list):
        return [(str(number), item) for number, item in enumerate(value)]
    if isinstance(value, str):
        spend(len(value) // ITEMS_A_STEP)
        return [(str(number), unit) for number, unit in enumerate(texts.units(value))]
    return []


def _keys(value: Any = UNDEFINED) -> list[Any]:
    return [key for key, _ in _entries_of(value)]


def _values(value: Any = UNDEFINED) -> list[Any]:
    return [item for _, item in _entries_of(value)]


def _entries(value: Any = UNDEFINED) -> list[Any]:
    return [[key, item] for key, item in _entries_of(value)]


def _from_entries(value: Any = UNDEFINED) -> dict[str, Any]:
    if not isinstance(value, list) or not all(isinstance(pair, list) for pair in value):
        raise EvaluationError("Object.fromEntries needs an array of pairs, as in [['a', 1]]")
    return {v.to_text(operators.item(pair, 0)): operators.item(pair, 1) for pair in value}


def _is_whole(value: Any = UNDEFINED) -> bool:
    return (
        v.is_number(value)
        and math.isfinite(numbers.double(value))
        and numbers.double(value) == math.floor(numbers.double(value))
    )


def _number(value: Any = 0) -> Any:
    return numbers.normal(v.to_number(value))


def _text(value: Any = "") -> str:
    return v.to_text(value)


def _boolean(value: Any = UNDEFINED) -> bool:
    return truthy(value)


def _parse_int(value: Any = UNDEFINED, radix: Any = UNDEFINED) -> Any:
    base = v.to_number(radix)
    return numbers.parse_int(v.to_text(value), int(base) if math.isfinite(base) else 0)


def _parse_float(value: Any = UNDEFINED) -> Any:
    return numbers.parse_float(v.to_text(value))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Array.isArray": lambda value=UNDEFINED: isinstance(value, list),
    "Boolean": _boolean,
    "JSON.parse": _json_parse,
    "JSON.stringify": _json_stringify,
    "Math.abs": _math(abs),
    "Math.acos": _math(math.acos),
    "Math.asin": _math(math.asin),
    "Math.atan": _math(math.atan),
    "Math.atan2": lambda one=UNDEFINED, other=UNDEFINED: numbers.normal(
        math.atan2(v.to_number(one), v.to_number(other))
    ),
    "Math.cos": _math(math.cos),
    "Math.sin": _math(math.sin),
    "Math.tan": _math(math.tan),
    "Math.cbrt": _math(_cbrt),
    "Math.ceil": _rounding(math.ceil),
    "Math.exp": _math(_exp),
    "Math.floor": _rounding(math.floor),
    "Math.hypot": _hypot,
    "Math.log": _math(_log(math.log)),
    "Math.log10": _math(_log(math.log10)),
    "Math.log2": _math(_log(math.log2)),
    "Math.max": _extreme(lambda one, best: one > best, -math.inf),
    "Math.min": _extreme(lambda one, best: one < best, math.inf),
    "Math.pow": lambda one=UNDEFINED, other=UNDEFINED: operators.power(one, other),
    "Math.round": _rounding(_round),
    "Math.sign": _math(lambda number: number if number == 0 or math.isnan(number) else math.copysign(1, number)),
    "Math.sqrt": _math(math.sqrt),
    "Math.trunc": _rounding(math.trunc),
    "Number": _number,
    "Number.isFinite": lambda value=UNDEFINED: v.is_number(value) and math.isfinite(numbers.double(value)),
    "Number.isInteger": _is_whole,
    "Number.isNaN": lambda value=UNDEFINED: isinstance(value, float) and math.isnan(value),
    "Number.isSafeInteger": lambda value=UNDEFINED: _is_whole(value) and abs(value) < 2**53,
    "Number.parseFloat": _parse_float,
    "Number.parseInt": _parse_int,
    "Object.entries": _entries,
    "Object.fromEntries": _from_entries,
    "Object.keys": _keys,
    "Object.values": _values,
    "String": _text,
    "isFinite": lambda value=UNDEFINED: math.isfinite(v.to_number(value)),
    "isNaN": lambda value=UNDEFINED: math.isnan(v.to_number(value)),
    "parseFloat": _parse_float,
    "parseInt": _parse_int,
}
