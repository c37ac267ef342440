"""The chains of the audit, to their ends: what older versions have written, what each entry has seen, and how a chain goes on."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import apsw
import msgspec
import psycopg
import pytest

from perdure.store.postgres.doctor import examine as examine_postgres
from perdure.store.questions import Questions
from perdure.store.registers import FIRST, AuditEntry, WriteCard, sealed
from perdure.store.sql.complaints import BROKEN_CHAIN
from perdure.store.sql.doctor import Report
from perdure.store.sqlite.doctor import examine as examine_sqlite
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from store.stores import Kept
from store.words import T0, one

LAST_BEFORE = {"sqlite": "0013", "postgres": "0010"}


def said(subject: str, writer: str = "w1", register: str = "members", organization: str = "default") -> WriteCard:
    return WriteCard(register, subject, {"n": 1}, T0, "root", "member.added", organization, writer=writer)


def old_entries() -> list[AuditEntry]:
    """Two chains as they were written before any entry named what it had seen."""
    found, before = [], FIRST
    for number, (register, subject) in enumerate((("members", "ann"), ("approvals", "a1"), ("approvals", "a2")), 1):
        found.append(sealed(AuditEntry("default", "w1", number, T0, "root", "done", register, subject), before))
        before = found[-1].hash
    return [*found, sealed(AuditEntry("acme", "w1", 1, T0, "root", "done", "approvals", "a1"), FIRST)]


def old_rows() -> list[str]:
    return [
        f"INSERT INTO audit (organization, writer, number, data) VALUES ('{one.organization}', '{one.writer}', {one.number}, "
        f"'{msgspec.json.encode(one).decode()}')"
        for one in old_entries()
    ]


def migrations(kind: str) -> list[str]:
    folder = files(f"perdure.store.{kind}") / "migrations"
    named = sorted(folder.iterdir(), key=lambda each: each.name)
    return [each.read_text() for each in named if each.name < LAST_BEFORE[kind]]


class Database(msgspec.Struct):
    """A database of either kind: made by an older version, opened, changed by hand, examined."""

    name: str
    kind: str

    def make_old(self) -> None:
        steps = migrations(self.kind)
        if self.kind == "sqlite":
            for step in steps:
                self.operate(step)
            self.operate(f"PRAGMA user_version = {len(steps)}")
        else:
            for step in (*steps, "CREATE TABLE perdure (version bigint)", f"INSERT INTO perdure VALUES ({len(steps)})"):
                self.operate(step)

    def open(self) -> Any:
        return InspectedSqlite(self.name) if self.kind == "sqlite" else InspectedPostgres(self.name, lease_ms=None)

    def operate(self, sql: str) -> None:
        if self.kind == "sqlite":
            connection = apsw.Connection(self.name)
            connection.execute(sql)
            connection.close()
            return
        with psycopg.connect(self.name, autocommit=True) as server:
            server.execute(sql.encode())

    def examined(self) -> list[str]:
        report: Report = (examine_sqlite if self.kind == "sqlite" else examine_postgres)(self.name, now=T0)
        return [text for found in report.findings if found.complaint == BROKEN_CHAIN for _, text in found.examples]


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    return Database(str(tmp_path / "audit.db") if request.param == "sqlite" else fresh_schema(), request.param)


def test_what_an_older_version_has_written_is_taken_in(database: Database) -> None:
    database.make_old()
    for row in old_rows():
        database.operate(row)
    store = database.open()
    reader = store.reader()
    assert database.examined() == []
    assert [each.number for each in reader.audit_of_approval("default", "a1", 0, 9)] == [2]
    assert [each.number for each in reader.audit_of_approval("acme", "a1", 0, 9)] == [1]
    one(store, said("bob"))
    one(store, said("cid", "w2"))
    assert database.examined() == []
    reader.close()
    store.close()
    database.operate("DELETE FROM audit WHERE organization = 'acme'")
    assert database.examined() == ["all 1 entries of w1 are missing"]


def test_what_cannot_be_read_keeps_nobody_from_being_brought_up_to_date(database: Database) -> None:
    database.make_old()
    for row in old_rows():
        database.operate(row)
    database.operate("UPDATE audit SET data = '{' WHERE number = 3")
    store = database.open()
    one(store, said("bob"))
    store.close()
    assert database.examined() == ["entry 3 of w1: it does not follow from the one before it"]


@pytest.mark.parametrize(
    ("by_hand", "told"),
    [
        ("DELETE FROM audit WHERE number = 3", "entry 4 of w1: it does not follow from the one before it"),
        ("DELETE FROM audit WHERE number > 1", "entry 4 of w1: it does not follow from the one before it"),
        ("DELETE FROM audit", "entry 4 of w1: it does not follow from the one before it"),
    ],
)
def test_a_chain_whose_end_was_taken_out_goes_on_so_that_it_shows(database: Database, by_hand: str, told: str) -> None:
    store = database.open()
    store.commit([said(each) for each in ("ann", "bob", "cid")])
    database.operate(by_hand)
    one(store, said("dan"))
    assert database.examined() == [told]
    store.close()


def test_a_chain_of_which_nothing_is_kept_goes_on_after_its_entries(database: Database) -> None:
    store = database.open()
    store.commit([said(each) for each in ("ann", "bob")])
    database.operate("DELETE FROM audit_chains")
    assert database.examined() == ["the row of w1 in audit_chains is missing, which says how far its 2 entries go"]
    one(store, said("cid"))
    assert database.examined() == []
    store.close()


@pytest.mark.parametrize(
    "by_hand",
    ["DELETE FROM {} WHERE writer = 'w1'", "DELETE FROM {} WHERE organization = 'default' AND writer IN ('w1', 'w2')"],
)
def test_chains_that_others_have_seen_do_not_vanish_with_what_is_kept_of_them(database: Database, by_hand: str) -> None:
    store = database.open()
    for writer in ("w1", "w2", "w3"):
        one(store, said(f"of-{writer}", writer))
    store.close()
    for table in ("audit", "audit_chains"):
        database.operate(by_hand.format(table))
    (told,) = database.examined()
    assert told.endswith("which is missing")


def test_an_entry_that_was_written_anew_with_all_that_follows_from_it_is_not_what_others_have_seen(
    database: Database,
) -> None:
    store = database.open()
    one(store, said("ann", "w1"))
    one(store, said("bob", "w2"))
    reader = store.reader()
    (_, first) = reader.audit("default", None, 9)
    reader.close()
    store.close()
    forged = sealed(msgspec.structs.replace(first, by="mallory", place=0), FIRST)
    database.operate(f"UPDATE audit SET data = '{msgspec.json.encode(forged).decode()}' WHERE writer = 'w1'")
    database.operate(f"UPDATE audit_chains SET hash = '{forged.hash}' WHERE writer = 'w1'")
    assert database.examined() == ["entry 1 of w2 was written after entry 1 of w1, which is another one now"]


def test_an_entry_names_the_newest_of_all_others(store: Kept, asked: Questions) -> None:
    for writer, organization in (("w1", "default"), ("w2", "acme"), ("w2", "default")):
        one(store, said(f"ann of {writer}", writer, organization=organization))
        one(store, said(f"bob of {writer}", writer, organization=organization))
    found = list(reversed(asked.audit("default", None, 9)))
    last_of_w1 = next(each for each in reversed(found) if each.writer == "w1")
    seen = [each.seen for each in found if each.seen is not None]
    assert seen == [("w1", last_of_w1.number, last_of_w1.hash)]
    assert all(each.seen is None for each in asked.audit("acme", None, 9))


def test_what_was_done_to_an_approval_is_found_page_by_page(store: Kept, asked: Questions) -> None:
    for register, subject in (("approvals", "a1"), ("members", "a1"), ("approvals", "a2"), ("approvals", "a1")):
        store.commit([said(subject, register=register), said(subject, register=register, organization="acme")])
        store.commit([WriteCard(register, subject, None, T0 + 1, "root", "removed")])
    first = asked.audit_of_approval("default", "a1", 0, 3)
    rest = asked.audit_of_approval("default", "a1", first[-1].place, 3)
    assert [each.action for each in (*first, *rest)] == ["member.added", "removed", "member.added", "removed"]
    assert asked.audit_of_approval("default", "nobody", 0, 9) == []
