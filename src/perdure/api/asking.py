"""Who asks, and of which engine: what every handler is given."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Annotated, Final, TypeAlias

from fastapi import Depends
from msgspec import Struct
from starlette.requests import Request
from starlette.types import Receive

from perdure.api.about import admitted, mark_admitted
from perdure.api.browsers import COOKIE, SAFE, Pages, cleared, session_of
from perdure.api.problems import Wrong
from perdure.hosts.behalf import RequestCaller, set_caller
from perdure.service.acting import Member
from perdure.service.engine import Engine
from perdure.service.keys import Caller
from perdure.service.sessions import Session
from perdure.tasks.offload import ORGANIZATION

_log: Final = logging.getLogger("perdure.api")
HELP = "perdure keys create MEMBER --role ROLE makes one"


class Asking(Struct, frozen=True):
    """One request. `caller` None: nobody needs to say who they are, on one's own machine; that is the program, and may do all.
    `session`: in which a browser asks.
    """

    engine: Engine
    organization: str = "default"
    caller: Caller | None = None
    session: Session | None = None

    @property
    def actor(self) -> Member | None:
        return None if self.caller is None else self.caller.member

    @property
    def is_admin(self) -> bool:
        """On the operator's own machine, callers without a key are."""
        return self.caller is None or self.caller.member.is_admin

    @property
    def member_id(self) -> str | None:
        return None if self.caller is None else self.caller.member.id

    @property
    def name(self) -> str:
        """As whom it is written down that they did something."""
        return "dev" if self.caller is None else self.caller.member.id


class Guard:
    """Finds out who asks. `needs_key`: False on one's own machine."""

    def __init__(self, engine: Engine, *, needs_key: bool) -> None:
        self._engine, self._needs_key = engine, needs_key
        self.pages = Pages(engine.host.public_url)
        self._noting: set[asyncio.Task[None]] = set()

    async def admit(self, request: Request, *, keys_only: bool = False) -> Asking:
        """A key that is sent counts, and else the cookie of a browser, unless there are to be `keys_only`. Raises `Wrong`."""
        given = request.headers.get("authorization")
        if given is None:
            token = None if keys_only else session_of(request)
            found = None if token is None else await self._within(token, request)
            if found is not None:
                return found
            if not self._needs_key:
                admitted("default")
                ORGANIZATION.set("default")
                set_caller(None)
                mark_admitted(request.scope)
                return Asking(self._engine)
            if token is not None:
                raise unknown("the session is over; sign in again", {"Set-Cookie": cleared(COOKIE)})
            raise unknown(f"who asks? send a key as Authorization: Bearer prd_…; {HELP}")
        scheme, _, token = given.partition(" ")
        if scheme.lower() != "bearer":
            raise unknown("a key is sent as Authorization: Bearer prd_…")
        caller = await self._engine.keys.caller(token.strip())
        if caller is None:
            raise unknown(f"there is no such key, or not any more; {HELP}")
        self._admitted(request, caller)
        return Asking(self._engine, caller.organization, caller)

    async def _within(self, token: str, request: Request) -> Asking | None:
        """None: it is no session, or not any more."""
        found = await self._engine.sessions.caller(token)
        if found is None:
            return None
        if request.method not in SAFE:
            self.pages.require_token(request, token)
        self._admitted(request, found.caller)
        return Asking(self._engine, found.caller.organization, found.caller, found.session)

    def _admitted(self, request: Request, caller: Caller) -> None:
        self._note(caller)
        admitted(caller.organization)
        ORGANIZATION.set(caller.organization)
        set_caller(RequestCaller(caller.member.id, caller.key))
        mark_admitted(request.scope)

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
    return asking_of(request)


def asking_of(request: Request) -> Asking:
    found: Asking = request.state.asking
    return found


async def gone(receive: Receive) -> None:
    """Until whoever asks has hung up. What they send has been read by then."""
    while (await receive())["type"] != "http.disconnect":
        pass


Asked: TypeAlias = Annotated[Asking, Depends(asking)]


def unknown(detail: str, headers: Mapping[str, str] | None = None) -> Wrong:
    known = {"WWW-Authenticate": 'Bearer realm="perdure"', **(headers or {})}
    return Wrong(401, "unauthorized", detail, headers=known)
