"""Instants, as they are typed."""

from __future__ import annotations

from perdure.cli.saying import refusal
from perdure.errors import EvaluationError
from perdure.expressions.times import instant_ms


def instant(given: str | None, option: str) -> int | None:
    """In milliseconds."""
    if given is None:
        return None
    try:
        return instant_ms(given)
    except EvaluationError as error:
        raise refusal("invalid_option", f"{option}: {error}") from error
