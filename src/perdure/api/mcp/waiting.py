"""Waiting for an execution: until it has ended, or goes on only if somebody outside does something, or the time is over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct

from perdure.service.execution import Execution
from perdure.service.history import HistoryEntry

LOOK_SECONDS: Final = 0.1
LOOK_SECONDS_MAX: Final = 2.0
SECONDS_DEFAULT: Final = 20.0
SECONDS_MAX: Final = 60.0
FACTS_AT_ONCE: Final = 200


class Patience(Struct, frozen=True):
    """Who waits. `is_ending`: the server is about to end, and answers what it knows. `report` is told what happens meanwhile, by
    the number of it and in a few words; None: nobody wants to know.
    """

    is_ending: Callable[[], bool]
    report: Callable[[float, str], Awaitable[None]] | None = None


async def settled(execution: Execution, seconds: float, patience: Patience) -> None:
    """What waits for an approval is not waited for: whoever asked has to know of it now."""
    if seconds <= 0:
        return
    clock = asyncio.get_running_loop().time
    until, pause, seen = clock() + seconds, LOOK_SECONDS, 0
    ending = asyncio.ensure_future(execution.ended())
    try:
        while (left := until - clock()) > 0 and not patience.is_ending():
            done, _ = await asyncio.wait({ending}, timeout=min(pause, left))
            seen = await _reported(execution, seen, patience)
            if done:
                ending.result()
                return
            if (await execution.why()).needs_somebody:
                return
            pause = min(pause * 1.5, LOOK_SECONDS_MAX)
    finally:
        ending.cancel()


async def _reported(execution: Execution, seen: int, patience: Patience) -> int:
    """Up to which fact it has been told."""
    if patience.report is None:
        return seen
    while found := (await execution.history(after=seen, limit=FACTS_AT_ONCE)).items:
        for entry in found:
            if not entry.inner:
                await patience.report(entry.seq, _words(entry))
        seen = found[-1].seq
    return seen


def _words(entry: HistoryEntry) -> str:
    what = entry.name or entry.kind
    return what if entry.step is None else f"{entry.step}: {what}"
