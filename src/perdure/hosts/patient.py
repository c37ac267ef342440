"""Asking a database that may be away: it is waited for, as workers do. Nothing has been called yet, and nothing has failed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from perdure.store.port import Unavailable
from perdure.store.questions import Questions

AGAIN_SECONDS: Final = 1.0
_log = logging.getLogger("perdure.hosts")

Answer = TypeVar("Answer")


class Read(Protocol):
    """Asks the store, beside whoever writes."""

    async def __call__(self, question: Callable[[Questions], Answer]) -> Answer: ...


async def patiently(read: Read, question: Callable[[Questions], Answer], what: str) -> Answer:
    """`what` cannot be read meanwhile, as the log says it."""
    while True:
        try:
            return await read(question)
        except Unavailable as error:
            _log.warning("%s cannot be read for now: %s", what, error)
        await asyncio.sleep(AGAIN_SECONDS)
