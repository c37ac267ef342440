"""A damaged SQLite file is found while it is in use, and said everywhere."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import apsw
import pytest

from api.house import house
from cli.typing import perdure
from perdure.clock import now_ms
from perdure.hosts.monitor import DAMAGED, Monitor
from perdure.model.steps import Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.store.sqlite import integrity
from perdure.store.sqlite.doctor import examine
from perdure.store.sqlite.integrity import IntegrityCheck, IntegrityResult, Interrupted, check_if_due, last_result
from perdure.testing.words import x
from poison.injection import SOON, until

ECHO = Workflow("echo", (Step("a", Task("echo", x("input"))),), (Entry("a"),))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with 300 executions."""
    path = tmp_path_factory.mktemp("whole") / "flows.db"

    async def scenario() -> None:
        engine = Engine(f"sqlite:///{path}")

        @engine.task("echo")
        async def echo(given: Any) -> Any:
            return given

        async with engine:
            await engine.workflows.save(ECHO)
            started = [await engine.executions.start("echo", {"text": f"{number:05}" * 50}) for number in range(300)]
            for each in started:
                await each.result()

    run(scenario())
    return path


@pytest.fixture
def path(whole: Path, tmp_path: Path) -> Path:
    copy = tmp_path / "flows.db"
    source, target = apsw.Connection(str(whole)), apsw.Connection(str(copy))
    with target.backup("main", source, "main") as backup:
        backup.step()
    source.close()
    target.pragma("journal_mode", "WAL")
    target.close()
    return copy


def damage(path: Path, name: str) -> None:
    """Overwrite a leaf page of a table or an index."""
    connection = apsw.Connection(str(path))
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    size = int(str(connection.pragma("page_size")))
    asked = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    (root,) = (int(str(row[0])) for row in connection.execute(asked, (name,)).fetchall())
    connection.close()
    data = path.read_bytes()
    page = data[(root - 1) * size : root * size]
    assert page[0] in (2, 5), "the root has children"
    child = int.from_bytes(page[8:12], "big")  # the rightmost: the newest rows
    with path.open("r+b") as file:
        os.pwrite(file.fileno(), b"\x5a" * 400, (child - 1) * size)


def test_a_whole_file_is_found_whole_and_each_read_is_short(path: Path) -> None:
    result = IntegrityCheck(str(path), now_ms).run()
    assert (result.problems, result.partial) == ((), ())
    assert result.tables > 20
    assert result.longest_read_ms < 10_000


@pytest.mark.parametrize("name", ["history", "executions_by_status"])
def test_a_damaged_table_or_index_is_found(path: Path, name: str) -> None:
    damage(path, name)
    result = IntegrityCheck(str(path), now_ms).run()
    assert result.problems
    assert ("history" if name == "history" else "executions") in result.problems[0]


@pytest.mark.parametrize("bound", [{"read_seconds_max": 0.01}, {"log_growth_max": 0}])
def test_a_table_that_takes_too_long_is_read_in_pieces_and_damage_is_found_all_the_same(
    path: Path, bound: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log grows, and time passes, with every look at the bounds; a piece is too short for one."""
    monkeypatch.setattr("perdure.store.sqlite.integrity.WORK_SECONDS", 0.0)
    monkeypatch.setattr("perdure.store.sqlite.integrity.ROWS_PER_PIECE", 20)
    writer = apsw.Connection(str(path))
    writer.pragma("wal_autocheckpoint", 0)
    writer.execute("CREATE TABLE more (n INTEGER PRIMARY KEY, data BLOB); INSERT INTO more (n) VALUES (1)")

    def pause(_: float) -> None:
        writer.execute("UPDATE more SET data = randomblob(20000)")
        time.sleep(0.004)

    result = IntegrityCheck(str(path), now_ms, pause=pause, **bound).run()
    assert result.problems == ()
    assert {"history", "executions"} <= set(result.partial)
    writer.close()
    damage(path, "history")
    writer = apsw.Connection(str(path))
    writer.pragma("wal_autocheckpoint", 0)
    found = IntegrityCheck(str(path), now_ms, pause=pause, **bound).run()
    assert any(problem.startswith("history: ") for problem in found.problems)
    writer.close()


def test_a_check_that_is_told_to_end_does(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.store.sqlite.integrity.WORK_SECONDS", 0.0)
    with pytest.raises(Interrupted):
        IntegrityCheck(str(path), now_ms, lambda: True).run()


def test_the_write_ahead_log_stays_small_while_a_table_is_checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer fills the log as fast as it can; no read transaction lasts longer than its bounds allow."""
    monkeypatch.setattr("perdure.store.sqlite.integrity.WORK_SECONDS", 0.0)
    bound = 4 * 1024 * 1024
    writer = apsw.Connection(str(path))
    writer.pragma("wal_autocheckpoint", 200)
    writer.execute("CREATE TABLE more (n INTEGER PRIMARY KEY, data BLOB); INSERT INTO more (n) VALUES (1)")
    highest = 0

    def pause(_: float) -> None:
        nonlocal highest
        writer.execute("UPDATE more SET data = randomblob(200000)")
        highest = max(highest, Path(f"{path}-wal").stat().st_size)

    result = IntegrityCheck(str(path), now_ms, log_growth_max=bound, pause=pause).run()
    writer.close()
    assert result.problems == ()
    assert highest <= 8 * 1024 * 1024 + bound + 1024 * 1024


def test_one_process_checks_and_the_others_read_its_result(path: Path) -> None:
    checks: list[int] = []

    def check() -> Any:
        checks.append(1)
        assert check_if_due(str(path), now_ms(), 0, check) is None, "it is under way, and there is no result yet"
        return IntegrityCheck(str(path), now_ms).run()

    now = now_ms()
    first = check_if_due(str(path), now, now - 1_000, check)
    assert first is not None
    assert check_if_due(str(path), now_ms(), now - 1_000, check) == first == last_result(str(path))
    assert len(checks) == 1
    assert check_if_due(str(path), now_ms() + 10_000, now_ms() + 5_000, lambda: first) == first


def test_a_damaged_file_degrades_the_server_and_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_INTEGRITY_CHECK", "1s")
    damage(path, "executions_by_status")

    async def scenario() -> None:
        async with house(f"sqlite:///{path}", needs_key=False) as there, there.ask() as client:

            async def is_found() -> bool:
                return DAMAGED in there.engine.conditions

            await until(is_found)
            ready = await client.get("/readyz")
            assert ready.status_code == 200
            assert ready.json()["status"] == "degraded"
            assert any(
                reason.startswith("integrity_failed: the database is damaged") for reason in ready.json()["reasons"]
            )
            assert ready.json()["integrity"]["ok"] is False
            assert 0 <= ready.json()["integrity"]["age_seconds"] < 60
            metrics = (await client.get("/metrics")).text
            assert "perdure_integrity_ok 0.0" in metrics
            assert 'perdure_condition{code="integrity_failed"} 1.0' in metrics
            assert "perdure_integrity_age_seconds" in metrics

    run(scenario())
    report = examine(str(path), now=now_ms(), quick=True)
    assert report.checked is not None
    assert report.checked.problems
    assert {finding.complaint.check for finding in examine(str(path), now=now_ms()).broken} == {"integrity"}


def damaged_and_checked(path: Path) -> Path:
    """Return a copy of a file that was damaged after that, and found so."""
    backup = path.with_name("backup.db")
    shutil.copy(path, backup)
    damage(path, "history")
    found = check_if_due(str(path), now_ms(), 0, IntegrityCheck(str(path), now_ms).run)
    assert found is not None
    assert found.problems
    assert last_result(str(path)) == found
    for suffix in ("-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
    return backup


def test_a_result_is_not_that_of_another_file_at_the_same_path(path: Path) -> None:
    damaged_and_checked(path).replace(path)
    assert last_result(str(path)) is None


def test_a_file_that_was_restored_is_found_whole(path: Path) -> None:
    """Copied over the damaged one, it is the same file to the operating system."""
    backup = damaged_and_checked(path)
    path.write_bytes(backup.read_bytes())
    assert last_result(str(path)) is not None

    async def scenario() -> None:
        async with house(f"sqlite:///{path}", needs_key=False) as there:
            monitor = Monitor(there.engine.host.shell, str(path), 86_400_000)
            monitor._check_at = 0.0
            await monitor.look()
            assert DAMAGED in there.engine.conditions

            async def is_whole() -> bool:
                await monitor.look()
                return DAMAGED not in there.engine.conditions

            await until(is_whole)
            result = last_result(str(path))
            assert result is not None
            assert result.problems == ()

    run(scenario())


def test_a_file_that_was_found_damaged_is_checked_again_soon(path: Path) -> None:
    damage(path, "executions_by_status")

    async def scenario() -> None:
        async with house(f"sqlite:///{path}", needs_key=False) as there:
            monitor = Monitor(there.engine.host.shell, str(path), 86_400_000)
            monitor._check_at = 0.0

            async def is_found() -> bool:
                await monitor.look()
                return DAMAGED in there.engine.conditions

            await until(is_found)
            await monitor.look()
            assert monitor._check_at < time.monotonic() + 301

    run(scenario())


def test_damage_is_reported_although_its_result_cannot_be_stored(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    damage(path, "executions_by_status")

    def full(path: str, result: IntegrityResult) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(integrity, "_replace_result", full)

    async def scenario() -> None:
        async with house(f"sqlite:///{path}", needs_key=False) as there:
            monitor = Monitor(there.engine.host.shell, str(path), 86_400_000)
            monitor._check_at = 0.0

            async def is_found() -> bool:
                await monitor.look()
                return DAMAGED in there.engine.conditions

            await until(is_found)
            await monitor.look()
            assert DAMAGED in there.engine.conditions
            assert last_result(str(path)) is None
            assert monitor._check_at < time.monotonic() + 301

    run(scenario())
    assert "cannot be stored: [Errno 28] No space left on device" in caplog.text


def test_a_check_that_fails_is_repeated_soon(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(self: IntegrityCheck) -> IntegrityResult:
        raise apsw.BusyError

    monkeypatch.setattr(IntegrityCheck, "run", busy)

    async def scenario() -> None:
        async with house(f"sqlite:///{path}", needs_key=False) as there:
            monitor = Monitor(there.engine.host.shell, str(path), 86_400_000)
            monitor._check_at = 0.0

            async def is_repeated_soon() -> bool:
                await monitor.look()
                return 0 < monitor._check_at < time.monotonic() + 301

            await until(is_repeated_soon)

    run(scenario())


def test_a_file_that_cannot_be_read_is_a_finding(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise apsw.IOError("disk I/O error")

    monkeypatch.setattr(IntegrityCheck, "_log_size", fails)
    of_tables = IntegrityCheck(str(path), now_ms).run().problems
    assert of_tables
    assert all(problem.endswith(": disk I/O error") for problem in of_tables)
    monkeypatch.setattr("perdure.store.sqlite.integrity.connect_reading", fails)
    assert IntegrityCheck(str(path), now_ms).run().problems == ("disk I/O error",)


def test_damage_that_only_the_background_check_has_found_needs_attention(path: Path) -> None:
    check_if_due(str(path), 2, 1, lambda: IntegrityResult(1, 1, 1, ("history: injected",)))
    report = examine(str(path), now=now_ms(), quick=True)
    assert report.broken == ()
    (found,) = [finding for finding in report.attention if finding.complaint.check == "integrity_check"]
    assert found.examples == ((str(path), "history: injected"),)


def test_the_doctor_tells_of_the_last_check(path: Path) -> None:
    now = now_ms()
    check_if_due(str(path), now, now, IntegrityCheck(str(path), now_ms).run)
    done = perdure("doctor", "--db", f"sqlite:///{path}")
    assert done.status == 0, done.out
    assert "checked     in the background" in done.out
    assert "no damage found" in done.out
