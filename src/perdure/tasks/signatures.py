"""What the signature of a function tells: whether it takes a context, and what its type hints say of its values."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any, Final

import msgspec
from msgspec import Struct

from perdure.model.values import Json
from perdure.tasks.results import Result

_POSITIONAL: Final = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_CONTEXT_NAMES: Final = ("ctx", "context")


class Signature(Struct, frozen=True):
    """`input_type` is Any where the hint says nothing that msgspec could hold a value against."""

    takes_context: bool
    input_type: Any
    input_schema: Json
    output_schema: Json


def read(function: Callable[..., Any]) -> Signature:
    """A TypeError says why the function cannot be a task."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    if not positional:
        raise TypeError("it takes no argument; a task is a function of (input) or (input, ctx)")
    if any(_demanded(each) for each in [*positional[2:], *_others(parameters)]):
        raise TypeError("it demands more than (input) or (input, ctx)")
    hints = _hints(function)
    input_type, input_schema = _schema(hints.get(positional[0].name, Any))
    return_type = hints.get("return", Any)
    output_schema = None if _chooses(return_type) else _schema(return_type)[1]
    return Signature(_takes_context(positional), input_type, input_schema, output_schema)


def require_params(function: Callable[..., Any]) -> None:
    """A TypeError says why the function cannot be the executor of a node."""
    parameters = list(inspect.signature(function).parameters.values())
    positional = [each for each in parameters if each.kind in _POSITIONAL]
    if not positional:
        raise TypeError("it takes no argument; an executor is a function of (params)")
    if any(_demanded(each) for each in [*positional[1:], *_others(parameters)]):
        raise TypeError("it demands more than (params); context, data and the like are attributes of params")


def _takes_context(positional: list[inspect.Parameter]) -> bool:
    """`def f(input, times=3)` has an option of its own, not a context."""
    return len(positional) > 1 and (_demanded(positional[1]) or positional[1].name in _CONTEXT_NAMES)


def _others(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return [each for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]


def _demanded(parameter: inspect.Parameter) -> bool:
    return parameter.default is inspect.Parameter.empty


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """Hints help; one that cannot be resolved (a name that only a type checker knows) is no reason to refuse."""
    try:
        return typing.get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError):
        return {}


def _chooses(hint: Any) -> bool:
    """`Result` stands around the output, whose type it does not tell."""
    return hint is Result or any(map(_chooses, typing.get_args(hint)))


def _schema(hint: Any) -> tuple[Any, Json]:
    try:
        schema = msgspec.json.schema(hint)
    except (TypeError, ValueError, RuntimeError):
        return Any, None
    return (hint, schema) if schema else (Any, None)
