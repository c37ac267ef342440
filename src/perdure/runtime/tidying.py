"""Forgetting what has long ended, a little at a time, beside the work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from perdure.store.port import Unavailable

AT_ONCE = 200
PAUSE_SECONDS = 0.05
LOOK_SECONDS = 60.0


class Ask(Protocol):
    """Asks the store."""

    def __call__(self, question: Callable[[Any], int], /) -> Awaitable[int]: ...


async def tidy(ask: Ask, now: Callable[[], int], keep_ms: int) -> None:
    """For ever: whatever ended longer ago than `keep_ms` goes."""
    while True:
        try:
            forgotten = await ask(lambda store: store.forget(now() - keep_ms, AT_ONCE))
        except Unavailable:  # the writer says so
            forgotten = 0
        await asyncio.sleep(PAUSE_SECONDS if forgotten else LOOK_SECONDS)
