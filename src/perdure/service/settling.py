"""Waiting for an execution, for a while: until it has ended; or until it goes on only if somebody outside does something, which
may take days.

That it has ended is told to all who wait, whoever has ended it. That it waits is told of what happens in this process; what
others do is looked for, ever less often, so that hundreds who wait cost little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from perdure.hosts.embedded import Host
from perdure.service.execution import Execution
from perdure.service.history import HistoryEntry

LOOK_SECONDS, LOOK_SECONDS_MAX = 0.1, 5.0
LOOK_MORE: Final = 2.0
REPORT_SECONDS_MAX: Final = 2.0
"""So often it is looked at least where what happens is reported."""

GAP_SECONDS: Final = 0.01
"""So long it is not looked, whatever happens: most executions have ended by then."""

FACTS_AT_ONCE: Final = 200

Until: TypeAlias = Literal["settled", "ended"]
"""settled  it has ended, or waits for somebody
ended    it has ended
"""


class Patience(Struct, frozen=True):
    """Who waits. `over` returns when that has no more sense: the server is about to end, or whoever asked is gone. `report` is
    told what happens meanwhile, by the number of it and in a few words; None: nobody wants to know.
    """

    over: Callable[[], Awaitable[object]]
    report: Callable[[float, str], Awaitable[None]] | None = None


async def settled(
    host: Host, execution: Execution, seconds: float, patience: Patience, until: Until = "settled"
) -> None:
    """However it stands by then: until there is nothing more to wait for, for so many seconds at most."""
    if seconds <= 0:
        return
    ended, over = asyncio.ensure_future(execution.ended()), asyncio.ensure_future(patience.over())
    try:
        with host.shell.halts.of(execution.id) as halted:
            for each in (ended, over):
                each.add_done_callback(lambda _: halted.set())
            await _Waiting(execution, patience, until, ended, over, halted).go_on(seconds)
    finally:
        for each in (ended, over):
            each.cancel()
        await asyncio.gather(ended, over, return_exceptions=True)


class _Waiting(Struct):
    execution: Execution
    patience: Patience
    until: Until
    ended: asyncio.Future[None]
    over: asyncio.Future[object]
    halted: asyncio.Event
    seen: int = 0
    """Up to which fact it has been reported."""

    async def go_on(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        until, pause = clock() + seconds, LOOK_SECONDS
        longest = LOOK_SECONDS_MAX if self.patience.report is None else REPORT_SECONDS_MAX
        while (left := until - clock()) > 0:
            await asyncio.wait(
                (self.ended, self.over), timeout=min(GAP_SECONDS, left), return_when=asyncio.FIRST_COMPLETED
            )
            await self._report()
            if await self._is_settled():
                return
            looks = self.until == "settled" or self.patience.report is not None
            await self._pause(min(pause, until - clock()) if looks else until - clock())
            pause = min(pause * LOOK_MORE, longest)
        await self._report()

    async def _is_settled(self) -> bool:
        if self.ended.done():
            self.ended.result()
            return True
        if self.over.done():
            return True
        return self.until == "settled" and (await self.execution.why()).needs_somebody

    async def _pause(self, seconds: float) -> None:
        """Until it may have come to a halt."""
        try:
            async with asyncio.timeout(max(seconds, 0.0)):
                await self.halted.wait()
        except TimeoutError:
            pass
        self.halted.clear()

    async def _report(self) -> None:
        if self.patience.report is None:
            return
        while found := (await self.execution.history(after=self.seen, limit=FACTS_AT_ONCE)).items:
            for entry in found:
                if not entry.inner:
                    await self.patience.report(entry.seq, _words(entry))
            self.seen = found[-1].seq


def _words(entry: HistoryEntry) -> str:
    what = entry.name or entry.kind
    return what if entry.step is None else f"{entry.step}: {what}"
