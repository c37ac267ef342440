"""What another version of Perdure has written and this one cannot read: it is told, and hinders nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from perdure.core.values import Within
from perdure.store import port as p
from perdure.testing.inspected import InspectedSqlite
from store.words import ANN, BOB, FAR, T0, advance, deliver, events_of, fact, held, inbox, note, one, pending

NEWER = '{"kind":"from.the.future","at":1}'


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[InspectedSqlite]:
    """Two executions that can be claimed, `e1` and `e2`, each with two facts and mail."""
    opened = InspectedSqlite(str(tmp_path / "perdure.db"))
    for execution in ("e1", "e2"):
        held(opened, execution)
        opened.commit([advance(fact("one"), fact("two"), execution=execution), deliver("hello", execution)])
        one(opened, p.HandOver(execution, ANN, 1))
    one(opened, p.Beat(BOB, FAR))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("UPDATE history SET data = ? WHERE eid = 1 AND seq = 2", "its fact 2: Invalid value 'from.the.future'"),
        ("UPDATE inbox SET data = ? WHERE eid = 1", "its mail: Invalid value 'from.the.future'"),
        ("UPDATE executions SET waiting = ? WHERE eid = 1", "Invalid enum value 'from.the.future'"),
        ("UPDATE executions SET start = ? WHERE eid = 1", "Object missing required field"),
    ],
)
def test_a_claim_of_what_cannot_be_read_says_so_and_the_others_are_whole(
    sqlite: InspectedSqlite, sql: str, why: str
) -> None:
    sqlite.connection.execute(sql, (NEWER,))
    newer, plain = sqlite.claim(BOB, now=T0, limit=9)
    assert why in (newer.unreadable or "")
    assert (newer.record.id, newer.record.digest, newer.epoch) == ("e1", pending().record.digest, 2)
    assert (plain.record.id, plain.facts, events_of(plain.mail)) == ("e2", (fact("one"), fact("two")), [note("hello")])
    assert plain.unreadable is None


def test_an_inbox_that_cannot_be_read_says_so_and_the_others_are_whole(sqlite: InspectedSqlite) -> None:
    sqlite.claim(BOB, now=T0, limit=9)
    sqlite.connection.execute("UPDATE inbox SET data = ? WHERE eid = 1", (NEWER,))
    newer, plain = dict(sqlite.poll(BOB, now=T0, limit=9).mail).values()
    assert isinstance(newer, p.Unreadable)
    assert isinstance(plain, tuple)
    assert events_of(plain) == [note("hello")]
    assert inbox(sqlite, "e1", BOB) == []


def test_a_value_that_cannot_be_read_says_so_and_the_others_are_whole(sqlite: InspectedSqlite) -> None:
    sqlite.connection.execute("UPDATE history SET data = ?, scope = 7 WHERE eid = 1 AND seq = 2", (NEWER,))
    values = sqlite.values("e1", [1, 2, Within(7)])
    assert values[1] == fact("one")
    assert [type(values[ref]) for ref in (2, Within(7))] == [p.Unreadable] * 2
