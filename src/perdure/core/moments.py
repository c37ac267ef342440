"""Times that a workflow computes: a number, an ISO 8601 duration or an ISO 8601 instant, wherever one is asked for."""

from __future__ import annotations

from perdure.errors import EvaluationError
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.times import moment
from perdure.model.values import Json


def after(at: int, value: Json, what: str) -> int | None:
    """When a delay is over that begins at `at`. A number is milliseconds. None: there is no delay."""
    if value is UNDEFINED or value is None:
        return None
    try:
        return moment(value, at)
    except EvaluationError as error:
        raise EvaluationError(f"{what}: {error}") from error


def instant(at: int, value: Json, what: str) -> int | None:
    """The instant itself. A number is milliseconds since 1970; a duration begins at `at`. None: there is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return after(0, value, what)
    return after(at, value, what)
