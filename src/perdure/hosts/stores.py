"""Which store a URL means."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from perdure.clock import Clock
from perdure.errors import PerdureError
from perdure.store.memory import MemoryStore
from perdure.store.port import Store
from perdure.store.postgres.urls import is_postgres
from perdure.store.questions import Questions
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.store import SqliteStore
from perdure.store.versions import Versions


class NoPostgres(PerdureError, code="no_postgres"):
    """What Perdure needs for Postgres is not installed."""


class Opened(Store, Versions, Protocol):
    def close(self) -> None: ...

    def reader(self) -> Questions: ...


def opened(url: str, crashes_max: int, lease_ms: int, clock: Clock | None = None) -> tuple[Opened, WorkerLocks | None]:
    """The store, and the locks that tell which workers live, where files do. `clock`: where the database has one of its own, what
    is due is taken up only while this host does not differ too much.
    """
    if url == "memory://":
        return MemoryStore(crashes_max), None
    path = sqlite_path(url)
    if path is not None:
        locks = WorkerLocks(path)
        return SqliteStore(path, crashes_max=crashes_max, locks=locks), locks
    if is_postgres(url):
        return _postgres(url, crashes_max, lease_ms, clock), None
    raise ValueError(
        f"{url.partition('://')[0]!r} is no database that Perdure knows; use sqlite:///path, postgresql://user@host/database "
        "or memory://"
    )


def sqlite_path(url: str) -> str | None:
    """Return the file that a URL means, by whatever name: its locks are beside it. None: it is no file."""
    if not url.startswith("sqlite:///"):
        return None
    return os.path.realpath(url.removeprefix("sqlite:///"))


def _postgres(url: str, crashes_max: int, lease_ms: int, clock: Clock | None) -> Opened:
    with with_its_driver():
        from perdure.store.postgres.store import PostgresStore  # noqa: PLC0415  whoever uses SQLite need not have its driver
    if clock is None:
        return PostgresStore(url, crashes_max=crashes_max, lease_ms=lease_ms)
    return PostgresStore(url, crashes_max=crashes_max, lease_ms=lease_ms, takes_due=lambda: not clock.is_far_off)


@contextmanager
def with_its_driver() -> Iterator[None]:
    """What is imported within needs the driver of Postgres."""
    try:
        yield
    except ImportError as error:
        raise NoPostgres("the driver of Postgres is not installed; run: pip install 'perdure[postgres]'") from error
