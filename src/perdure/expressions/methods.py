"""The methods of texts, arrays and numbers: pure, and as in JavaScript. A table; what is not in it cannot be called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions import convert as v
from perdure.expressions import numbers, places
from perdure.expressions.array_methods import ARRAYS
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.text_methods import TEXTS
from perdure.expressions.wording import kind

DECIMAL = 10


def _to_fixed(number: float, digits: Any = UNDEFINED) -> str:
    try:
        return numbers.to_fixed(number, int(places.whole(digits)))
    except (ValueError, OverflowError):
        raise EvaluationError("toFixed takes 0 to 100 digits") from None


def _number_to_string(value: Any, radix: Any = UNDEFINED) -> str:
    if radix is not UNDEFINED and v.to_number(radix) != DECIMAL:
        raise EvaluationError("toString takes no other base than 10")
    return v.to_text(value)


NUMBERS: dict[str, Callable[..., Any]] = {"toFixed": _to_fixed, "toString": _number_to_string}
OTHERS: dict[str, Callable[..., Any]] = {"toString": lambda value: v.to_text(value)}
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
