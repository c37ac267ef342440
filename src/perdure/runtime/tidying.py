"""Forgetting what has long ended, and old parts of the ledger, a little at a time, beside the work."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from perdure.errors import PerdureError
from perdure.store.ledger import bounds
from perdure.store.port import Unavailable

AT_ONCE = 200
PAUSE_SECONDS = 0.05
LOOK_SECONDS = 60.0

_log = logging.getLogger("perdure.tidying")


class Ask(Protocol):
    """Asks the store."""

    def __call__(self, question: Callable[[Any], int], /) -> Awaitable[int]: ...


async def tidy(ask: Ask, now: Callable[[], int], keep_ms: int | None, keep_events_ms: int | None = None) -> None:
    """For ever: whatever ended longer ago than `keep_ms` goes, and events that came longer ago than `keep_events_ms`. Where there
    is neither, all of that is kept; what is old in the ledger goes anyhow. What goes wrong is tried again in the next round,
    until the engine itself is over.
    """
    keeps_all = keep_ms is None and keep_events_ms is None
    while True:
        forgotten = 0
        try:
            ended_before = 0 if keep_ms is None else now() - keep_ms
            events_before = None if keep_events_ms is None else now() - keep_events_ms
            forgotten = await ask(partial(_forget_ledger, now()))
            if not keeps_all:
                forgotten += await ask(partial(_forget, ended_before, events_before))
        except Unavailable:  # the writer says so
            pass
        except PerdureError:  # the engine is over
            raise
        except Exception:  # noqa: BLE001  what is kept too long does no harm; a disk that fills up unseen does
            _log.exception(
                "what has long ended could not be forgotten; it is tried again in %.0f seconds", LOOK_SECONDS
            )
        await asyncio.sleep(PAUSE_SECONDS if forgotten else LOOK_SECONDS)


def _forget(ended_before: int, events_before: int | None, store: Any) -> int:
    return int(store.forget(ended_before, AT_ONCE, events_before))


def _forget_ledger(now: int, store: Any) -> int:
    return int(store.forget_ledger(bounds(now, AT_ONCE)))
