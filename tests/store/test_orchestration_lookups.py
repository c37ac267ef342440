"""What seed 002 looks for is found by an index, however many executions there are; what is saved has its row; and databases that
an older version has written.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from perdure.store import port as p
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from perdure.testing.script import Fixed, TaskAnswer
from postgres import empty_schema, fresh_schema
from store.instances import Instances, row
from store.stores import STORES
from store.test_orchestration_views import BESIDE, DOWN, MINUTE, ORDER
from store.words import ANN, T0, advance, fact, held, one, running

LOOKUPS = {
    "id": "id = 'e5'",
    "status": "status = 'FAILED' AND status_at < 300",
    "what waits": "status = 'WAITING_FOR_EVENT' AND status_at BETWEEN 100 AND 300",
    "correlation": "correlation_id = 'c5'",
    "workflow": "workflow_id = 'w5'",
    "definition": "workflow_definition_id = 'default/w5@1.0.0'",
    "pattern": "waiting_for_pattern = 'order.paid.50'",
    "step": "waiting_at_step = 's50'",
}
MANY = 20_000
WAITS = """'{"kind":"event","step":"s' || (n % 1000) || '","since":1,"on":"order.paid.' || (n % 1000) || '"}'"""
NUMBERS = {
    "sqlite": f"(WITH RECURSIVE every (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM every WHERE n < {MANY}) SELECT n FROM every) AS every",
    "postgres": f"generate_series(1, {MANY}) AS every (n)",
}
ROWS = """INSERT INTO executions (id, organization, workflow, digest, status, status_at, live, ready, waiting, correlation_id, "trigger",
  parent_op, depth, started_at, owner{born})
SELECT 'e' || n, 'default', 'w' || (n % 1000), 'd' || (n % 1000), CASE WHEN n % 10 = 0 THEN 'waiting' WHEN n % 500 = 1 THEN 'failed' ELSE 'completed' END,
  n, {yes}, {no}, CASE WHEN n % 10 = 0 THEN {waits} END, 'c' || n, 'api', 0, 0, n, CASE WHEN n % 1000 = 7 THEN 'ann' END{zero} FROM {numbers}"""
MODELS = (
    "INSERT INTO models (digest, data, dialect) SELECT 'd' || n, {data}, 'orchestration' FROM {numbers} WHERE n <= 1000"
)
VERSIONS = """INSERT INTO workflow_versions (organization, workflow, number, version, dialect, name, digest, status, created_at)
SELECT 'default', 'w' || n, 1, '1.0.0', 'orchestration', 'w', 'd' || n, 'active', 1 FROM {numbers} WHERE n <= 1000"""


def test_on_sqlite_each_look_up_goes_by_an_index(tmp_path: Path) -> None:
    store = InspectedSqlite(str(tmp_path / "flows.db"))
    _fill(store.connection.execute, "sqlite", born=", born", yes="1", no="0", zero=", 0", data="CAST('{}' AS BLOB)")
    for name, wanted in LOOKUPS.items():
        asked = f"SELECT id FROM workflow_instances WHERE {wanted}"
        assert store.ask(asked), name
        for tables in ("", "ANALYZE"):
            store.connection.execute(tables)
            plan = [str(line[3]) for line in store.connection.execute(f"EXPLAIN QUERY PLAN {asked}")]
            assert [line for line in plan if re.match("SCAN (?!CONSTANT)", line)] == [], (name, plan)
    store.close()


def test_on_postgres_each_look_up_goes_by_an_index() -> None:
    store = InspectedPostgres(empty_schema(), lease_ms=None)
    connection = store.connected()
    _fill(connection.execute, "postgres", born="", yes="true", no="false", zero="", data="'{}'::bytea")
    connection.execute("ANALYZE executions, models, workflow_versions, history")
    for name, wanted in LOOKUPS.items():
        asked = f"SELECT id FROM workflow_instances WHERE {wanted}"
        assert connection.execute(asked).fetchall(), name
        ((plan,),) = connection.execute(f"EXPLAIN (FORMAT JSON) {asked}")
        found = list(_nodes(plan[0]["Plan"]))
        assert [node for node in found if _goes_through_all(node)] == [], (name, plan)
    store.close()


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _goes_through_all(node: dict[str, Any]) -> bool:
    """Of executions. Those that workers hold are few."""
    if node["Node Type"] == "Seq Scan":
        return bool(node["Relation Name"] == "executions")
    index = node.get("Index Name", "")
    return index.startswith("executions") and index != "executions_owned" and "Index Cond" not in node


def _fill(execute: Any, kind: str, **words: str) -> None:
    for statement in (ROWS, MODELS, VERSIONS):
        execute(statement.format(numbers=NUMBERS[kind], waits=WAITS, **words))


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: Any = STORES[request.param](tmp_path)
    yield made
    made.close()


DEFINED = (
    *("id", "workflow_id", "name", "description", "version", "steps", "input_schema", "triggers"),
    *("cancellation_triggers", "compensation_steps", "created_at", "updated_at", "organization", "status"),
)


def test_each_version_that_was_saved_has_a_row(store: Any) -> None:
    instances = Instances(store, Fixed())
    instances.save({**ORDER, "description": "What comes in", "inputSchema": {"type": "object"}})
    instances.world.now += MINUTE
    instances.save(BESIDE)
    found = store.ask(f"SELECT {', '.join(DEFINED)} FROM workflow_definitions ORDER BY created_at")
    first, second = ({name: _value(value) for name, value in zip(DEFINED, each, strict=True)} for each in found)
    assert (first["workflow_id"], first["name"], first["description"]) == ("orders", "orders", "What comes in")
    assert (first["steps"], first["input_schema"], first["triggers"]) == (ORDER["steps"], {"type": "object"}, None)
    assert first["cancellation_triggers"] == ORDER["cancellationTriggers"]
    assert first["compensation_steps"] == ORDER["compensationSteps"]
    assert (first["status"], second["status"], second["steps"]) == ("inactive", "active", BESIDE["steps"])
    assert first["created_at"] == first["updated_at"] == "1970-01-01T00:16:40.000Z"
    assert [each["id"] for each in (first, second)] == [f"default/orders@{each['version']}" for each in (first, second)]


def _value(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value[:1] in "[{" else value


def test_the_sqlite_that_comes_with_python_tells_the_same(tmp_path: Path) -> None:
    store = InspectedSqlite(str(tmp_path / "flows.db"))
    instances = Instances(
        store, Fixed({"undo_charge": DOWN, "ship": TaskAnswer(error=DOWN.error)}, events={"paid": None})
    )
    instances.start(ORDER, {"sku": "x"})
    instances.start(BESIDE, execution="other")
    instances.after(MINUTE, lambda: instances.world.publish("order.stopped"))
    instances.run()
    with sqlite3.connect(tmp_path / "flows.db") as connection:
        connection.row_factory = sqlite3.Row
        for told in connection.execute("SELECT * FROM workflow_instances"):
            ours = row(store, told["id"])
            assert {name: ours[name] for name in ("id", "status", "version", "status_at")} == {
                name: told[name] for name in ("id", "status", "version", "status_at")
            }
            assert json.loads(told["state"]) == ours["state"]
            assert json.loads(told["compensation_state"] or "null") == ours["compensation_state"]
    connection.close()
    store.close()


@pytest.fixture(params=[name for name in STORES if name != "memory"])
def every(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made: Any = STORES[request.param](tmp_path)
    yield made
    made.close()


def status_at(store: Any, execution: str = "e1") -> int:
    ((found,),) = store.ask("SELECT status_at FROM executions WHERE id = ?", (execution,))
    return int(found)


def test_the_time_of_the_status_is_that_of_its_last_change(every: Any) -> None:
    held(every)
    assert status_at(every) == T0
    one(every, advance(fact(), at=T0 + 1))
    assert status_at(every) == T0 + 1
    one(every, advance(fact(), after=1, at=T0 + 2, record=running(seq=2, wake_at=T0 + 9)))
    assert status_at(every) == T0 + 1
    one(every, advance(fact(), after=2, at=T0 + 3, record=running(seq=3), quiet=True))
    assert status_at(every) == T0 + 1
    one(every, advance(fact(), after=3, at=T0 + 4, record=running(seq=4, status="failed", ended_at=T0 + 5)))
    assert status_at(every) == T0 + 5


def test_who_says_no_time_means_that_of_the_last_fact(every: Any) -> None:
    held(every)
    one(every, advance(fact(), execution="e1"))
    assert status_at(every) == T0
    assert p.committed_at(advance(fact())) == p.committed_at(advance()) == T0
    assert advance().owner == ANN


OLD = (
    ("a", "completed", 70, ('{"kind":"execution.completed","at":60}',)),
    ("b", "waiting", None, ('{"kind":"execution.started","at":5}', '{"kind":"wait.opened","at":50}')),
    ("c", "running", None, ('{"kind":"execution.started","at":5}', "")),
    ("d", "pending", None, ()),
)
"""(id, status, when it ended, facts) of executions that began at 1."""


def _old(kind: str) -> list[str]:
    folder = files(f"perdure.store.{kind}") / "migrations"
    names = sorted(each.name for each in folder.iterdir())
    before = next(number for number, name in enumerate(names) if name.endswith("_status_at.sql"))
    statements = [(folder / name).read_text() for name in names[:before]]
    yes, no, born, zero = ("1", "0", ", born", ", 0") if kind == "sqlite" else ("true", "false", "", "")
    for number, (id_, status, ended, facts) in enumerate(OLD, 1):
        given = "" if kind == "sqlite" else " OVERRIDING SYSTEM VALUE"
        statements.append(
            'INSERT INTO executions (eid, id, organization, workflow, digest, status, live, ready, "trigger", parent_op, depth, started_at, '
            f"ended_at{born}){given} VALUES ({number}, '{id_}', 'default', 'w', 'd', '{status}', {yes}, {no}, 'api', 0, 0, 1, {ended or 'NULL'}{zero})"
        )
        statements += [
            f"INSERT INTO history (pos, eid, seq, kind, data) VALUES ({number * 10 + seq}, {number}, {seq}, 'x', '{data}')"
            for seq, data in enumerate(facts, 1)
        ]
    return statements


TIMES = {"a": 70, "b": 50, "c": 5, "d": 1}


def test_executions_that_an_older_version_has_written_in_sqlite_say_since_when(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    connection = apsw.Connection(path)
    statements = _old("sqlite")
    for statement in statements:
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 7")
    connection.close()
    store = InspectedSqlite(path)
    assert dict(store.ask("SELECT id, status_at FROM executions")) == TIMES
    store.close()


def test_executions_that_an_older_version_has_written_in_postgres_say_since_when() -> None:
    url = fresh_schema()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE perdure (version bigint NOT NULL)")
        for statement in _old("postgres"):
            connection.execute(statement)
        connection.execute("INSERT INTO perdure VALUES (4)")
    store = InspectedPostgres(url, lease_ms=None)
    assert dict(store.ask("SELECT id, status_at FROM executions")) == TIMES
    store.close()
