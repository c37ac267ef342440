"""Requests of browsers: the cookie of a session, and whether a page of this server sent them.

A browser sends its cookie with whatever any page asks of the server. So with a cookie alone one can look, and change nothing: a
change needs what only a page of this server can read (`X-CSRF-Token`), and must not come from elsewhere (`Origin`,
`Sec-Fetch-Site`), where the browser says from where it comes.

`__Host-` has the browser take the cookie only over TLS (or on its own machine), from this very name, for all of its paths: no
other server of the domain can put one in its place.
"""

from __future__ import annotations

import hmac
from typing import Final
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.requests import Request

from perdure.api.problems import Wrong
from perdure.service.sessions import csrf_token

COOKIE: Final = "__Host-perdure"
HEADER: Final = "x-csrf-token"
SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

_ATTRIBUTES: Final = "Path=/; Secure; HttpOnly; SameSite=Lax"
_PORTS: Final = {"http": 80, "https": 443}


def cookie(name: str, value: str, seconds: int | None = None) -> str:
    """As `Set-Cookie` says it. Without a time, the browser forgets it when it is closed."""
    lasting = "" if seconds is None else f"Max-Age={seconds}; "
    return f"{name}={value}; {lasting}{_ATTRIBUTES}"


def cleared(name: str) -> str:
    return cookie(name, "", 0)


def session_of(request: Request) -> str | None:
    """What the browser has, if it says so."""
    return request.cookies.get(COOKIE) or None


class Pages(Struct, frozen=True):
    """Pages of this server. `public`: the URL under which others know it; empty, if nobody has said."""

    public: str

    def require_own(self, request: Request) -> None:
        """Raises `Wrong`, if a browser says that a page from elsewhere sent it."""
        origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site")
        if origin is not None and not self.is_own(origin, request.headers.get("host", "")):
            raise _bad("a page from elsewhere may not ask this server to change anything; is PERDURE_PUBLIC_URL right?")
        if site is not None and site != "same-origin":
            raise _bad("a page from elsewhere may not ask this server to change anything")

    def require_token(self, request: Request, session: str) -> None:
        """The same, and also if it does not say what only a page of this server knows."""
        self.require_own(request)
        given = request.headers.get(HEADER)
        if given is None:
            raise _bad("with a cookie, changes need the csrfToken of GET /api/session as X-CSRF-Token")
        if not hmac.compare_digest(given.encode(), csrf_token(session).encode()):
            raise _bad("X-CSRF-Token is not that of this session; GET /api/session tells it")

    def is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is one of the server that is asked under this name."""
        came, public = place(origin), place(self.public)
        if came is None:
            return False
        if public is not None and came == public:
            return True
        scheme, name, port = came
        known_as_https = public is not None and public[0] == "https" and place(f"https://{host}") == public
        # Something in front of the server may speak TLS for it, so that only the browser knows the scheme.
        return place(f"{scheme}://{host}") == (scheme, name, port) and not (known_as_https and scheme == "http")


def place(url: str) -> tuple[str, str, int] | None:
    """Scheme, name and port: what an origin is. None, if it is none, as `null` is, or nothing that anybody can read."""
    try:
        found = urlsplit(url)
        port = found.port
    except ValueError:
        return None
    if found.scheme not in _PORTS or not found.hostname:
        return None
    return found.scheme, found.hostname, port or _PORTS[found.scheme]


def _bad(detail: str) -> Wrong:
    return Wrong(403, "bad_csrf", detail)
