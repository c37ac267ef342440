"""Working until there is nothing to do: for `perdure worker --until-idle`.

Idle means: nothing is ready, no task runs, and nothing wakes up to the horizon. What waits for people, events or later times is
left to others. A backoff is not, if it is short: nobody comes back for it, and the execution counts as running.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from operator import methodcaller

from msgspec import Struct

from perdure.core.state import wake_at
from perdure.model.records import ExecutionRecord
from perdure.runtime.shell import Shell
from perdure.store.notices import NOTICES

LOOK_SECONDS, LOOKS = 0.01, 3
"""So many quiet looks in a row are enough: what one of them has missed, between two transactions, is seen by the next."""

SLEEP_SECONDS_MAX = 0.5
"""So long it sleeps at most before it looks whether something else has come."""

BACKOFF_MS_MAX = 60_000
"""So far ahead a next attempt may be to be waited for."""


class Idle(Struct, frozen=True):
    """How the executions ended that this worker saw end, how many there are that have not, and whether it was told to end."""

    completed: int = 0
    failed: int = 0
    cancelled: int = 0
    waiting: int = 0
    interrupted: bool = False


class Tally:
    """How executions ended. One that was retried counts as it ended last."""

    def __init__(self) -> None:
        self._status: dict[str, str] = {}

    def __call__(self, record: ExecutionRecord) -> None:
        if record.workflow != NOTICES:
            self._status[record.id] = record.status

    async def told(self, shell: Shell, *, interrupted: bool) -> Idle:
        count = Counter(self._status.values())
        waiting = await shell.read(methodcaller("open_count"))
        return Idle(count["completed"], count["failed"], count["cancelled"], waiting, interrupted)


async def until_idle(shell: Shell, horizon_ms: int) -> None:
    """Until nothing can be done, and nothing is due so far ahead."""
    quiet = 0
    while quiet < LOOKS:
        now = shell.clock.now_ms()
        if not await _is_quiet(shell):
            quiet = 0
            await asyncio.sleep(LOOK_SECONDS)
            continue
        due = await _next(shell, now, now + horizon_ms)
        if not shell.is_still:
            quiet = 0
            continue
        if due is None or shell.clock.is_far_off:  # then it is left to other workers
            quiet += 1
            await asyncio.sleep(LOOK_SECONDS)
            continue
        quiet = 0
        await asyncio.sleep(min(max(due - shell.clock.now_ms(), 0) / 1_000, SLEEP_SECONDS_MAX))


async def _is_quiet(shell: Shell) -> bool:
    """Nothing is on its way here, and the writer, which has looked for work in between, has found none."""
    if not shell.is_still:
        return False
    for _ in range(2):  # between the two it looks once
        await shell.ask(lambda _: None)
    return shell.is_still


async def _next(shell: Shell, now: int, horizon: int) -> int | None:
    until = max(horizon, now + BACKOFF_MS_MAX)
    found = await shell.read(methodcaller("next_due", now, horizon, until))
    # What is held although no task runs is about to be given back.
    held = [due for one in shell.engine.held.values() if (due := wake_at(one.state)) is not None and due <= until]
    return min([*held, *(() if found is None else (found,))], default=None)
