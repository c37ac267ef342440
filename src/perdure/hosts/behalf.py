"""On whose behalf something is asked. Who answers requests knows the organization of each, and says it once, for all that a
request comes to: what then asks for another organization's, or for everybody's, is a mistake, and is refused before it is asked.

It goes with the context of asyncio, so that requests do not know of each other. What workers do by themselves, they do in a
context of their own: it is nobody's.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from msgspec import Struct

from perdure.errors import PerdureError

_CURRENT: Final[ContextVar[str | None]] = ContextVar("perdure.organization", default=None)


class RequestCaller(Struct, frozen=True):
    """Member and key of a request; no key in the session of a browser."""

    member: str
    key: str | None = None


_CALLER: Final[ContextVar[RequestCaller | None]] = ContextVar("perdure.caller", default=None)


def set_caller(caller: RequestCaller | None) -> None:
    """Note who makes the request that the calling context answers."""
    _CALLER.set(caller)


def current_caller() -> RequestCaller | None:
    return _CALLER.get()


class OnBehalfOfAnother(PerdureError, code="on_behalf_of_another"):
    """Something asks for what is not the organization's on whose behalf it is."""


@contextmanager
def on_behalf_of(organization: str) -> Iterator[None]:
    """Whatever is asked within is asked for this organization. It cannot become another one's on the way."""
    refuse_others(organization)
    token = _CURRENT.set(organization)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def current() -> str | None:
    """Return the organization on whose behalf the calling context asks; None if it is no organization in particular."""
    return _CURRENT.get()


def refuse_others(organization: str | None) -> None:
    """None: everybody's are asked for."""
    current = _CURRENT.get()
    if current is not None and organization != current:
        asked = "everybody's" if organization is None else f"organization {organization!r}"
        raise OnBehalfOfAnother(
            f"this is done on behalf of organization {current!r}, and asks for {asked}; name {current!r}, or ask outside of "
            "on_behalf_of"
        )
