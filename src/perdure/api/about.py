"""Which request the code that runs here answers, and of which organization, once that is known. Whoever writes a log asks."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from typing import Any, Final

from msgspec import Struct


class Asked(Struct):
    """One request. Not frozen: who asks is found out after it has come."""

    request_id: str
    organization: str | None = None


ADMITTED: Final = "perdure.admitted"
"""Key of a scope: a function that is called when the caller of the request is known."""

_ASKED: Final[ContextVar[Asked | None]] = ContextVar("perdure.asked", default=None)


def begin(request_id: str) -> None:
    _ASKED.set(Asked(request_id))


def admitted(organization: str) -> None:
    asked = _ASKED.get()
    if asked is not None:
        asked.organization = organization


def mark_admitted(scope: MutableMapping[str, Any]) -> None:
    """Tell the connection that the caller of the request is known, so that it is not dropped before others."""
    mark: Callable[[], None] | None = scope.get(ADMITTED)
    if mark is not None:
        mark()


def asked() -> Asked | None:
    return _ASKED.get()
