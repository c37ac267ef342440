"""Background health checks of a process: events that stay unrouted while workers live, and the integrity of a SQLite file.

Each finding is a condition of the worker, which `/readyz` and `/metrics` report.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from typing import Final

from perdure.errors import PerdureError
from perdure.runtime.shell import Shell
from perdure.store.port import Broken, Unavailable
from perdure.store.questions import Unrouted
from perdure.store.sqlite.integrity import (
    IntegrityCheck,
    IntegrityResult,
    Interrupted,
    check_if_due,
    is_of_file,
    last_result,
)

LOOK_SECONDS: Final = 5.0
UNROUTED_SECONDS: Final = 60.0
"""Time after which an event that is still the oldest unrouted one is stuck."""

FIRST_CHECK_MS: Final = 5 * 60_000
"""The first integrity check begins so long after the start at the latest, if one is due; so does the next one after a check that
failed or found damage.
"""

UNROUTED, DAMAGED = "events_unrouted", "integrity_failed"
"""Codes of conditions."""

_log = logging.getLogger("perdure.monitor")


class Monitor:
    """`path`: the SQLite file, if it is one; `interval_ms`: the interval between two integrity checks of it. `checks`: False only
    reads the results of those that other processes do.
    """

    def __init__(
        self,
        shell: Shell,
        path: str | None,
        interval_ms: int,
        *,
        checks: bool = True,
        look_seconds: float = LOOK_SECONDS,
        unrouted_seconds: float = UNROUTED_SECONDS,
    ) -> None:
        self._shell, self._path, self._interval_ms, self._checks = shell, path, interval_ms, checks
        self._look_seconds, self._unrouted_seconds = look_seconds, unrouted_seconds
        self._stopping = threading.Event()
        self._check_at = time.monotonic() + min(FIRST_CHECK_MS, interval_ms) / 1_000
        self._checking: asyncio.Task[IntegrityResult | None] | None = None
        self._checked: IntegrityResult | None = None
        """The result of the last check that this process began."""
        self._oldest: Unrouted | None = None
        self._oldest_since = 0.0
        self.integrity: IntegrityResult | None = None
        """The newest result that this process knows."""

    @property
    def unrouted_seconds(self) -> float:
        """Age of the oldest unrouted event, when it was last looked at; 0 if there is none."""
        oldest = self._oldest
        return 0.0 if oldest is None or oldest.at is None else max(self._shell.clock.now_ms() - oldest.at, 0) / 1_000

    async def watch(self) -> None:
        """Look until it is cancelled."""
        pause = min(self._look_seconds, self._interval_ms / 1_000)
        try:
            while True:
                await asyncio.sleep(pause)
                try:
                    await self.look()
                except (Unavailable, Broken):  # the writer reports it
                    pass
                except PerdureError:  # the engine is over
                    raise
                except Exception:  # noqa: BLE001  it must not end with the first surprise
                    _log.exception("a health check failed; it is tried again in %g seconds", pause)
        finally:
            self._stopping.set()

    async def look(self) -> None:
        await self._look_for_unrouted()
        if self._path is not None:
            self._report_integrity(self._newest_result(self._path))
            if self._checks:
                self._look_at_integrity(self._path)

    async def _look_for_unrouted(self) -> None:
        oldest = await self._shell.read(lambda store: store.oldest_unrouted())
        if oldest is None or self._oldest is None or oldest.pos != self._oldest.pos:
            self._oldest_since = time.monotonic()
        self._oldest = oldest
        stuck = time.monotonic() - self._oldest_since
        if oldest is None or stuck < self._unrouted_seconds:
            self._shell.conditions.clear(UNROUTED)
            return
        if await self._shell.read(lambda store: store.living(self._shell.clock.now_ms())):
            self._shell.conditions.set(
                UNROUTED,
                f"events have not been routed for {stuck:.0f} seconds although workers run; `perdure doctor` names them",
            )

    def _look_at_integrity(self, path: str) -> None:
        if self._checking is not None:
            if not self._checking.done():
                return
            checked, self._checking = self._checking, None
            error = checked.exception()
            self._checked = checked.result() if error is None else self._checked
            if error is not None:
                _log.error("the integrity check failed; it is tried again in 5 minutes at the latest", exc_info=error)
            if error is not None or (self._checked is not None and self._checked.problems):  # the file may be restored
                self._check_at = min(self._check_at, time.monotonic() + FIRST_CHECK_MS / 1_000)
        if time.monotonic() >= self._check_at:
            self._check_at = time.monotonic() + self._interval_ms / 1_000
            self._checking = asyncio.create_task(asyncio.to_thread(self._check, path))

    def _check(self, path: str) -> IntegrityResult | None:
        now_ms = self._shell.clock.now_ms
        check, now = IntegrityCheck(path, now_ms, self._stopping.is_set), now_ms()
        try:
            return check_if_due(path, now, now - self._interval_ms + 1_000, check.run)
        except Interrupted:
            return None

    def _newest_result(self, path: str) -> IntegrityResult | None:
        """Return the stored result, or a newer one of this process that could not be stored."""
        stored, own = last_result(path), self._checked
        if own is None or not is_of_file(own, path):
            return stored
        return own if stored is None or stored.checked_at < own.checked_at else stored

    def _report_integrity(self, result: IntegrityResult | None) -> None:
        if result is None:
            self._shell.conditions.clear(DAMAGED)
        elif result.problems:
            if self.integrity is None or self.integrity.problems != result.problems:
                _log.error("the database is damaged: %s", "; ".join(result.problems))
            self._shell.conditions.set(
                DAMAGED,
                f"the database is damaged ({result.problems[0]}); run `perdure doctor`, and restore it from a backup",
            )
        else:
            self._shell.conditions.clear(DAMAGED)
        self.integrity = result
