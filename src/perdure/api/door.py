"""What every request passes first, and every answer last: who it is, on which machine, and what browsers are told about it."""

from __future__ import annotations

import logging
import re
import secrets as chance
import time
from itertools import count
from typing import Any, Final
from urllib.parse import quote, unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from perdure.api.about import begin
from perdure.api.browsers import SAFE, Pages, place
from perdure.api.counting import Requests, route_of
from perdure.api.headers import headers_of
from perdure.api.problems import Wrong
from perdure.tasks.addresses import is_own_machine

_log: Final = logging.getLogger("perdure.api")
_KNOWN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_PAGES: Final = Pages("")
"""On one's own machine: those that were asked for under the name that they ask under."""

SLASH: Final = "\x1f"
"""What stands for a `/` in an id of a path, where it came as `%2F`."""

_UNKNOWN: Final = "\ufffd"
"""What the same character becomes where it was sent as it is."""

HEADERS: Final[tuple[tuple[bytes, bytes], ...]] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Door:
    """`own_machine`: nobody says who they are here, so that a page of somebody else must not ask in a browser's name."""

    def __init__(self, app: ASGIApp, *, own_machine: bool, requests: Requests) -> None:
        self._app, self._own_machine, self._requests = app, own_machine, requests
        self._name, self._numbers = chance.token_hex(5), count(1)
        """What requests are called by that do not say so themselves: by the door that they came to, and one after the other."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = headers_of(scope)
        given = headers.get("x-request-id", "")
        request_id = given if given and _KNOWN.fullmatch(given) else f"{self._name}{next(self._numbers):08x}"
        scope["perdure.request_id"] = request_id
        begin(request_id)
        scope["path"] = _with_slashes(scope)
        began, status = time.perf_counter(), 0
        self._requests.open += 1

        async def told(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _with_ours(message["headers"], request_id)
                if scope["app"].state.ending.is_set():  # whoever asks again does so of whoever is there then
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        try:
            self._refuse_strangers(headers, scope["method"])
            _refuse_nul(scope)
            await self._app(scope, receive, told)
        except Wrong as error:
            await error.answer(request_id)(scope, receive, told)
        except Exception:
            if status:  # it has begun to answer, and whoever reads has to find out that there is no end
                raise
            _log.exception("request %s failed", request_id, extra={"route": route_of(scope)})
            failed = Wrong(500, "failed", "something went wrong in the server; its log has more under the request id")
            await failed.answer(request_id)(scope, receive, told)
        finally:
            took, route = time.perf_counter() - began, route_of(scope)
            self._requests.open -= 1
            self._requests.count(route, scope["method"], status, took)
            if _log.isEnabledFor(logging.INFO):
                _tell(scope["method"], route, status, took)

    def _refuse_strangers(self, headers: Headers, method: str) -> None:
        """On one's own machine: a name that leads here by way of somebody else's DNS is not this machine's, and a page from
        elsewhere has no business here.
        """
        if not self._own_machine:
            return
        host = headers.get("host", "")
        named = place(f"http://{host}")
        if named is None or not is_own_machine(named[1]):
            raise Wrong(
                403, "foreign_host", f"this server is for this machine alone, and {host[:80]!r} is not its name"
            )
        if method not in SAFE and headers.get("sec-fetch-site") in ("cross-site", "same-site"):
            raise Wrong(403, "foreign_origin", "a page from elsewhere may not ask this server to change anything")
        origin = headers.get("origin")
        if origin == "null" and headers.get("sec-fetch-site") == "same-origin":
            return  # a page of ours that keeps its address to itself; no script can say so instead of the browser
        if origin is not None and not _PAGES.is_own(origin, host):
            raise Wrong(403, "foreign_origin", "a page from elsewhere may not ask this server")


def _tell(method: str, route: str, status: int, seconds: float) -> None:
    """By its route: what stands in a path may be a token, and what stands in a query anything."""
    fields = {"method": method, "route": route, "status": status, "duration_ms": round(seconds * 1_000, 1)}
    _log.info("request", extra=fields)


def _refuse_nul(scope: Scope) -> None:
    """Raise `Wrong` for NUL in the path or the query: no name or filter holds it, and Postgres has no text with it."""
    if "\0" in scope["path"]:
        raise Wrong(400, "cannot_be_kept", "The path contains a NUL character (%00); remove it.")
    query: bytes = scope["query_string"]
    if b"%00" in query or b"\0" in query:
        raise Wrong(400, "cannot_be_kept", "The query contains a NUL character (%00); remove it.")


def _with_slashes(scope: Scope) -> str:
    """The path, with `/` inside of an id as `SLASH`: decoded, `%2F` could not be told from the `/` between the parts."""
    raw: bytes = scope.get("raw_path") or b""
    path: str = scope["path"]
    if b"%2f" not in raw.lower():
        return path.replace(SLASH, _UNKNOWN)
    told = re.sub(quote(SLASH), quote(_UNKNOWN), raw.decode("ascii", "replace"), flags=re.IGNORECASE)
    return unquote(re.sub("%2f", quote(SLASH), told, flags=re.IGNORECASE))


def _with_ours(headers: Any, request_id: str) -> list[tuple[bytes, bytes]]:
    given = list(headers)
    said = {name for name, _ in given}
    return [*given, *(each for each in HEADERS if each[0] not in said), (b"x-request-id", request_id.encode())]
