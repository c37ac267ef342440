"""`--expires`: how long something counts that is made now."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from perdure.cli.saying import refusal
from perdure.clock import now_ms
from perdure.errors import EvaluationError
from perdure.expressions import times
from perdure.settings import kinds

Expires: TypeAlias = Annotated[
    str | None, Parameter(metavar="DURATION", help="after so long it is over: 90d, 12h, P90D")
]


def expires_at(given: str | None) -> int | None:
    """When that is."""
    if given is None:
        return None
    short = kinds.duration_ms(given)
    try:
        return now_ms() + (times.duration_ms(given) if short is None else short)
    except EvaluationError as error:
        raise refusal("invalid_option", f"--expires {given}: {error}; or write it as 90d or 12h") from error
