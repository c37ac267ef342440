"""Who is told of calls that leave by the door, while the code of one attempt runs, and what such a call carries with it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Protocol


class Leaving(Protocol):
    """One call that leaves. `ended` or `failed` comes once."""

    traceparent: str
    """What it carries, as W3C Trace Context has it."""

    def ended(self, status: int) -> None: ...

    def failed(self, error: BaseException) -> None: ...


class Watching(Protocol):
    """Knows nothing of a call but this: what stands in a path, a query, a header or a body may be anything."""

    def leaving(self, method: str, scheme: str, host: str, port: int | None) -> Leaving: ...


WATCHING: Final[ContextVar[Watching | None]] = ContextVar("perdure.outbound", default=None)
"""Of the attempt that this code belongs to."""
