"""One connection to the file: opened, protected, brought up to date; and the named queries."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from types import TracebackType

import apsw

from perdure.store.port import Unavailable
from perdure.store.sql import statements
from perdure.store.sql.refusals import must_be_known
from perdure.store.sqlite.errors import raise_translated, translated
from perdure.store.sqlite.locks import OWN_MODE

BUSY_MS = 5_000
RETRY_MS = 5
CHECKPOINT_PAGES, PAGE_BYTES = 2_000, 4_096
STATEMENTS = 200
CACHE_KIB = 16_000


def connect(path: str, vfs: str | None = None) -> apsw.Connection:
    """A connection whose commits are durable: WAL, and every commit is synced before it is answered."""
    with translated():
        if path != ":memory:":
            _make_if_missing(path)
        connection = apsw.Connection(path, vfs=vfs, statementcachesize=STATEMENTS)
        connection.set_busy_timeout(BUSY_MS)
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA temp_store = MEMORY")
        connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    return connection


def _make_if_missing(path: str) -> None:
    """A new file is for its owner alone. One that is there keeps its mode: an operator may have opened it to a group."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE))
    except OSError as error:
        raise Unavailable(f"{path} cannot be opened: {error.strerror}") from error


def connect_reading(path: str, vfs: str | None = None) -> apsw.Connection:
    """A connection that only reads, and waits for nobody."""
    with translated():
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, vfs=vfs, statementcachesize=STATEMENTS)
        connection.set_busy_timeout(BUSY_MS)
    return connection


class Checkpoints:
    """Every so many pages, what was written ahead is brought into the file. SQLite would do so by itself, and keep quiet if it
    fails.
    """

    def __init__(self, connection: apsw.Connection, pages_max: int = CHECKPOINT_PAGES) -> None:
        self._connection, self._pages_max = connection, pages_max
        self._done_at = self._pages_written()

    def after_commit(self) -> None:
        """The commit stands whatever comes of it, and the next one tries again; only a failed sync is told."""
        written = self._pages_written()
        if written - self._done_at >= self._pages_max:
            with suppress(Unavailable), translated():
                self._connection.wal_checkpoint()
                self._done_at = written

    def _pages_written(self) -> int:
        return self._connection.status(apsw.SQLITE_DBSTATUS_CACHE_WRITE)[0]


def stretch_log(connection: apsw.Connection, path: str) -> None:
    """Give the log the length that it will have after its first checkpoint. A sync costs more where a file grows than where it is
    overwritten, and a log that starts anew at each checkpoint has been written before.

    Whoever has the write lock may: zeros beyond the last frame are no frame.
    """
    with transaction(connection), suppress(OSError):  # without room for it, it grows as it goes
        descriptor = os.open(f"{path}-wal", os.O_WRONLY | os.O_CLOEXEC)
        try:
            length, full = os.fstat(descriptor).st_size, CHECKPOINT_PAGES * PAGE_BYTES
            if length < full:
                os.pwrite(descriptor, bytes(full - length), length)
                os.fdatasync(descriptor)
        finally:
            os.close(descriptor)


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


class transaction:  # noqa: N801  it is used as a word: `with transaction(connection):`
    """All or nothing, and nobody else writes in between. However it ends, the next one can begin."""

    __slots__ = ("_connection",)

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        with translated():
            roll_back(self._connection)
            self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            roll_back(self._connection)
            raise_translated(error)
            return
        try:
            self._connection.execute("COMMIT")
        except BaseException as failed:
            roll_back(self._connection)
            raise_translated(failed)
            raise


@contextmanager
def at_one_moment(connection: apsw.Connection) -> Iterator[None]:
    """What is read within it is read at one moment, whoever writes beside it."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("COMMIT")


def roll_back(connection: apsw.Connection) -> None:
    """One that fails, now that something has failed already, is made up for before the next transaction."""
    if connection.in_transaction:
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")


def migrate(connection: apsw.Connection) -> int:
    """Bring the file up to date, whoever comes first; its version."""
    steps = _migrations()
    with transaction(connection):
        version = version_of(connection)
        if version < len(steps):
            _drop_views(connection)  # they need not outlive the tables that they read
        for number in range(version, len(steps)):
            connection.execute(steps[number])
            connection.execute(f"PRAGMA user_version = {number + 1}")
        _make_views(connection)
    return len(steps)


def _make_views(connection: apsw.Connection) -> None:
    """Only where they are not what they should be: whoever else has the file open would have to read its schema anew."""
    wanted = {name: sql[sql.index("CREATE VIEW") :] for name, sql in queries("views.sql").items()}
    found = set(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'"))
    if found.issuperset(wanted.items()):
        return
    _drop_views(connection)
    for sql in wanted.values():
        connection.execute(sql)


def _drop_views(connection: apsw.Connection) -> None:
    ours = queries("views.sql")
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
        if name in ours:  # there may have been a table of that name
            connection.execute(f'DROP VIEW "{name}"')


def version_of(connection: apsw.Connection) -> int:
    """How far the file has been brought. Raises `DatabaseTooNew` for one that this program does not know."""
    version = int(connection.pragma("user_version"))
    must_be_known(version, known_version())
    return version


def known_version() -> int:
    """The version of a file that has been brought up to date."""
    return len(_migrations())


def _migrations() -> list[str]:
    folder = files("perdure.store.sqlite") / "migrations"
    return [entry.read_text() for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)]


def queries(file: str = "queries.sql") -> dict[str, str]:
    """The statements of a file by their names."""
    return statements.queries("perdure.store.sqlite", file)
