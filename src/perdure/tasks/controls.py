"""The control keys that an executor may leave in the context: `_branch`, `_wait`, `_waitUntil`. None of them goes on.

Semantics §4 and seeds-origin 73: a number of seconds that is no time to wait for (negative, 0, NaN) is no wait, and neither is an
instant that has passed. What cannot be read at all is a mistake of the executor, and said so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions import times
from perdure.expressions.wording import kind, shown
from perdure.tasks.results import InvalidOutput


class Controls(Struct, frozen=True):
    """0 and 0: nothing to wait for."""

    branch: str | None = None
    wait_seconds: float = 0
    until_ms: int = 0
    label: str | None = None


def controls(what: str, context: Mapping[str, Any], now: int, warn: Callable[[str], object]) -> Controls:
    """`warn` is told of what is ignored."""
    try:
        branch = _branch(context.get("_branch"))
        seconds, wait_label = _wait(what, context.get("_wait"), now, warn)
        until, until_label = _until(context.get("_waitUntil"), now)
    except EvaluationError as error:
        raise InvalidOutput(f"{what}: {error}", code="INVALID_CONTROL") from error
    return Controls(branch, seconds, until, (wait_label if seconds else None) or (until_label if until else None))


def _branch(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and value):
        return value
    said = "an empty text" if value == "" else kind(value)
    raise EvaluationError(f'_branch is {said}; it names an output of the node, like "true"')


def _wait(what: str, value: Any, now: int, warn: Callable[[str], object]) -> tuple[float, str | None]:
    asked, label = _asked("_wait", "seconds", value)
    match asked:
        case None:
            return 0, None
        case bool():
            raise EvaluationError("_wait is a boolean; give seconds, like {'seconds': 30}")
        case int() | float() if asked != asked or asked <= 0:  # noqa: PLR0124  NaN is not equal to itself
            warn(f"{what}: _wait of {asked} seconds is no time to wait for, and is ignored")
            return 0, None
        case int() | float():
            try:
                times.moment(asked * 1_000, now)
            except EvaluationError as error:
                raise EvaluationError(f"_wait is too long: {error}") from error
            return asked, label
        case str():
            try:
                return times.duration_ms(asked) / 1_000, label
            except EvaluationError as error:
                raise EvaluationError(f"_wait: {error}; or give seconds, like {{'seconds': 30}}") from error
        case _:
            raise EvaluationError(f"_wait is {kind(asked)}; give seconds, like {{'seconds': 30, 'label': 'cooling'}}")


def _until(value: Any, now: int) -> tuple[int, str | None]:
    asked, label = _asked("_waitUntil", "timestamp", value)
    match asked:
        case None:
            return 0, None
        case bool():
            raise EvaluationError("_waitUntil is a boolean; give an instant like 2026-11-15T10:00:00Z")
        case int() | float() if isinstance(asked, int) or isfinite(asked):
            until = times.moment(asked - now, now)
        case int() | float():
            raise EvaluationError(f"_waitUntil is {asked}; give an instant like 2026-11-15T10:00:00Z")
        case str():
            try:
                until = times.moment(asked, now)
            except EvaluationError as error:
                raise EvaluationError(f"_waitUntil: {error}") from error
        case _:
            raise EvaluationError(f"_waitUntil is {kind(asked)}; give an instant like 2026-11-15T10:00:00Z")
    return (until, label) if until > now else (0, None)


def _asked(key: str, inside: str, value: Any) -> tuple[Any, str | None]:
    """The value, which may stand alone, and its label."""
    if not isinstance(value, Mapping):
        return value, None
    label = value.get("label")
    if label is not None and not isinstance(label, str):
        raise EvaluationError(f"{key}.label is {kind(label)}; it is a text that says what is waited for")
    if value.get(inside) is None:
        known = ", ".join(shown(str(each)) for each in value) or "nothing"
        raise EvaluationError(f"{key} has no {inside}; it holds {known}")
    return value[inside], label
