"""Integrity check of a SQLite file beside its use: table by table with its indexes, with pauses, on a connection of its own.

A read transaction keeps the write-ahead log from starting anew. So each one is bounded: by time, and by how much the log has
grown since it began. A table that takes longer is read to its end in short pieces instead, which finds damaged pages, and its
indexes are left out.

The result is kept in a file beside the database, whose lock makes sure that one process checks at a time. `doctor` reads it.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from perdure.store.sqlite.database import connect_reading
from perdure.store.sqlite.locks import LOCK, OWN_MODE, is_there, workers_folder

READ_SECONDS_MAX: Final = 10.0
"""Maximum duration of one read transaction."""

LOG_GROWTH_MAX: Final = 64 * 1024 * 1024
"""Maximum growth of the write-ahead log, in bytes, during one read transaction."""

STEPS: Final = 2_000
"""Instructions of SQLite's virtual machine between two looks at the bounds."""

WORK_SECONDS: Final = 0.01
"""The check works for so long, then pauses for as long: half of one core at most."""

TABLE_PAUSE_SECONDS: Final = 0.05
ROWS_PER_PIECE: Final = 500
FAILURES_MAX: Final = 10

DAMAGE: Final = (apsw.CorruptError, apsw.NotADBError, apsw.IOError)
"""Errors that are a finding: the file is damaged, or the disk does not give what is in it."""

PROBLEMS_MAX: Final = 20

_log = logging.getLogger("perdure.monitor")


class IntegrityResult(Struct, frozen=True, omit_defaults=True):
    """Result of one check. Times are epoch milliseconds. `partial`: tables whose indexes were left out. `inode`: that of the
    file; 0 if it is not known.
    """

    checked_at: int
    took_ms: int
    tables: int
    problems: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    longest_read_ms: int = 0
    inode: int = 0


class Interrupted(Exception):
    """The check was told to end."""


class _TooLong(Exception):
    """A read transaction has come to its bounds."""


class IntegrityCheck:
    """One check of the file at `path`. `stop` says whether to end; `now` is the clock."""

    def __init__(
        self,
        path: str,
        now: Callable[[], int],
        stop: Callable[[], bool] = lambda: False,
        *,
        read_seconds_max: float = READ_SECONDS_MAX,
        log_growth_max: int = LOG_GROWTH_MAX,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._path, self._now, self._stop, self._pause = path, now, stop, pause
        self._read_seconds_max, self._log_growth_max = read_seconds_max, log_growth_max
        self._begun = self._worked_since = 0.0
        self._log_bytes = 0
        self._is_bounded = False
        self._longest = 0.0

    def run(self) -> IntegrityResult:
        """Check all tables. Raises `Interrupted`."""
        began_ms, began, inode = self._now(), time.monotonic(), _inode(self._path)
        problems: list[str] = []
        partial: list[str] = []
        tables: list[str] = []
        try:
            with closing(connect_reading(self._path)) as connection:
                connection.set_progress_handler(self._look, STEPS)
                tables = _tables(connection)
                for table in tables:
                    problems += self._check(connection, table, partial)
                    self._pause(TABLE_PAUSE_SECONDS)
        except DAMAGE as error:
            problems.append(str(error))
        took = int((time.monotonic() - began) * 1_000)
        longest = int(self._longest * 1_000)
        found = tuple(problems[:PROBLEMS_MAX])
        return IntegrityResult(began_ms, took, len(tables), found, tuple(partial), longest, inode)

    def _check(self, connection: apsw.Connection, table: str, partial: list[str]) -> list[str]:
        try:
            with self._bounded():
                told = connection.execute(f'PRAGMA integrity_check("{table}")').fetchall()
            return [f"{table}: {text}" for (text,) in told if text != "ok"]
        except DAMAGE as error:
            return [f"{table}: {error}"]
        except _TooLong:
            partial.append(table)
        try:
            self._read_in_pieces(connection, table)
        except DAMAGE as error:
            return [f"{table}: {error}"]
        return []

    def _read_in_pieces(self, connection: apsw.Connection, table: str) -> None:
        """Read all rows in the order of their key, a few in each transaction."""
        key = _key(connection, table)
        columns, places = ", ".join(key), ", ".join("?" * len(key))
        limit, failures = ROWS_PER_PIECE, 0
        after: tuple[apsw.SQLiteValue, ...] | None = None
        while failures < FAILURES_MAX:  # else even one row takes too long: the next check tries again
            where = "" if after is None else f"WHERE ({columns}) > ({places})"
            asked = f'SELECT {columns}, * FROM "{table}" {where} ORDER BY {columns} LIMIT {limit}'  # noqa: S608
            try:
                with self._bounded():
                    rows = connection.execute(asked, after or ()).fetchall()
            except _TooLong:
                limit, failures = max(limit // 4, 1), failures + 1
                continue
            if not rows:
                return
            after, failures = rows[-1][: len(key)], 0
            self._pause(WORK_SECONDS)

    @contextmanager
    def _bounded(self) -> Iterator[None]:
        """One read transaction."""
        self._begun = self._worked_since = time.monotonic()
        self._log_bytes, self._is_bounded = self._log_size(), False
        try:
            yield
        except apsw.InterruptError as error:
            if self._stop():
                raise Interrupted from error
            raise _TooLong from error
        finally:
            self._longest = max(self._longest, time.monotonic() - self._begun)

    def _look(self) -> bool:
        """Called by SQLite during a statement. True ends it."""
        now = time.monotonic()
        if now - self._worked_since < WORK_SECONDS:
            return False
        self._pause(WORK_SECONDS)
        self._worked_since = time.monotonic()
        return (
            self._stop()
            or now - self._begun > self._read_seconds_max
            or self._log_size() - self._log_bytes > self._log_growth_max
        )

    def _log_size(self) -> int:
        try:
            return Path(f"{self._path}-wal").stat().st_size
        except OSError:
            return 0


def _tables(connection: apsw.Connection) -> list[str]:
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql IS NOT NULL ORDER BY name")
    return ["sqlite_schema", *(name for (name,) in found)]


def _key(connection: apsw.Connection, table: str) -> tuple[str, ...]:
    """Return the columns that order the rows of a table."""
    is_without_rowid = any(row[4] for row in connection.execute(f'PRAGMA table_list("{table}")'))
    if not is_without_rowid:
        return ("rowid",)
    columns = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
    places = {int(row[5] or 0): f'"{row[1]}"' for row in columns}
    return tuple(name for place, name in sorted(places.items()) if place)


def check_if_due(path: str, now: int, due_before: int, check: Callable[[], IntegrityResult]) -> IntegrityResult | None:
    """Run a check, unless another process does at this moment, or has since `due_before` and found nothing: a damaged file may
    have been restored. Return the newest result.
    """
    folder = workers_folder(path)
    folder.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(_result_path(path), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, OWN_MODE)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return last_result(path)
        last = last_result(path)
        if not is_there(_result_path(path), descriptor):  # another process has just replaced it
            return last
        if last is not None and not last.problems and due_before <= last.checked_at <= now:
            return last
        result = check()
        try:
            _replace_result(path, result)
        except OSError as error:  # the disk is full, say; what was found counts all the same
            _log.warning("the result of the integrity check cannot be stored: %s", error)
        return result
    finally:
        os.close(descriptor)


def last_result(path: str) -> IntegrityResult | None:
    """Return the result of the last check of a file, by whichever process. None: there is none, or it is of another file, which
    was at this path before.
    """
    try:
        result = msgspec.json.decode(_result_path(path).read_bytes(), type=IntegrityResult)
    except (OSError, msgspec.DecodeError):
        return None
    return result if is_of_file(result, path) else None


def is_of_file(result: IntegrityResult, path: str) -> bool:
    """Tell whether a result is of the file that is at a path now."""
    return result.inode in (0, _inode(path))


def _replace_result(path: str, result: IntegrityResult) -> None:
    """Readers take no lock: they see the old result or the new one, never a part."""
    target = _result_path(path)
    written = target.with_name(f"integrity-new{LOCK}")
    with os.fdopen(os.open(written, os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_CLOEXEC, OWN_MODE), "wb") as file:
        file.write(msgspec.json.encode(result))
    written.replace(target)


def _inode(path: str) -> int:
    try:
        return Path(path).stat().st_ino
    except OSError:
        return 0


def _result_path(path: str) -> Path:
    return workers_folder(path) / f"integrity{LOCK}"
