"""What only SQLite has: a file, who may read it, what is in it after a crash, its versions, and how its queries find rows."""

from __future__ import annotations

import ast
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import apsw
import pytest
from msgspec.structs import replace

import perdure
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.sql import retention
from perdure.store.sql.refusals import DatabaseTooNew
from perdure.store.sqlite.database import connect, migrate, queries, transaction
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.store import SqliteStore
from perdure.testing.inspected import InspectedSqlite
from store.words import (
    ANN,
    BOB,
    COMMITTED,
    FENCED,
    T0,
    advance,
    approval,
    claimed,
    deliver,
    event,
    fact,
    held,
    inbox,
    looked_at,
    note,
    one,
    pending,
    step_done,
    vote,
    waiting,
)

FILE = "perdure.db"


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / FILE)


@pytest.fixture
def sqlite(path: str) -> Iterator[InspectedSqlite]:
    opened = InspectedSqlite(path)
    yield opened
    opened.close()


def _mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


def _pragma(store: SqliteStore, name: str) -> Any:
    return store.connection.pragma(name)


def test_only_its_owner_may_read_the_file(sqlite: InspectedSqlite, path: str) -> None:
    held(sqlite)
    assert _mode(Path(path)) == 0o600


def test_only_its_owner_may_read_what_lies_beside_the_file(sqlite: InspectedSqlite, path: str, tmp_path: Path) -> None:
    held(sqlite)
    assert {file.name: _mode(file) for file in tmp_path.iterdir()} == {
        FILE: 0o600,
        f"{FILE}-wal": 0o600,
        f"{FILE}-shm": 0o600,
        f"{FILE}.workers": 0o700,
    }


@pytest.mark.parametrize("mode", [0o640, 0o660, 0o600])
def test_a_file_that_is_there_keeps_the_mode_that_its_operator_gave_it(path: str, mode: int) -> None:
    SqliteStore(path).close()
    Path(path).chmod(mode)
    again = InspectedSqlite(path)
    held(again)
    assert {_mode(Path(path + suffix)) for suffix in ("", "-wal", "-shm")} == {mode}
    again.close()


def test_the_file_is_written_ahead(sqlite: SqliteStore) -> None:
    assert _pragma(sqlite, "journal_mode") == "wal"


def test_every_commit_is_synced(sqlite: SqliteStore) -> None:
    full = 2
    assert _pragma(sqlite, "synchronous") == full


def test_every_connection_is_synced_after_reopening(path: str) -> None:
    SqliteStore(path).close()
    again = SqliteStore(path)
    assert (_pragma(again, "journal_mode"), _pragma(again, "synchronous")) == ("wal", 2)
    again.close()


def test_a_connection_waits_for_another_that_writes(sqlite: SqliteStore) -> None:
    assert _pragma(sqlite, "busy_timeout") >= 1_000


def test_what_was_committed_is_there_after_reopening(path: str) -> None:
    before = InspectedSqlite(path)
    digest = before.save(Workflow("orders"))
    waiting(before, (1, "order.paid", True))
    changes = p.Changes(approvals_opened=(approval(),))
    big = step_done("🦆\0" * 70_000)
    before.commit([advance(big, after=1, snapshot=b"s", changes=changes), advance(fact("last"), after=2)])
    before.commit([deliver("mail"), p.Publish(event()), p.Create(pending("e2"), key="k")])
    before.close()

    after = InspectedSqlite(path)
    assert after.model(digest) == b'{"name":"orders"}'
    assert one(after, p.Create(pending("e3"), key="k")) == p.Duplicate("e2")
    assert one(after, deliver("mail")) == p.Duplicate("mail")
    assert one(after, p.Publish(event())) == p.Duplicate("ev1")
    assert inbox(after) == [note("mail")]
    polled = after.poll(ANN, now=T0, limit=9)
    assert [found.op for found in polled.lookbacks] == [1]
    assert [found.executions for found in polled.events] == [("e1",)]
    assert one(after, vote("carol")) == COMMITTED
    assert after.values("e1", [2]) == {2: big}
    claim = looked_at(after)
    assert (claim.snapshot, claim.facts, claim.epoch) == (b"s", (fact("last"),), 2)
    after.close()


def test_what_was_committed_is_there_for_another_connection_at_once(sqlite: InspectedSqlite, path: str) -> None:
    held(sqlite)
    other = InspectedSqlite(path)
    assert one(other, advance(fact())) == COMMITTED
    assert one(sqlite, advance(fact())) == COMMITTED  # sent again: it is there already
    assert looked_at(sqlite).facts == (fact(),)
    other.close()


def test_two_connections_claim_an_execution_once(sqlite: InspectedSqlite, path: str) -> None:
    other = InspectedSqlite(path)
    sqlite.commit([p.Create(pending()), p.Beat(ANN, T0 + 1), p.Beat(BOB, T0 + 1)])
    assert (claimed(sqlite, ANN), claimed(other, BOB)) == (["e1"], [])
    assert one(other, advance(fact(), owner=BOB)) == FENCED
    other.close()


def test_a_transaction_that_raises_midway_leaves_nothing(sqlite: InspectedSqlite) -> None:
    held(sqlite)
    before = _everything(sqlite)
    no_json = p.Publish(event(data=object()))
    items: list[p.Item] = [p.Create(pending("e2"), key="k"), advance(fact("lost")), deliver(), p.Beat(BOB, T0), no_json]
    with pytest.raises(TypeError):
        sqlite.commit(items)
    assert _everything(sqlite) == before


def test_a_transaction_that_raised_does_not_hinder_the_next(sqlite: InspectedSqlite) -> None:
    held(sqlite)
    with pytest.raises(TypeError):
        sqlite.commit([advance(fact("lost")), p.Publish(event(data=object()))])
    assert one(sqlite, advance(fact("kept"))) == COMMITTED
    assert looked_at(sqlite).facts == (fact("kept"),)


def test_a_transaction_that_is_interrupted_leaves_nothing(sqlite: InspectedSqlite) -> None:
    def interrupted() -> None:
        with transaction(sqlite.connection):
            sqlite.connection.execute("INSERT INTO workers (id, lease_until) VALUES ('x', 1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert sqlite.ask("SELECT * FROM workers") == []
    assert not sqlite.connection.in_transaction


def test_a_commit_that_sqlite_turns_down_leaves_nothing(sqlite: InspectedSqlite) -> None:
    before = _everything(sqlite)
    sqlite.connection.set_commit_hook(lambda: True)
    with pytest.raises(apsw.ConstraintError):
        held(sqlite)
    sqlite.connection.set_commit_hook(None)
    assert _everything(sqlite) == before
    held(sqlite)


def test_what_another_connection_has_not_committed_is_not_seen(sqlite: InspectedSqlite, path: str) -> None:
    other = InspectedSqlite(path)
    with transaction(other.connection):
        other.connection.execute("INSERT INTO workers (id, lease_until) VALUES ('x', 1)")
        assert sqlite.ask("SELECT * FROM workers") == []
    assert sqlite.ask("SELECT id FROM workers") == [("x",)]
    other.close()


def _everything(store: InspectedSqlite) -> dict[str, list[Any]]:
    tables = store.ask("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return {name: store.ask(f'SELECT * FROM "{name}"') for (name,) in tables}


def test_a_new_file_has_the_version_of_the_last_migration(sqlite: SqliteStore) -> None:
    folder = Path(perdure.__file__).parent / "store" / "sqlite" / "migrations"
    assert _pragma(sqlite, "user_version") == len(list(folder.glob("*.sql")))


def test_migrations_are_numbered_from_1_without_a_gap() -> None:
    folder = Path(perdure.__file__).parent / "store" / "sqlite" / "migrations"
    numbers = sorted(int(file.name[:4]) for file in folder.iterdir())
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_migration_runs_once(sqlite: InspectedSqlite) -> None:
    held(sqlite)
    before = _everything(sqlite)
    assert migrate(sqlite.connection) == migrate(sqlite.connection) == _pragma(sqlite, "user_version")
    assert _everything(sqlite) == before


def test_a_view_that_is_not_what_it_should_be_is_made_anew_and_one_that_is_stays(
    sqlite: InspectedSqlite, path: str
) -> None:
    shown = "SELECT sql FROM sqlite_master WHERE type = 'view'"
    made = sqlite.ask(shown)
    sqlite.connection.execute("CREATE VIEW mine AS SELECT 1; CREATE VIEW elses AS SELECT 2")
    before = _pragma(sqlite, "schema_version")
    InspectedSqlite(path).close()
    assert _pragma(sqlite, "schema_version") == before, "nobody has to read the schema anew"
    sqlite.connection.execute('DROP VIEW "Execution"; CREATE VIEW "Execution" AS SELECT id FROM executions')
    InspectedSqlite(path).close()
    assert {sql for (sql,) in sqlite.ask(shown)} == {
        *(sql for (sql,) in made),
        "CREATE VIEW mine AS SELECT 1",
        "CREATE VIEW elses AS SELECT 2",
    }


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: str) -> None:
    connection = connect(path)
    connection.execute("CREATE TABLE waits (mine)")
    with pytest.raises(apsw.SQLError):
        migrate(connection)
    assert connection.pragma("user_version") == 0
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("waits",)]
    connection.close()


def test_what_was_saved_before_there_were_versions_is_version_1(path: str) -> None:
    folder = Path(perdure.__file__).parent / "store" / "sqlite" / "migrations"
    connection = connect(path)
    for number in (1, 2):
        (file,) = folder.glob(f"{number:04}_*.sql")
        connection.execute(file.read_text())
    model = b'{"name":"orders","starts":[{"pattern":"order.paid"}]}'
    digest = "f" * 64
    connection.execute("INSERT INTO models VALUES (?, ?)", (digest, model))
    for organization in ("acme", "default"):
        connection.execute("INSERT INTO workflows VALUES (?, 'orders', ?)", (organization, digest))
        connection.execute("INSERT INTO subscriptions VALUES (?, 'orders', 0, ?, 'order.paid')", (organization, digest))
    connection.execute("PRAGMA user_version = 2")
    connection.close()

    store = InspectedSqlite(path)
    reader = store.reader()
    for organization in ("acme", "default"):
        (version,) = reader.versions_of(organization, "orders")
        assert (version.version, version.dialect, version.status, version.digest) == ("1", "model", "active", digest)
        assert reader.active_version(organization, "orders") == digest
    one(store, p.Publish(event()))
    assert [found.workflows for found in store.poll(ANN, now=T0, limit=9).events] == [((digest, 0, "orders"),)]
    created = p.Create(p.Pending(replace(pending().record, digest=digest), pending().start), active=True)
    assert one(store, created) == COMMITTED
    assert store.save(Workflow("orders")) != digest
    assert [each.version for each in reader.versions_of("default", "orders")] == ["2", "1"]
    reader.close()
    store.close()


def test_many_may_open_a_new_file_at_once(tmp_path: Path) -> None:
    at_once = 4
    for number in range(5):
        file, barrier = str(tmp_path / f"{number}.db"), Barrier(at_once)

        def opened(worker: int, file: str = file, barrier: Barrier = barrier) -> p.Outcome:
            barrier.wait()
            store = InspectedSqlite(file)
            outcome = one(store, p.Create(pending(f"e{worker}")))
            store.close()
            return outcome

        with ThreadPoolExecutor(at_once) as threads:
            assert list(threads.map(opened, range(at_once))) == [COMMITTED] * at_once
        store = InspectedSqlite(file)
        assert len(claimed(store)) == at_once
        store.close()


def test_a_file_from_a_newer_version_is_refused_with_both_versions(path: str) -> None:
    known = migrate(connection := connect(path))
    connection.execute(f"PRAGMA user_version = {known + 1}")
    connection.close()
    with pytest.raises(DatabaseTooNew, match=rf"version {known + 1}\b.* knows {known}\b"):
        SqliteStore(path)


def test_a_file_from_a_newer_version_is_left_as_it_is(path: str) -> None:
    known = migrate(connection := connect(path))
    connection.execute(f"PRAGMA user_version = {known + 1}")
    with pytest.raises(DatabaseTooNew):
        migrate(connection)
    assert connection.pragma("user_version") == known + 1
    assert not connection.in_transaction
    connection.close()


def test_a_file_that_is_no_database_is_refused(path: str) -> None:
    Path(path).write_text("a letter to a friend, and quite a long one\n" * 100)
    with pytest.raises(p.Broken, match="is no database of Perdure"):
        SqliteStore(path)


def _words_of(module: Path) -> set[str]:
    tree = ast.parse(module.read_text())
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


FILES = ("queries.sql", "questions.sql", "workflows.sql", "registers.sql", "retention.sql", "doctor.sql")


@pytest.mark.parametrize("file", FILES)
def test_every_query_is_used_by_the_code(file: str) -> None:
    package = Path(perdure.__file__).parent
    modules = [module for part in ("sql", "sqlite") for module in (package / "store" / part).glob("*.py")]
    words = set().union(*map(_words_of, modules))
    assert set(queries(file)) - words == set()


@pytest.mark.parametrize("file", FILES)
def test_every_query_has_a_name_of_its_own(file: str) -> None:
    folders = [Path(perdure.__file__).parent / "store" / part for part in ("sql", "sqlite")]
    names = [name for folder in folders for name in re.findall(r"-- name: (\w+)", (folder / file).read_text())]
    assert len(names) == len(set(names)) == len(queries(file))


LARGE = {
    "executions",
    "history",
    "inbox",
    "waits",
    "events",
    "payloads",
    "deliveries",
    "consumed",
    "dedups",
    "approval_items",
    "answers",
    "trigger_log",
}
SMALL_ON_PURPOSE = {"executions_ready", "executions_owned", "events_unrouted", "waits_to_look_back"}
"""Indexes that hold only what is to be done, or is in hand: to go through one of them is no scan of the table."""


@pytest.mark.parametrize("query", queries())
def test_a_query_goes_through_no_table_from_end_to_end(sqlite: InspectedSqlite, query: str) -> None:
    plan = _plan(sqlite, queries()[query])
    assert [line for line in plan if _is_scan(line)] == []


@pytest.mark.parametrize("file", ["questions.sql", "workflows.sql", "registers.sql", "approvals.sql", "ledger.sql"])
def test_a_question_goes_through_no_table_from_end_to_end(sqlite: InspectedSqlite, file: str) -> None:
    plans = {name: _plan(sqlite, sql) for name, sql in queries(file).items()}
    assert [(name, line) for name, plan in plans.items() for line in plan if _is_scan(line)] == []


@pytest.mark.parametrize("query", ["all_of_them", "by_parent", "by_correlation", "by_workflow"])
def test_a_list_is_read_in_its_order_and_no_further_than_its_end(sqlite: InspectedSqlite, query: str) -> None:
    assert not any("TEMP B-TREE" in line for line in _plan(sqlite, queries("questions.sql")[query]))


@pytest.mark.parametrize(
    "query", [name for name in queries("ledger.sql") if name.startswith(("triggers", "nth", "last"))]
)
def test_the_log_of_triggers_is_read_in_its_order(sqlite: InspectedSqlite, query: str) -> None:
    assert not any("TEMP B-TREE" in line for line in _plan(sqlite, queries("ledger.sql")[query]))


@pytest.mark.parametrize("query", sorted(queries("retention.sql").keys() - {"models_in_use"}))
def test_retention_goes_through_no_table_from_end_to_end(sqlite: InspectedSqlite, query: str) -> None:
    plan = _plan(sqlite, queries("retention.sql")[query])
    assert [line for line in plan if _is_scan(line)] == []


def test_what_goes_through_a_table_from_end_to_end_is_seen(sqlite: InspectedSqlite) -> None:
    for sql in ("SELECT * FROM history WHERE kind = ?", "SELECT count(*) FROM executions", "SELECT id FROM events"):
        assert any(_is_scan(line) for line in _plan(sqlite, sql)), sql


def _plan(store: InspectedSqlite, sql: str) -> list[str]:
    named = dict.fromkeys(re.findall(r":(\w+)", sql))
    numbered = [int(number) for number in re.findall(r"\?(\d+)", sql)]
    parameters: Any = named or (None,) * (max(numbered) if numbered else sql.count("?"))
    return [str(row[3]) for row in store.connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters).fetchall()]


def _is_scan(line: str) -> bool:
    found = re.match(r"SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?", line)
    return found is not None and found[1] in LARGE and found[2] not in SMALL_ON_PURPOSE


def test_the_indexes_that_may_be_gone_through_hold_only_a_part(sqlite: InspectedSqlite) -> None:
    found = dict(sqlite.ask("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"))
    assert all(" WHERE " in found[name] for name in SMALL_ON_PURPOSE)


def test_looking_back_reads_only_the_events_since_the_execution_began(sqlite: InspectedSqlite) -> None:
    plan = _plan(sqlite, queries()["events_since"])
    assert any(re.match(r"SEARCH events .*(rowid|pos)>\?", line) for line in plan)
    assert not any("TEMP B-TREE" in line for line in plan)


def _ended(store: InspectedSqlite, execution: str, at: int) -> None:
    """With something in every table that an execution can have rows in."""
    big = step_done("🦆" * 70_000)
    asked = replace(approval(1, execution), status="closed")
    done = replace(pending(execution).record, status="completed", live=False, seq=2, ended_at=at)
    changes = p.Changes(approvals_opened=(asked,), messages=(p.Message(execution, note("hi"), "m"),))
    consuming = replace(step_done(1), event_id="ev1")
    one(store, p.Create(pending(execution), ANN, key=f"key of {execution}"))
    one(store, advance(big, consuming, execution=execution, changes=changes, snapshot=b"s"))
    seen = p.Changes(seen=tuple(mail.pos for mail in store.mail(ANN, execution)))
    one(store, advance(execution=execution, after=2, record=done, changes=seen, release=True))
    eid = store.ask("SELECT eid FROM executions WHERE id = ?", (execution,))[0]
    store.connection.execute("INSERT INTO deliveries (eid, event) VALUES (?, 'ev1')", eid)


BELONGING = (
    *("executions", "history", "payloads", "snapshots", "consumed", "dedups", "deliveries", "approval_items"),
    *("inbox", "waits", "uncalled"),  # which are empty when it has ended
)


def test_what_is_forgotten_leaves_no_row_in_any_table(sqlite: InspectedSqlite) -> None:
    for name, at in {"newer": T0 + 1_000, "old": T0, "newest": T0 + 1_000}.items():
        _ended(sqlite, name, at)
    belonging = {name: sqlite.ask(f"SELECT eid FROM {name} WHERE eid <> 2") for name in BELONGING}
    assert all(sqlite.ask(f"SELECT eid FROM {name} WHERE eid = 2") for name in BELONGING[:8])
    assert sqlite.forget(T0 + 1, 10) == 1
    assert {name: sqlite.ask(f"SELECT eid FROM {name}") for name in BELONGING} == belonging
    assert sqlite.ask("SELECT key FROM idempotency ORDER BY key") == [("key of newer",), ("key of newest",)]


def test_every_table_with_rows_of_executions_is_cleaned(sqlite: InspectedSqlite) -> None:
    tables = sqlite.ask("SELECT name FROM sqlite_master WHERE type = 'table'")
    columns = {name: {row[1] for row in sqlite.ask(f"PRAGMA table_info({name})")} for (name,) in tables}
    assert {name for name, found in columns.items() if "eid" in found} == {*BELONGING, "leavings"}


def test_the_highest_positions_are_never_forgotten(sqlite: InspectedSqlite) -> None:
    for name in ("e1", "e2", "e3"):
        _ended(sqlite, name, T0)
        one(sqlite, p.Publish(event(f"of {name}")))
    highest = [sqlite.ask(f"SELECT max({key}) FROM {table}") for table, key in POSITIONS]
    while sqlite.forget(T0 + 1_000, 10):
        pass
    assert [sqlite.ask(f"SELECT max({key}) FROM {table}") for table, key in POSITIONS] == highest
    assert sqlite.ask("SELECT id FROM executions") == [("e3",)]


POSITIONS = (("history", "pos"), ("events", "pos"), ("executions", "eid"))


def test_workers_that_have_long_been_gone_are_forgotten(sqlite: InspectedSqlite) -> None:
    held(sqlite, owner=BOB)
    sqlite.commit([p.Beat("worker-gone", T0), p.Beat(BOB, T0), p.Beat("worker-here", T0 + 10_000)])
    sqlite.forget(T0 + 1_000, 10)
    assert sqlite.ask("SELECT id FROM workers ORDER BY id") == [(BOB,), ("worker-here",)]


def test_a_large_history_is_forgotten_alone(sqlite: InspectedSqlite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "FACTS_LEAST", 2)
    monkeypatch.setattr(retention, "FACTS_EACH", 0)
    for name in ("e1", "e2", "e3"):
        _ended(sqlite, name, T0)
    assert [sqlite.forget(T0 + 1, 10) for _ in range(3)] == [1, 1, 0]


FORKS = """
import os, sys
from perdure.store.sqlite.locks import WorkerLocks
locks = WorkerLocks(sys.argv[1])
locks.hold("ann")
if os.fork() == 0:
    print("born", flush=True)
    sys.stdin.read()
os._exit(0)
"""


def test_a_child_does_not_keep_the_locks_of_a_parent_that_is_gone(path: str) -> None:
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", FORKS, path], **pipes) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"born\n"
        parent.wait()
        assert not WorkerLocks(path).alive("ann")


@pytest.mark.parametrize("query", sorted(queries("approvals.sql").keys() - {"approval_by_id"}))
def test_approvals_are_read_in_their_order_and_no_further_than_the_page(sqlite: InspectedSqlite, query: str) -> None:
    plan = _plan(sqlite, queries("approvals.sql")[query])
    few = query == "approvals_by_execution"  # of which one execution has few
    assert few or not any("TEMP B-TREE" in line for line in plan), plan
