"""Clock watch: measures the database's clock with each heartbeat, and reports when this host's clock differs or has jumped."""

from __future__ import annotations

import logging
from typing import Any, Final

from perdure.clock import CONFIRM_MS, SKEW_MAX_MS, SKEW_WARN_MS, Clock
from perdure.runtime.conditions import Conditions
from perdure.store.port import Broken, Unavailable

SKEW: Final = "clock_skew"
JUMP: Final = "clock_jump"
"""Codes of the conditions."""

_log = logging.getLogger("perdure.clock")


class ClockWatch:
    """Logs and sets conditions when they change, not at each heartbeat."""

    def __init__(self, clock: Clock, conditions: Conditions) -> None:
        self._clock, self._conditions = clock, conditions
        self._level = self._jumps = 0

    def measure(self, store: Any) -> None:
        """Measure, in the thread of the store. If that fails, the last measurement holds."""
        try:
            self._clock.measure(store.database_ms)
        except Broken:
            raise
        except Unavailable:  # the writer says so
            pass
        except Exception:  # noqa: BLE001  the writer must not end by it
            _log.exception("cannot read the clock of the database")
        self.check()

    def check(self) -> None:
        self._check_skew()
        self._check_jumps()

    def _check_skew(self) -> None:
        skew = self._clock.skew_ms or 0
        level = (abs(skew) > SKEW_WARN_MS) + (abs(skew) > SKEW_MAX_MS)
        if level == 0:
            self._conditions.clear(SKEW)
            if self._level:
                _log.warning("the clock of this host agrees with that of the database again")
        else:
            reason = describe_skew(skew)
            self._conditions.set(SKEW, reason)
            if level != self._level:
                _log.log(logging.ERROR if level > 1 else logging.WARNING, "%s", reason)
        self._level = level

    def _check_jumps(self) -> None:
        clock = self._clock
        if clock.jumps != self._jumps:
            self._jumps = clock.jumps
            _log.error("%s", describe_jump(clock.last_jump_ms, of_database=clock.skew_ms is not None))
        if clock.is_confirming:
            self._conditions.set(JUMP, describe_jump(clock.last_jump_ms, of_database=clock.skew_ms is not None))
        else:
            self._conditions.clear(JUMP)


def describe_skew(skew_ms: int) -> str:
    direction = "ahead of" if skew_ms > 0 else "behind"
    said = f"the clock of this host is {abs(skew_ms) / 1_000:.1f} s {direction} that of the database"
    if abs(skew_ms) <= SKEW_MAX_MS:
        return f"{said}, which decides what is due; set it by NTP"
    return (
        f"{said}: this process takes up no timers, schedules and retries that are due, and deletes nothing by its age; set the "
        "clock by NTP"
    )


def describe_jump(jump_ms: int, *, of_database: bool) -> str:
    direction = "forward" if jump_ms > 0 else "back"
    whose = "database" if of_database else "host"
    return (
        f"the clock of the {whose} has jumped {direction} by {abs(jump_ms) / 1_000:.1f} s; the new time takes "
        f"effect if the jump lasts {CONFIRM_MS // 1_000} s"
    )
