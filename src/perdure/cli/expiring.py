"""`--expires`: how long something counts that is made now."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from perdure.cli.saying import refusal
from perdure.clock import now_ms
from perdure.errors import EvaluationError
from perdure.expressions.times import duration_ms

Expires: TypeAlias = Annotated[str | None, Parameter(metavar="DURATION", help="after so long it is over: P90D, PT12H")]


def expires_at(given: str | None) -> int | None:
    """When that is."""
    if given is None:
        return None
    try:
        return now_ms() + int(duration_ms(given))
    except EvaluationError as error:
        raise refusal("invalid_option", f"--expires {given}: {error}") from error
