"""Which workers live: each holds a lock on a file of its own beside the database. A lock that is free is that of a dead one.

The operating system lets go of a lock when its process ends, however it ends, so that nobody has to wait for a lease.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from weakref import WeakMethod

OWN_MODE = 0o600
LOCK = ".lock"
"""What files end with that are no workers'."""


def in_a_child(close: Callable[[], None]) -> None:
    """A process that this one forks would keep its locks, and with them the name of living, long after this one is dead."""
    method = WeakMethod(close)

    def forked() -> None:
        found = method()
        if found is not None:
            found()

    os.register_at_fork(after_in_child=forked)


def workers_folder(database: str) -> Path:
    """Where the locks of those who work on a database are."""
    return Path(f"{database}.workers")


class WorkerLocks:
    def __init__(self, database: str) -> None:
        self._folder = workers_folder(database)
        self._held: dict[str, int] = {}
        in_a_child(self._close)

    def _close(self) -> None:
        for descriptor in self._held.values():
            os.close(descriptor)
        self._held.clear()

    def hold(self, worker: str) -> None:
        """This worker lives from now on. What dead ones have left is swept away."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        self._sweep()
        path = self._folder / worker
        while True:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_there(path, descriptor):  # else another one has swept it away before it was locked
                break
            os.close(descriptor)
        self._held[worker] = descriptor

    def _sweep(self) -> None:
        """A name is never used again, so that whoever has no file is dead as well."""
        for path in self._folder.iterdir():
            if path.suffix != LOCK and path.name not in self._held:
                _remove_if_free(path)

    def alive(self, worker: str, now: int = 0) -> bool:
        del now
        if worker in self._held:
            return True
        try:
            descriptor = os.open(self._folder / worker, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)  # two that ask at once do not see each other
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def let_go(self, worker: str) -> None:
        """This worker has ended, and everybody may know."""
        descriptor = self._held.pop(worker)
        (self._folder / worker).unlink(missing_ok=True)
        os.close(descriptor)


def _remove_if_free(path: Path) -> None:
    """While its lock is held: whoever is about to take it finds out that the file is gone."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        pass  # it lives
    finally:
        os.close(descriptor)


def _is_there(path: Path, descriptor: int) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(descriptor).st_ino
