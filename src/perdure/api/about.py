"""Which request the code that runs here answers, and of which organization, once that is known. Whoever writes a log asks."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from msgspec import Struct


class Asked(Struct):
    """One request. Not frozen: who asks is found out after it has come."""

    request_id: str
    organization: str | None = None


_ASKED: Final[ContextVar[Asked | None]] = ContextVar("perdure.asked", default=None)


def begin(request_id: str) -> None:
    _ASKED.set(Asked(request_id))


def admitted(organization: str) -> None:
    asked = _ASKED.get()
    if asked is not None:
        asked.organization = organization


def asked() -> Asked | None:
    return _ASKED.get()
