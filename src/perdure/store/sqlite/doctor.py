"""The doctor of a SQLite file: it reads with a connection of its own, and whoever holds a lock beside the file lives."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import apsw
import msgspec

from perdure.store import port as p
from perdure.store.sql import complaints as c
from perdure.store.sql.doctor import SHOWN_MAX, Alive, Checked, Examination, Finding, Report
from perdure.store.sql.refusals import CannotRead
from perdure.store.sqlite.integrity import last_result
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.read_only import connect_to_read
from perdure.store.sqlite.statements import SqliteStatements


def _examine(
    path: str, *, now: int, quick: bool = False, crashes_max: int = p.CRASHES_MAX, alive: Alive | None = None
) -> Report:
    """Ask everything. `quick`: without folding the histories. `alive` says whether a worker lives; by default its lock does.
    Where there is none, its lease says.
    """
    try:
        connection = connect_to_read(path)
    except apsw.CorruptError as error:  # it does not even say what is in it
        return Report(path, None, (Finding(c.DAMAGED, 1, ((path, str(error)),)),))
    try:
        examination = Examination(
            SqlitePatient(connection, path),
            now=now,
            leases_at=now,
            crashes_max=crashes_max,
            alive=alive or WorkerLocks(path).alive,
        )
        return examination.report(quick=quick)
    except (apsw.IOError, apsw.FullError, apsw.BusyError) as error:
        raise CannotRead(
            f"{path} cannot be read to its end: {error}; look at the disk that it is on, and at the one for temporary files"
        ) from error
    finally:
        connection.close()


def examine(
    path: str, *, now: int, quick: bool = False, crashes_max: int = p.CRASHES_MAX, alive: Alive | None = None
) -> Report:
    """Examine a file, and tell of its last integrity check in the background. The options are those of `_examine`."""
    report = _examine(path, now=now, quick=quick, crashes_max=crashes_max, alive=alive)
    last = last_result(os.path.realpath(path))
    if last is None:
        return report
    findings = report.findings
    if last.problems and all(one.complaint is not c.DAMAGED for one in findings):
        told = tuple((path, problem) for problem in last.problems)
        findings = (*findings, Finding(c.CHECK_FAILED, len(told), told[:SHOWN_MAX]))
    checked = Checked(last.checked_at, last.problems, last.partial)
    return msgspec.structs.replace(report, findings=findings, checked=checked)


class SqlitePatient:
    """Keeps the contract of `store.sql.doctor.Patient`."""

    damage_errors = (apsw.CorruptError,)

    def __init__(self, connection: apsw.Connection, path: str) -> None:
        self._connection, self.name = connection, path
        self.sql = SqliteStatements(connection, "queries.sql", "doctor.sql")
        self.sql.run("views")

    def damage(self, *, quick: bool) -> Iterator[tuple[str, str]]:
        pragma = "quick_check" if quick else "integrity_check"
        told = (text for (text,) in self._connection.execute(f"PRAGMA {pragma}") if text != "ok")
        yield from ((self.name, text) for text in told)
        broken = self._connection.execute("PRAGMA foreign_key_check")
        yield from ((table, f"row {row} points to nothing in {other}") for table, row, other, _ in broken)

    def apart(self) -> Iterator[tuple[str, str]]:
        return iter(())

    def bytes(self) -> tuple[int, int | None]:
        return _size(self.name), _size(f"{self.name}-wal")


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except FileNotFoundError:
        return 0
