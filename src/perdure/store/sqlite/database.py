"""One connection to the file: opened, protected, brought up to date; and the named queries."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path

import apsw

from perdure.errors import PerdureError

OWN_MODE = 0o600
BUSY_MS = 5_000
RETRY_MS = 5
CHECKPOINT_PAGES = 4_000
STATEMENTS = 200
CACHE_KIB = 16_000


class DatabaseTooNew(PerdureError):
    """The file was written by a newer version of Perdure."""


def connect(path: str) -> apsw.Connection:
    """A connection whose commits are durable: WAL, and every commit is synced before it is answered."""
    if path != ":memory:":
        Path(path).touch(OWN_MODE, exist_ok=True)
        Path(path).chmod(OWN_MODE)
    connection = apsw.Connection(path, statementcachesize=STATEMENTS)
    connection.set_busy_timeout(BUSY_MS)
    _use_wal(connection)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


def connect_reading(path: str) -> apsw.Connection:
    """A connection that only reads, and waits for nobody."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=STATEMENTS)
    connection.set_busy_timeout(BUSY_MS)
    return connection


def _use_wal(connection: apsw.Connection) -> None:
    """The switch takes the whole file, and SQLite does not wait for it: whoever comes second tries again."""
    for _ in range(BUSY_MS // RETRY_MS):
        try:
            if connection.pragma("journal_mode") == "wal" or connection.pragma("journal_mode", "WAL") == "wal":
                return
        except apsw.BusyError:
            pass
        time.sleep(RETRY_MS / 1_000)
    raise apsw.BusyError("another process keeps the database from being opened")


@contextmanager
def transaction(connection: apsw.Connection) -> Iterator[None]:
    """All or nothing, and nobody else writes in between."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def migrate(connection: apsw.Connection) -> int:
    """Bring the file up to date, whoever comes first; its version."""
    steps = _migrations()
    with transaction(connection):
        version = version_of(connection)
        for number in range(version, len(steps)):
            connection.execute(steps[number])
            connection.execute(f"PRAGMA user_version = {number + 1}")
    return len(steps)


def version_of(connection: apsw.Connection) -> int:
    """How far the file has been brought. Raises `DatabaseTooNew` for one that this program does not know."""
    version, known = int(connection.pragma("user_version")), known_version()
    if version > known:
        raise DatabaseTooNew(
            f"the database has version {version}, and this program knows {known}; install a newer Perdure"
        )
    return version


def known_version() -> int:
    """The version of a file that has been brought up to date."""
    return len(_migrations())


def _migrations() -> list[str]:
    folder = files("perdure.store.sqlite") / "migrations"
    return [entry.read_text() for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)]


@cache
def queries(file: str = "queries.sql") -> dict[str, str]:
    """The statements of a file by their names."""
    text = (files("perdure.store.sqlite") / file).read_text()
    parts = re.split(r"-- name: (\w+)\n", text)[1:]
    return dict(zip(parts[::2], (sql.strip().rstrip(";") for sql in parts[1::2]), strict=True))
