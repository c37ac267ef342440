"""Time. This module is the only one that reads the wall clock; the pure layers are given a time instead.

`now_ms` is the host's wall clock. What is due, how old something is and when a fact happened goes by a `Clock`, which does not
follow every jump of that. Rules of a `Clock`:

1. With a reference (the clock of a Postgres database, measured with each heartbeat), it runs on from the last measurement by the
   steady clock. The wall clock only says how far this host is off. If the reference moves by more than `JUMP_MS` and the error of
   the measurements against the steady clock, the clock runs on steadily and takes up the new time at the first measurement after
   the reference has been off for `CONFIRM_MS`.
2. Without a reference it follows the wall clock. If that moves by more than `JUMP_MS` against the steady clock, in either
   direction, the clock runs on steadily and takes up the new time once the wall clock has been off for `CONFIRM_MS`.

The steady clock counts the time that a machine was suspended, where the system can tell (Linux). Elsewhere a resume is a jump,
and what has become due meanwhile fires after `CONFIRM_MS`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Final

JUMP_MS: Final = 2_000
"""Maximum step of the wall clock or of the reference that is followed at once."""

CONFIRM_MS: Final = 60_000
"""How long it has to be off before a larger step is followed."""

SKEW_WARN_MS: Final = 2_000
"""From this difference on between this host and its database, it is reported."""

SKEW_MAX_MS: Final = 10_000
"""From this difference on, a worker takes up nothing that is due."""

wall_ns: Callable[[], int] = time.time_ns
"""The wall clock of this host. Tests replace it."""


def now_ms() -> int:
    """Return the wall clock of this host, in milliseconds since 1970."""
    return wall_ns() // 1_000_000


_BOOT: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", None)


def steady_ms() -> int:
    """Return milliseconds of a clock that cannot be set."""
    return (time.monotonic_ns() if _BOOT is None else time.clock_gettime_ns(_BOOT)) // 1_000_000


class Clock:
    """The clock of one worker. Safe to read from any thread."""

    def __init__(self, wall: Callable[[], int] = now_ms, steady: Callable[[], int] = steady_ms) -> None:
        self._wall, self._steady = wall, steady
        self._lock = Lock()
        self._offset = wall() - steady()
        """From the steady clock to the time."""
        self._has_reference = False
        self._measured, self._error = 0, 0
        """The last measured offset of the reference, and the maximum error of `_offset`."""
        self._jumped_at: int | None = None
        """Since when the wall clock, or the reference, has been off, by the steady clock."""
        self.jumps = 0
        """How many jumps have been seen, of the wall clock or of the reference."""
        self.last_jump_ms = 0

    def now_ms(self) -> int:
        steady = self._steady()
        if self._has_reference:
            return steady + self._offset
        wall = self._wall()
        if abs(wall - steady - self._offset) > JUMP_MS:
            return self._after_jump(wall, steady)
        self._jumped_at = None
        self._offset = wall - steady
        return wall

    def _after_jump(self, wall: int, steady: int) -> int:
        with self._lock:
            if self._has_reference:
                return steady + self._offset
            if self._jumped_at is None:
                self._jumped_at = steady
                self._count(wall - steady - self._offset)
            elif steady - self._jumped_at >= CONFIRM_MS:
                self._jumped_at = None
                self._offset = wall - steady
            return steady + self._offset

    def _count(self, jump_ms: int) -> None:
        self.jumps += 1
        self.last_jump_ms = jump_ms

    @property
    def is_confirming(self) -> bool:
        """Whether the wall clock or the reference is off since a jump, and not followed yet."""
        return self._jumped_at is not None

    def measure(self, read: Callable[[], int | None]) -> None:
        """Measure the reference, if there is one. The answer is taken to be of the middle of the round trip. What lies within the
        error of the measurement changes nothing, so that a slow round trip does not shift the clock.
        """
        began = self._steady()
        reference = read()
        ended = self._steady()
        if reference is None:
            return
        offset, error = reference - (began + ended) // 2, (ended - began) // 2 + 1
        with self._lock:
            moved = offset - self._offset
            if self._has_reference and abs(moved) <= error:
                self._error, self._jumped_at = min(self._error, 2 * error), None
            elif not self._has_reference or self._may_follow(moved, error, ended):
                self._offset, self._error, self._has_reference, self._jumped_at = offset, error, True, None
            self._measured = self._offset if self._jumped_at is None else offset

    def _may_follow(self, moved: int, error: int, steady: int) -> bool:
        """Return whether the reference, which has moved by so much, is followed now."""
        if abs(moved) <= JUMP_MS + self._error + error:
            return True
        if self._jumped_at is None:
            self._jumped_at = steady
            self._count(moved)
        return steady - self._jumped_at >= CONFIRM_MS

    @property
    def skew_ms(self) -> int | None:
        """How far the wall clock of this host is ahead of the reference; None without one."""
        return self._wall() - self._steady() - self._measured if self._has_reference else None

    @property
    def is_far_off(self) -> bool:
        """Whether the difference is so large that other workers are to take up what is due."""
        skew = self.skew_ms
        return skew is not None and abs(skew) > SKEW_MAX_MS
