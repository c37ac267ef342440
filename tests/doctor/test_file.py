"""The doctor of a SQLite file: what is damaged, what is only in the log, whose locks say that they live, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import apsw
import pytest

from doctor.patients import SqlitePatient, found
from perdure.store.sql.doctor import Report
from perdure.store.sql.refusals import CannotRead, DatabaseTooNew
from perdure.store.sqlite.database import connect
from perdure.store.sqlite.doctor import examine
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.read_only import connect_to_read


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _examined(path: Path) -> Report:
    return examine(str(path), now=0, alive=lambda _: True)


def test_its_size_is_that_of_the_file(file: SqlitePatient) -> None:
    counts = file.examined().counts
    assert counts is not None
    assert counts.database_bytes == file.path.stat().st_size


def test_not_a_byte_is_changed(file: SqlitePatient) -> None:
    before = _digest(file.path)
    file.examined()
    assert _digest(file.path) == before


def test_its_connection_cannot_write(file: SqlitePatient) -> None:
    connection = connect_to_read(file.name)
    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM history")
    connection.close()


def test_it_sees_one_moment_while_others_write(file: SqlitePatient) -> None:
    writer, reader = connect(file.name), connect_to_read(file.name)
    writer.execute("DELETE FROM executions")
    assert reader.execute("SELECT count(*) FROM executions").fetchone() == (12,)
    reader.close()
    writer.close()


def test_what_is_only_in_the_log_is_seen(file: SqlitePatient) -> None:
    writer = connect(file.name)
    writer.execute("UPDATE executions SET seq = seq - 1 WHERE id = 'done'")
    report = file.examined()
    assert set(found(report)) == {"last_number"}
    assert report.counts is not None
    assert report.counts.log_bytes is not None
    assert report.counts.log_bytes > 0
    writer.close()


@pytest.mark.parametrize("table", ["history", "executions", "history_of"])
def test_a_damaged_file_is_told_and_nothing_else_is_asked(table: str, file: SqlitePatient) -> None:
    path = file.path
    connection = apsw.Connection(str(path))
    ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchall()
    size = connection.pragma("page_size")
    connection.close()
    with path.open("r+b") as damaged:
        damaged.seek((int(str(root)) - 1) * size)
        damaged.write(b"\xff" * 64)
    report = file.examined()
    assert set(found(report)) == {"integrity"}
    assert (report.counts, bool(report.broken)) == (None, True)


@pytest.mark.parametrize(("place", "damage"), [(100, b"\xff" * 64), (3_000, b"\xff" * 90_000)])
def test_a_file_that_does_not_say_what_is_in_it_is_damaged(place: int, damage: bytes, file: SqlitePatient) -> None:
    path = file.path
    with path.open("r+b") as damaged:
        damaged.seek(place)
        damaged.write(damage)
    assert set(found(file.examined())) == {"integrity"}


def test_a_file_that_has_been_cut_off_is_damaged(file: SqlitePatient) -> None:
    path = file.path
    with path.open("r+b") as damaged:
        damaged.truncate(path.stat().st_size // 2)
    assert set(found(file.examined())) == {"integrity"}


def test_a_worker_that_holds_its_lock_lives(file: SqlitePatient) -> None:
    path = file.path
    file.operate("UPDATE executions SET owner = 'ann' WHERE live = 1", "DELETE FROM workers")
    locks = WorkerLocks(str(path))
    locks.hold("ann")
    report = examine(str(path), now=file.now)
    assert "dead_owners" not in found(report)
    assert report.counts is not None
    assert (report.counts.workers_alive, report.counts.workers_dead) == (1, 0)
    locks.let_go("ann")


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match="no such file"):
        _examined(tmp_path / "flows.db")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match="is not a file"):
        _examined(tmp_path)


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b"a letter to a friend\n" * 500, "is not a database")]
)
def test_a_file_that_is_no_database_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "letter"
    path.write_bytes(content)
    with pytest.raises(CannotRead, match=says):
        _examined(path)
    assert path.read_bytes() == content


def test_the_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    apsw.Connection(str(path)).execute("CREATE TABLE songs (title); PRAGMA user_version = 1")
    with pytest.raises(CannotRead, match="not a database of Perdure"):
        _examined(path)


def test_a_newer_database_is_refused_with_both_versions(file: SqlitePatient) -> None:
    file.operate("PRAGMA user_version = 99")
    with pytest.raises(DatabaseTooNew, match="99"):
        file.examined()


def test_an_older_database_is_refused_with_the_way_out(file: SqlitePatient) -> None:
    file.operate("PRAGMA user_version = 1")
    with pytest.raises(CannotRead, match="start an engine on it once"):
        file.examined()
