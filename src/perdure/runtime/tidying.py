"""Forgetting what has long ended, and old parts of the ledger, a little at a time, beside the work.

Whoever forgets keeps others from writing meanwhile, so that there is a budget: what is looked at and forgotten at once takes
about as long as `AIM_SECONDS`, and after it there is a pause of several times as long. How much that is, is found out as it goes:
it differs from disk to disk, and from execution to execution. Each part is a commit of its own, and what is left over is found
again by looking at what there is: after a crash nothing has to be remembered.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter
from typing import Any, Final, Protocol

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.runtime.retention_guard import RetentionGuard
from perdure.runtime.waiters import OutcomeUnknown
from perdure.store.ledger import ANSWERS_MS, TRIGGERS_MS, LedgerForgotten, bounds
from perdure.store.port import Tally, Unavailable

LEAST_AT_ONCE, AT_ONCE_FIRST, MOST_AT_ONCE = 1, 20, 200
AIM_SECONDS: Final = 0.02
PAUSE_SECONDS = 0.05
REST = 4
"""So many times as long as it took to forget something, nothing is forgotten after that."""

LOOK_SECONDS = 60.0

LOG_SECONDS: Final = 3_600.0
"""Interval between two lines in the log about what was deleted."""

_NAMES: Final = {"ledger": "rows of the ledger (answers, triggers, uses of keys)"}
_log = logging.getLogger("perdure.tidying")


class Kept(Struct, frozen=True):
    """How long things are kept, in milliseconds. None: `executions` for ever; `events` as long as those, and as somebody can look
    back to them.
    """

    executions: int | None = None
    events: int | None = None
    triggers: int = TRIGGERS_MS
    answers: int = ANSWERS_MS


class Ask(Protocol):
    """Asks the store."""

    def __call__(self, question: Callable[[Any], int], /) -> Awaitable[int]: ...


class Budget:
    """How much is forgotten at once."""

    def __init__(self) -> None:
        self.at_once, self.took = AT_ONCE_FIRST, 0.0

    @property
    def rest_seconds(self) -> float:
        """How long others have the store to themselves after that."""
        return max(PAUSE_SECONDS, self.took * REST)

    def spend(self, question: Callable[[int, Any], int], store: Any) -> int:
        """In the thread of the store: how long it was waited for before is not what it costs others."""
        began = perf_counter()
        forgotten = question(self.at_once, store)
        self.took = perf_counter() - began
        if self.took > AIM_SECONDS:
            self.at_once = max(LEAST_AT_ONCE, self.at_once // 2)
        elif forgotten and self.took < AIM_SECONDS / 2:
            self.at_once = min(MOST_AT_ONCE, self.at_once * 2)
        return forgotten


async def tidy(
    ask: Ask, now: Callable[[], int], kept: Kept, guard: RetentionGuard | None = None, tally: Tally | None = None
) -> None:
    """For ever: whatever is older than it is kept goes; what is old in the ledger goes anyhow. What goes wrong is tried again in
    the next round, until the engine itself is over. `guard` says when nothing may be deleted, `tally` counts what was.
    """
    budget, ledger_budget, ledger = Budget(), Budget(), _Ledger(kept)
    tally = Tally() if tally is None else tally
    keeps_all = kept.executions is None and kept.events is None
    is_left = False
    report = _Report(tally)
    try:
        while True:
            is_more = False
            try:
                at = now() if guard is None else await guard.permit()
                if at is not None:
                    forgotten = await ask(partial(ledger_budget.spend, partial(ledger.forget, at)))
                    tally.ledger += forgotten
                    if not keeps_all and (is_left or not ledger.after):  # else nothing was left when this round began
                        is_left = await ask(partial(budget.spend, partial(_forget, at, kept, tally))) > 0
                    is_more = is_left or forgotten > 0 or ledger.after != ""
            except (Unavailable, OutcomeUnknown):  # the writer says so
                pass
            except PerdureError:  # the engine is over
                raise
            except Exception:  # noqa: BLE001  what is kept too long does no harm; a disk that fills up unseen does
                _log.exception(
                    "what has long ended could not be forgotten; it is tried again in %.0f seconds", LOOK_SECONDS
                )
            report.log(is_more=is_more)
            rest = max(budget.rest_seconds, ledger_budget.rest_seconds)
            pause = 0.0 if guard is None else min(guard.pause_seconds, LOOK_SECONDS)
            await asyncio.sleep(rest if is_more else pause or LOOK_SECONDS)
    finally:  # it is cancelled when the engine ends
        report.log(is_more=False, is_last=True)


class _Report:
    """Logs what was deleted: the first time when all of it is gone, then a summary once an hour, and what is left at the end."""

    def __init__(self, tally: Tally) -> None:
        self._tally, self._logged, self._log_at = tally, tally.counts(), perf_counter()

    def log(self, *, is_more: bool, is_last: bool = False) -> None:
        counts, now = self._tally.counts(), perf_counter()
        deleted = {kind: count - self._logged[kind] for kind, count in counts.items() if count > self._logged[kind]}
        if not deleted or (not is_last and now < self._log_at + (LOG_SECONDS if is_more else 0)):
            return
        described = ", ".join(f"{count} {_NAMES.get(kind, kind)}" for kind, count in deleted.items())
        _log.warning("retention has deleted %s", described)
        self._logged, self._log_at = counts, now + LOG_SECONDS


def _forget(now: int, kept: Kept, tally: Tally, at_once: int, store: Any) -> int:
    ended_before = 0 if kept.executions is None else now - kept.executions
    events_before = None if kept.events is None else now - kept.events
    return int(store.forget(ended_before, at_once, events_before, (), tally))


class _Ledger:
    """It is gone through organization by organization, a few at once. `after`: where it goes on; empty: with the first."""

    def __init__(self, kept: Kept) -> None:
        self._kept, self.after = kept, ""

    def forget(self, now: int, at_once: int, store: Any) -> int:
        kept = self._kept
        given = bounds(now, at_once, answers=kept.answers, triggers=kept.triggers, after=self.after)
        forgotten: LedgerForgotten = store.forget_ledger(given)
        self.after = forgotten.after or ""
        return forgotten.rows
