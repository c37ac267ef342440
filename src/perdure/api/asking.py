"""Who asks, and of which engine: what every handler is given."""

from __future__ import annotations

import asyncio
import logging
from typing import Annotated, Final, TypeAlias

from fastapi import Depends
from msgspec import Struct
from starlette.requests import Request

from perdure.api.about import admitted
from perdure.api.problems import Wrong
from perdure.service.acting import Member
from perdure.service.engine import Engine
from perdure.service.keys import Caller

_log: Final = logging.getLogger("perdure.api")
HELP = "perdure keys create MEMBER --role ROLE makes one"


class Asking(Struct, frozen=True):
    """One request. `caller` None: nobody needs to say who they are, on one's own machine; that is the program, and may do all."""

    engine: Engine
    organization: str = "default"
    caller: Caller | None = None

    @property
    def actor(self) -> Member | None:
        return None if self.caller is None else self.caller.member

    @property
    def name(self) -> str:
        """As whom it is written down that they did something."""
        return "dev" if self.caller is None else self.caller.member.id


class Guard:
    """Finds out who asks. `needs_key`: False on one's own machine."""

    def __init__(self, engine: Engine, *, needs_key: bool) -> None:
        self._engine, self._needs_key = engine, needs_key
        self._noting: set[asyncio.Task[None]] = set()

    async def admit(self, request: Request) -> Asking:
        """Raises `Wrong`."""
        given = request.headers.get("authorization")
        if given is None:
            if not self._needs_key:
                admitted("default")
                return Asking(self._engine)
            raise _unknown(f"who asks? send a key as Authorization: Bearer prd_…; {HELP}")
        scheme, _, token = given.partition(" ")
        if scheme.lower() != "bearer":
            raise _unknown("a key is sent as Authorization: Bearer prd_…")
        caller = await self._engine.keys.caller(token.strip())
        if caller is None:
            raise _unknown(f"there is no such key, or not any more; {HELP}")
        self._note(caller)
        admitted(caller.organization)
        return Asking(self._engine, caller.organization, caller)

    def _note(self, caller: Caller) -> None:
        """That the key was used. Nobody waits for it: who only looks is answered also where nothing can be written."""
        if caller.key is None or not self._engine.key_uses.is_to_be_said(caller.key, caller.organization):
            return
        noting = asyncio.create_task(self._engine.key_uses.used(caller.key, organization=caller.organization))
        self._noting.add(noting)
        noting.add_done_callback(self._noted)

    def _noted(self, noting: asyncio.Task[None]) -> None:
        self._noting.discard(noting)
        if not noting.cancelled() and noting.exception() is not None:
            _log.warning("the use of a key could not be noted: %s", noting.exception())


async def asking(request: Request) -> Asking:
    """FastAPI calls what is not async in a thread, which takes longer than all of this."""
    found: Asking = request.state.asking
    return found


Asked: TypeAlias = Annotated[Asking, Depends(asking)]


def _unknown(detail: str) -> Wrong:
    return Wrong(401, "unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="perdure"'})
