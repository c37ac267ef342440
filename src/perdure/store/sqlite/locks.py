"""Which workers live: each holds a lock on a file of its own beside the database. A lock that is free is that of a dead one.

The operating system lets go of a lock when its process ends, however it ends, so that nobody has to wait for a lease. Where there
is no file, nobody can say: somebody may have removed it under a worker that lives. Then its lease says, and the worker itself
makes its file anew.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Container
from contextlib import suppress
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
        """This worker lives from now on."""
        self._folder.mkdir(mode=0o700, exist_ok=True)
        path = self._folder / worker
        while True:
            descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if is_there(path, descriptor):  # else another one has swept it away before it was locked
                break
            os.close(descriptor)
        self._held[worker] = descriptor

    def keep(self) -> None:
        """Hold anew what somebody has removed. If that cannot be, the lease has to do until it can."""
        for worker, descriptor in tuple(self._held.items()):
            with suppress(OSError):
                if not is_there(self._folder / worker, descriptor):
                    self.hold(worker)
                    os.close(descriptor)

    def sweep(self, known: Container[str]) -> None:
        """Remove what dead ones have left that are not known any more."""
        with suppress(OSError):  # there will be another time
            for path in self._folder.iterdir():
                if path.suffix != LOCK and path.name not in self._held and path.name not in known:
                    _remove_if_free(path)

    def alive(self, worker: str) -> bool | None:
        """None: there is no file, and nobody can say."""
        if worker in self._held:
            return True
        try:
            descriptor = os.open(self._folder / worker, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
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


def is_there(path: Path, descriptor: int) -> bool:
    try:
        found = path.stat()
    except FileNotFoundError:
        return False
    return found.st_ino == os.fstat(descriptor).st_ino
