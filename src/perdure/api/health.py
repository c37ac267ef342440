"""`/healthz`, `/readyz`: whether the process lives, and whether it can take anything."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from msgspec import Struct
from starlette.requests import Request

from perdure.api.answering import Answer, describes
from perdure.api.problems import Wrong
from perdure.api.routes import routes
from perdure.runtime.shell import STALLED
from perdure.service.engine import Engine
from perdure.version import VERSION

READ_SECONDS: Final = 2.0
"""Timeout for a read of the database."""

ROUTES = routes("", "operations")


class Integrity(Struct, frozen=True):
    """Result of the last background check of a SQLite file, and its age."""

    ok: bool
    age_seconds: int


class Health(Struct, frozen=True, omit_defaults=True):
    """`reasons`: what degrades this process, if anything does. `integrity`: None if no check has ended yet, and on Postgres."""

    status: str
    version: str
    reasons: tuple[str, ...] = ()
    integrity: Integrity | None = None


@ROUTES.head("/healthz", include_in_schema=False)  # as many who watch over servers ask
@ROUTES.get("/healthz", operation_id="healthz_healthz_get", **describes(Health))
async def healthz() -> Answer:
    """The process answers."""
    return Answer(Health("ok", VERSION))


@ROUTES.head("/readyz", include_in_schema=False)
@ROUTES.get("/readyz", operation_id="readyz_readyz_get", **describes(Health))
async def readyz(request: Request) -> Answer:
    """The database can be read and written, and the server is not about to end."""
    engine: Engine = request.app.state.engine
    state = request.app.state
    if state.ending.is_set() and not state.is_followed:
        raise Wrong(503, "ending", "the server is about to end; another one takes over")
    if engine.trouble is not None:
        raise Wrong(503, "unavailable", engine.trouble)
    reasons = tuple(f"{code}: {reason}" for code, reason in engine.conditions.items())
    if not await _is_answered(state, engine):
        if STALLED in engine.conditions:
            raise Wrong(503, "unavailable", "the database answers neither reads nor writes; look whether it is stopped")
        reasons += (f"reads_slow: the database has not answered a read for {READ_SECONDS:g} seconds",)
    return Answer(Health("degraded" if reasons else "ready", VERSION, reasons, _integrity(engine)))


def _integrity(engine: Engine) -> Integrity | None:
    checked = engine.host.monitor.integrity
    if checked is None:
        return None
    return Integrity(not checked.problems, max(engine.host.now_ms() - checked.checked_at, 0) // 1_000)


async def _is_answered(state: Any, engine: Engine) -> bool:
    """Return whether the database answers a read in time. Requests share a read that is not answered. Raises what it raises."""
    reading: asyncio.Task[object] | None = getattr(state, "readiness", None)
    if reading is None or reading.done():
        reading = state.readiness = asyncio.ensure_future(engine.next_due())
    done, _ = await asyncio.wait({reading}, timeout=READ_SECONDS)
    if done:
        reading.result()
    return bool(done)
