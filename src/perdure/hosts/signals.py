"""Being told to end, by SIGTERM or SIGINT."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine
from typing import Any


async def unless_told_to_end(*work: Coroutine[Any, Any, None]) -> bool:
    """Until one of them is done, which may raise, or until the process is told to end. Whether it was told."""
    told = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, told.set)
    waiting: list[asyncio.Future[Any]] = [asyncio.ensure_future(one) for one in (told.wait(), *work)]
    try:
        ended, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for one in ended:
            one.result()
    finally:
        for one in waiting:
            one.cancel()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
    return told.is_set()
