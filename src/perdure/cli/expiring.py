"""`--expires`: how long something counts that is made now."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from cyclopts import Parameter

from perdure.cli.engines import is_remote
from perdure.cli.saying import refusal
from perdure.clock import now_ms
from perdure.errors import EvaluationError
from perdure.expressions import times
from perdure.service.engine import Engine
from perdure.settings import kinds

Expires: TypeAlias = Annotated[
    str | None, Parameter(metavar="DURATION", help="after so long it is over: 90d, 12h, P90D")
]


def lifetime_ms(given: str | None) -> int | None:
    """Return how long that is."""
    if given is None:
        return None
    short = kinds.duration_ms(given)
    try:
        lasts_ms = times.duration_ms(given) if short is None else short
    except EvaluationError as error:
        raise refusal("invalid_option", f"--expires {given}: {error}; or write it as 90d or 12h") from error
    if now_ms() + lasts_ms > times.LAST_MS:
        raise refusal("invalid_option", f"--expires {given} from now is after the year 9999; give a shorter duration")
    return lasts_ms


def expires_at(engine: Engine, lasts_ms: int | None) -> int | None:
    """Return when that is over, by the clock of the database, which decides then. With a server, by the clock of this host."""
    if lasts_ms is None:
        return None
    return times.add_ms(now_ms() if is_remote(engine) else engine.host.now_ms(), lasts_ms)
