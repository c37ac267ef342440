"""Processes that write to one file take turns.

SQLite lets whoever comes next have the lock, and a process that writes all the time is always next: beside it, another one waits
for seconds. So there are two locks. To write, a process takes the lock `next`, waits with it for the lock `writing`, and lets go
of `next` as soon as it writes. Whoever has just written finds `next` taken by whoever waits, and comes after it.

A process that has much to write may hold its turn from one transaction to the next: a byte that all of them share says whether
anybody asks for a turn, and to look at it costs nothing.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import time
from pathlib import Path
from types import TracebackType

from perdure.store.port import Unavailable
from perdure.store.sqlite.locks import LOCK, OWN_MODE, in_a_child

WAIT_SECONDS = 30.0
TRY_SECONDS = 0.0005


class Turns:
    """The locks are files in `folder`. `with turns:` is one turn."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            self._next, self._writing = (_open(folder / f"{name}{LOCK}") for name in ("next", "writing"))
            self._asked = _shared_byte(folder / f"asked{LOCK}")
        except OSError as error:
            raise Unavailable(f"{folder} cannot be used: {error.strerror}") from error
        self._is_mine = self._holds = False
        self._descriptors = [self._next, self._writing]
        in_a_child(self._let_go)

    def close(self) -> None:
        self.rest()
        self._asked.close()
        self._let_go()

    def _let_go(self) -> None:
        while self._descriptors:
            os.close(self._descriptors.pop())

    def hold(self) -> None:
        """Keep a turn from one transaction to the next, until others ask for it."""
        self._holds = True

    def rest(self) -> None:
        """Let others write."""
        if self._is_mine:
            self._is_mine = False
            fcntl.flock(self._writing, fcntl.LOCK_UN)

    def at_hand(self) -> bool:
        """Whether it is this one's turn, or nobody's: then it is this one's now."""
        if not self._is_mine and _locked(self._next):
            self._is_mine = _locked(self._writing)
            fcntl.flock(self._next, fcntl.LOCK_UN)
        return self._is_mine and not self._asked[0]

    def __enter__(self) -> None:
        """Raises `Unavailable` if another process does not come to an end of its turn."""
        if self._is_mine and self._asked[0]:
            self.rest()
        if not self._is_mine:
            self._wait()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not self._holds:
            self.rest()

    def _wait(self) -> None:
        until = time.monotonic() + WAIT_SECONDS
        while not _locked(self._next):
            _pause(until)
        try:
            while not _locked(self._writing):
                self._asked[0] = 1
                _pause(until)
            self._is_mine = True
            self._asked[0] = 0
        finally:
            fcntl.flock(self._next, fcntl.LOCK_UN)


def _shared_byte(path: Path) -> mmap.mmap:
    descriptor = _open(path)
    try:
        if os.fstat(descriptor).st_size == 0:  # written, so that there is room for it however full the disk becomes
            os.write(descriptor, b"\0")
        return mmap.mmap(descriptor, 1)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _pause(until: float) -> None:
    if time.monotonic() > until:
        raise Unavailable(
            f"another process has kept the database from being written for {WAIT_SECONDS:.0f} seconds; "
            "look for one that is stopped in the middle of a write"
        )
    time.sleep(TRY_SECONDS)
