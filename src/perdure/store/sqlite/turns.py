"""Processes that write to one file take turns.

SQLite lets whoever comes next have the lock, and a process that writes all the time is always next: beside it, another one waits
for seconds. So there are two locks. To write, a process takes the lock `next`, waits with it for the lock `writing`, and lets go
of `next` as soon as it writes. Whoever has just written finds `next` taken by whoever waits, and comes after it.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from perdure.store.port import Unavailable
from perdure.store.sqlite.locks import LOCK, OWN_MODE

WAIT_SECONDS = 30.0
TRY_SECONDS = 0.0005


class Turns:
    """The locks are files in `folder`."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._next, self._writing = (_open(folder / f"{name}{LOCK}") for name in ("next", "writing"))

    def close(self) -> None:
        os.close(self._next)
        os.close(self._writing)

    @contextmanager
    def mine(self) -> Iterator[None]:
        """Raises `Unavailable` if another process does not come to an end of its turn."""
        with _locked(self._next):
            _lock(self._writing)
        try:
            yield
        finally:
            fcntl.flock(self._writing, fcntl.LOCK_UN)


def _open(path: Path) -> int:
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE)


@contextmanager
def _locked(descriptor: int) -> Iterator[None]:
    _lock(descriptor)
    try:
        yield
    finally:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


def _lock(descriptor: int) -> None:
    until = 0.0
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            now = time.monotonic()
            until = until or now + WAIT_SECONDS
            if now > until:
                raise Unavailable(
                    f"another process has kept the database from being written for {WAIT_SECONDS:.0f} seconds; "
                    "look for one that is stopped in the middle of a write"
                ) from None
            time.sleep(TRY_SECONDS)
        else:
            return
