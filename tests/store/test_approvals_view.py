"""The SQL view `approvals` with the columns of seed 001, and approvals of databases that an older version has written."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from msgspec.structs import replace

from perdure.model.asking import Asked
from perdure.store import port as p
from perdure.store.approvals import Asker, WantedApprovals
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.words import T0, advance, approval, asking, fact, one, vote

SEED = (
    *("organizationId", "workflowExecutionId", "stepSlug", "approverMemberId", "status", "submittedData", "decision"),
    *("comments", "reviewedAt", "decidedAt", "assignedAt", "resourceType", "resourceId", "routeHint", "deeplink"),
    *("priority", "dueDate", "metadata"),
)
ASKED = Asked("ann", "finance", "order", "17", "task_center", "high", {"color": "red"})


def opened(kind: str, folder: Path) -> Any:
    if kind == "sqlite":
        return InspectedSqlite(str(folder / "flows.db"))
    return InspectedPostgres(fresh_schema(), lease_ms=None)


def row(store: Any, id_: str = "e1-ask-1") -> dict[str, Any]:
    columns = ", ".join(f'"{name}"' for name in (*SEED, "overdue", "escalatedTo", "votes", "claimedBy", "decidedBy"))
    ((*found,),) = store.ask(f"""SELECT {columns} FROM "approvals" WHERE "id" = '{id_}'""")
    names = (*SEED, "overdue", "escalatedTo", "votes", "claimedBy", "decidedBy")
    is_text = isinstance(store, InspectedSqlite)  # else the driver has read it
    return {name: _value(name, each, is_text=is_text) for name, each in zip(names, found, strict=True)}


def _value(name: str, value: Any, *, is_text: bool) -> Any:
    if name in ("submittedData", "metadata", "escalatedTo", "votes") and value is not None and is_text:
        return json.loads(value)
    return bool(value) if name == "overdue" else value


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = opened(request.param, tmp_path)
    yield made
    made.close()


def test_the_view_has_what_seed_001_has(store: Any) -> None:
    asking(store, replace(approval(due_at=T0 + 9), asked=ASKED, request={"sum": 5}))
    found = row(store)
    assert (found["organizationId"], found["workflowExecutionId"], found["stepSlug"]) == ("default", "e1", "ask")
    assert (found["approverMemberId"], found["status"], found["submittedData"]) == ("ann", "pending", {"sum": 5})
    assert (found["resourceType"], found["resourceId"], found["routeHint"]) == ("order", "17", "task_center")
    assert (found["priority"], found["dueDate"], found["metadata"]) == ("high", T0 + 9, {"color": "red"})
    assert (found["decision"], found["decidedAt"], found["assignedAt"]) == (None, None, approval().opened_at)
    assert found["deeplink"] == "/approvals/e1-ask-1"
    one(store, vote("ann", comments="fine"))
    found = row(store)
    assert (found["status"], found["decision"], found["comments"]) == ("approved", "approve", "fine")
    assert (found["reviewedAt"], found["decidedAt"], found["decidedBy"]) == (T0 + 5, T0 + 5, "ann")
    assert found["votes"] == [["ann", "approve"]]


def test_what_is_not_said_is_as_seed_001_has_it(store: Any) -> None:
    asking(store, approval())
    found = row(store)
    assert (found["priority"], found["resourceId"], found["assignedAt"]) == ("medium", "e1", None)
    one(store, advance(fact(), after=1, changes=p.Changes(approvals_overdue=((1, {"role": "boss"}),))))
    found = row(store)
    assert (found["overdue"], found["escalatedTo"]) == (True, {"role": "boss"})


OLD = {
    "id": "old",
    "execution": "e1",
    "op": 1,
    "step": "ask",
    "request": {"sum": 5},
    "opened_at": T0,
    "overdue": True,
    "escalated_to": "boss",
    "votes_required": 2,
    "votes": [["ann", "approve"]],
}


def _migrations(kind: str, before: str) -> list[str]:
    folder = files(f"perdure.store.{kind}") / "migrations"
    return [each.read_text() for each in sorted(folder.iterdir(), key=lambda each: each.name) if each.name < before]


EXECUTION = {
    "sqlite": 'INSERT INTO executions (eid, id, organization, workflow, digest, status, live, ready, "trigger", parent_op, depth, '
    "started_at, born) VALUES (1, 'e1', 'default', 'orders', 'd', 'waiting', 1, 0, 'api', 0, 0, 1, 0)",
    "postgres": 'INSERT INTO executions (eid, id, organization, workflow, digest, status, live, ready, "trigger", parent_op, depth, '
    "started_at, born) OVERRIDING SYSTEM VALUE VALUES (1, 'e1', 'default', 'orders', 'd', 'waiting', true, false, 'api', 0, 0, 1, pg_current_snapshot())",
}
EARLY = {
    **{name: OLD[name] for name in ("execution", "step", "request", "opened_at")},
    "id": "early",
    "op": 2,
    "decision": "approve",
    "decided_by": "ann",
    "decided_at": T0 - 5,
}
"""Decided before it was opened, as a rerun could be."""
APPROVALS = (
    "INSERT INTO approvals (id, eid, op, organization, status, data) VALUES "
    f"('old', 1, 1, 'default', 'pending', '{json.dumps(OLD)}'), ('early', 1, 2, 'other', 'approved', '{json.dumps(EARLY)}')"
)


def check_old(store: Any) -> None:
    reader = store.reader()
    try:
        for wanted in (
            WantedApprovals("default", 9, overdue=True),
            WantedApprovals("default", 9, workflow="orders"),
            WantedApprovals("default", 9, mine=Asker("boss")),
            WantedApprovals("default", 9, mine=Asker("cyd", anybody=True)),
        ):
            (found,) = reader.approvals_wanted(wanted)
            assert (found.record.id, found.record.votes) == ("old", (("ann", "approve"),))
    finally:
        reader.close()
    assert isinstance(one(store, p.Decide("old", T0, "bob", "approve")), p.Committed)
    assert row(store, "old")["status"] == "approved"
    early = row(store, "early")
    assert (early["decidedAt"], early["reviewedAt"]) == (T0, T0)


def test_approvals_that_an_older_version_has_written_in_sqlite_are_found(tmp_path: Path) -> None:
    path = str(tmp_path / "old.db")
    connection = apsw.Connection(path)
    steps = _migrations("sqlite", "0007")
    for step in steps:
        connection.execute(step)
    connection.execute(f"PRAGMA user_version = {len(steps)}")
    connection.execute(EXECUTION["sqlite"])
    connection.execute(APPROVALS)
    connection.close()
    store = InspectedSqlite(path)
    check_old(store)
    store.close()


def test_approvals_that_an_older_version_has_written_in_postgres_are_found() -> None:
    url = fresh_schema()
    steps = _migrations("postgres", "0004")
    with psycopg.connect(url, autocommit=True) as connection:
        for step in steps:
            connection.execute(step)
        connection.execute("CREATE TABLE perdure (version bigint NOT NULL)")
        connection.execute("INSERT INTO perdure (version) VALUES (%s)", (len(steps),))
        connection.execute(EXECUTION["postgres"])
        connection.execute(APPROVALS)
    store = InspectedPostgres(url, lease_ms=None)
    check_old(store)
    store.close()
