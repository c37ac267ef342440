"""Asking the store for what a call needs, before it is made."""

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


async def asked(read: Read, what: str, question: Callable[[Questions], Answer]) -> Answer:
    """A database that is away is waited for, as workers do: nothing has been called yet, and nothing has failed."""
    while True:
        try:
            return await read(question)
        except Unavailable as error:
            _log.warning("%s cannot be read for now: %s", what, error)
        await asyncio.sleep(AGAIN_SECONDS)
