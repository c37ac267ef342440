"""`/healthz`, `/readyz`: whether the process lives, and whether it can take anything."""

from __future__ import annotations

from msgspec import Struct
from starlette.requests import Request

from perdure.api.answering import Answer, describes
from perdure.api.problems import Wrong
from perdure.api.routes import routes
from perdure.service.engine import Engine
from perdure.version import VERSION

ROUTES = routes("", "operations")


class Health(Struct, frozen=True, omit_defaults=True):
    """`reasons`: what degrades this process, if anything does."""

    status: str
    version: str
    reasons: tuple[str, ...] = ()


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
    await engine.next_due()
    reasons = tuple(f"{code}: {reason}" for code, reason in engine.conditions.items())
    return Answer(Health("degraded" if reasons else "ready", VERSION, reasons))
