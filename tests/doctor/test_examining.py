"""How the doctor works: it only reads, beside whoever writes, says who is dead, and refuses what it cannot read."""

from __future__ import annotations

import hashlib
import resource
import shutil
from pathlib import Path

import apsw
import pytest

from doctor.patient import ASKS, examined, found, operate, script
from perdure.expressions.language import compile_value
from perdure.store.sqlite.database import DatabaseTooNew, connect
from perdure.store.sqlite.doctor import examine
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.read_only import CannotRead, connect_to_read
from perdure.testing import World
from perdure.testing.inspected import InspectedSqlite


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_it_counts_what_there_is(patient: tuple[Path, int]) -> None:
    path, now = patient
    counts = examined(path, now).counts
    assert counts is not None
    assert counts.statuses == {"completed": 5, "failed": 1, "running": 1, "waiting": 5}
    assert (counts.executions, counts.live, counts.folded) == (12, 6, 6)
    assert (counts.parked, counts.owned, counts.workers_dead) == (0, 0, 0)
    assert (counts.unrouted, counts.unrouted_since) == (0, None)
    assert counts.file_bytes == path.stat().st_size


def test_a_quick_look_folds_nothing(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "UPDATE waits SET op = 7 WHERE op = 2")
    assert "wake_rows" in found(examined(path, now))
    report = examined(path, now, quick=True)
    assert report.findings == ()
    assert report.counts is not None
    assert report.counts.folded == 0


def test_it_changes_nothing(patient: tuple[Path, int]) -> None:
    path, now = patient
    before = _digest(path)
    examined(path, now)
    assert _digest(path) == before


def test_its_connection_cannot_write(patient: tuple[Path, int]) -> None:
    connection = connect_to_read(str(patient[0]))
    with pytest.raises(apsw.ReadOnlyError):
        connection.execute("DELETE FROM history")
    connection.close()


def test_it_sees_one_moment_while_others_write(patient: tuple[Path, int]) -> None:
    path, _ = patient
    writer, reader = connect(str(path)), connect_to_read(str(path))
    writer.execute("DELETE FROM executions")
    assert reader.execute("SELECT count(*) FROM executions").fetchone() == (12,)
    reader.close()
    writer.close()


def test_what_is_only_in_the_log_is_seen(patient: tuple[Path, int]) -> None:
    path, now = patient
    writer = connect(str(path))
    writer.execute("UPDATE executions SET seq = seq - 1 WHERE id = 'done'")
    report = examined(path, now)
    assert set(found(report)) == {"last_number"}
    assert report.counts is not None
    assert report.counts.wal_bytes > 0
    writer.close()


def test_the_first_few_are_shown_and_all_are_counted(patient: tuple[Path, int]) -> None:
    path, now = patient
    many = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)"
    operate(path, f"{many} INSERT INTO dedups SELECT 1000 + n, 'x' FROM n")
    finding = found(examined(path, now))["belongs_to_nothing"]
    assert (finding.count, len(finding.examples)) == (1_000, 5)


@pytest.mark.parametrize("table", ["history", "executions", "history_of"])
def test_a_damaged_file_is_told_and_nothing_else_is_asked(table: str, patient: tuple[Path, int]) -> None:
    path, now = patient
    connection = apsw.Connection(str(path))
    ((root,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchall()
    size = connection.pragma("page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((int(str(root)) - 1) * size)
        file.write(b"\xff" * 64)
    report = examined(path, now)
    assert set(found(report)) == {"integrity"}
    assert (report.counts, bool(report.broken)) == (None, True)


@pytest.mark.parametrize(("place", "damage"), [(100, b"\xff" * 64), (3_000, b"\xff" * 90_000)])
def test_a_file_that_does_not_say_what_is_in_it_is_damaged(
    place: int, damage: bytes, patient: tuple[Path, int]
) -> None:
    path, now = patient
    with path.open("r+b") as file:
        file.seek(place)
        file.write(damage)
    assert set(found(examined(path, now))) == {"integrity"}


def test_a_file_that_has_been_cut_off_is_damaged(patient: tuple[Path, int]) -> None:
    path, now = patient
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    assert set(found(examined(path, now))) == {"integrity"}


def test_a_worker_whose_lock_may_not_be_looked_at_is_not_called_dead(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "UPDATE executions SET owner = 'theirs' WHERE live = 1")

    def hidden(worker: str) -> bool:
        raise PermissionError(worker)

    assert examined(path, now, alive=hidden).findings == ()


def test_executions_of_a_dead_worker_need_attention_and_nothing_is_broken(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "UPDATE executions SET owner = 'gone' WHERE live = 1")
    report = examine(str(path), now=now)
    finding = found(report)["dead_owners"]
    assert (finding.count, len(finding.examples)) == (6, 5)
    assert report.broken == ()
    assert report.counts is not None
    assert (report.counts.workers_dead, report.counts.owned) == (1, 6)


def test_several_dead_workers_are_counted_together(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "UPDATE executions SET owner = 'gone-' || (eid % 2) WHERE live = 1")
    finding = found(examine(str(path), now=now))["dead_owners"]
    assert finding.count == 6


def test_a_worker_that_holds_its_lock_lives(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "UPDATE executions SET owner = 'ann' WHERE live = 1", "DELETE FROM workers")
    locks = WorkerLocks(str(path))
    locks.hold("ann")
    report = examine(str(path), now=now)
    assert "dead_owners" not in found(report)
    assert report.counts is not None
    assert (report.counts.workers_alive, report.counts.workers_dead) == (1, 0)
    locks.let_go("ann")


def test_what_could_go_on_needs_attention_if_no_worker_lives(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    store = InspectedSqlite(str(path))
    world = World(compile_value, script(), store=store)
    world.start(ASKS, execution="asks")
    world.run()
    world.cancel("asks")
    assert set(found(examined(path, world.now, alive=lambda *_: False))) == {"overdue"}
    assert found(examined(path, world.now)) == {}
    store.close()


def test_a_worker_that_owns_nothing_counts_as_alive(patient: tuple[Path, int]) -> None:
    path, now = patient
    report = examined(path, now)
    assert report.counts is not None
    assert (report.counts.workers_alive, report.counts.owned) == (1, 0)


def test_what_is_left_after_forgetting_is_healthy(patient: tuple[Path, int]) -> None:
    path, now = patient
    store = InspectedSqlite(str(path))
    while store.forget(now + 1, 1):
        assert examined(path, now).findings == ()
    assert set(store.rows) >= {"asks", "hears", "parent", "loops", "sleeps"}
    assert not {"done", "fails"} & set(store.rows)
    store.close()


def test_memory_does_not_grow_with_the_database(healthy: tuple[Path, int], tmp_path: Path) -> None:
    """Eight thousand more executions, all of them live, take no more than ten."""
    path, now = healthy
    large = Path(shutil.copy(path, tmp_path / "large.db"))
    examined(large, now)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    operate(large, *_copies(8_000))
    report = examined(large, now)
    assert report.findings == ()
    assert report.counts is not None
    assert report.counts.folded > 8_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16_000  # kilobytes


def _copies(count: int) -> list[str]:
    """Of the execution that hears."""
    columns = 'organization, workflow, digest, status, live, ready, epoch, seq, waiting, "trigger", parent_op, depth, started_at, born'
    numbers = f"WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) INSERT INTO"
    of_it = "n WHERE eid = (SELECT eid FROM executions WHERE id = 'hears')"
    facts = "seq, kind, scope, parts, data"
    return [
        f"{numbers} executions (eid, id, {columns}) SELECT 1000 + n, id || '-' || n, {columns} FROM executions, {of_it}",
        f"{numbers} history (eid, {facts}) SELECT 1000 + n, {facts} FROM history, {of_it}",
        f"{numbers} waits SELECT 1000 + n, op, organization, pattern, look_back FROM waits, {of_it}",
    ]


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match="no such file"):
        examined(tmp_path / "flows.db", 0)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match="is not a file"):
        examined(tmp_path, 0)


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b"a letter to a friend\n" * 500, "is not a database")]
)
def test_a_file_that_is_no_database_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "letter"
    path.write_bytes(content)
    with pytest.raises(CannotRead, match=says):
        examined(path, 0)
    assert path.read_bytes() == content


def test_the_database_of_somebody_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    apsw.Connection(str(path)).execute("CREATE TABLE songs (title); PRAGMA user_version = 1")
    with pytest.raises(CannotRead, match="not a database of Perdure"):
        examined(path, 0)


def test_a_newer_database_is_refused_with_both_versions(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "PRAGMA user_version = 99")
    with pytest.raises(DatabaseTooNew, match="99"):
        examined(path, now)


def test_an_older_database_is_refused_with_the_way_out(patient: tuple[Path, int]) -> None:
    path, now = patient
    operate(path, "PRAGMA user_version = 1")
    with pytest.raises(CannotRead, match="start an engine on it once"):
        examined(path, now)
