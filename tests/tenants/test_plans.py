"""What is asked on behalf of one organization goes by the same indexes as what the owner of the tables asks: a policy that the server
would rather go by leads it through all that the organization has, and a comparison that it does not trust, through all there is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from perdure.store.postgres.database import BY_INDEX
from perdure.store.postgres.statements import statements
from perdure.store.postgres.tenants import role_of
from tenants.rows import connected, filled_schema

FILES = ("queries.sql", "questions.sql", "registers.sql", "workflows.sql", "schedules.sql", "approvals.sql")
OF_EVERYBODY = "next_due first_due open_count backlog wanted_tools all_cards"
BY_FUNCTION = "model model_of dialect"

OF_WORKERS = """
due_schedules unrouted lookbacks stirs ready due callable owners feed feed_of ends_between workers_without_executions holds_suspect owned_by
facts_since_snapshots snapshots_of cut_off"""
NOT_THEIRS = {*OF_EVERYBODY.split(), *BY_FUNCTION.split(), *OF_WORKERS.split()}

AS_GOOD = {
    "by_time": "by the time instead of the place, each within the organization",
    "taken_by": "by the event first, which few have taken",
    "told_to": "by the event first, which few were told",
}
"""Those that go by another index, which is as good."""

WRITES = re.compile(r"\b(INSERT|UPDATE|DELETE|pg_temp|pg_notify|pg_try|pg_advisory)")


def _asked() -> dict[str, str]:
    """What readers ask."""
    found = {name: statement.text for file in (*FILES, "narrow.sql") for name, statement in statements(file).items()}
    return {
        name: text
        for name, text in sorted(found.items())
        if re.search(r"^(SELECT|WITH) ", text, re.MULTILINE) and not WRITES.search(text) and name not in NOT_THEIRS
    }


@pytest.fixture(scope="module")
def connection() -> Iterator[psycopg.Connection[Any]]:
    """To tables that the server takes for large ones: a small one is as well read from end to end."""
    with connected(filled_schema()) as connection:
        for setting in BY_INDEX:
            connection.execute(f"SET {setting}".encode())
        connection.execute(
            "UPDATE pg_class SET reltuples = 1000000, relpages = 1 "
            "WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i')"
        )
        yield connection


def _plan(connection: psycopg.Connection[Any], text: str, role: str | None) -> dict[str, Any]:
    with connection.transaction():
        if role is not None:
            given = "SELECT set_config('perdure.organization', 'ann', true), set_config('role', $1, true)"
            connection.execute(given, (role,))
        found = connection.execute(f"EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) {text}".encode()).fetchone()
        assert found is not None
        plan: dict[str, Any] = found[0][0]["Plan"]
        return plan


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", ()):
        yield from _nodes(part)


def _looked_up(plan: dict[str, Any]) -> Counter[tuple[str, frozenset[str]]]:
    """How often a table, as the statement calls it, is looked into, and by which of its columns."""
    return Counter(
        (node["Alias"], frozenset(re.findall(rf"\b{node['Alias']}\.(\w+)", node.get("Index Cond", ""))))
        for node in _nodes(plan)
        if "Alias" in node and "Index Name" in node
    )


@pytest.mark.parametrize("name", _asked())
def test_it_finds_its_rows_by_what_the_owner_would(connection: psycopg.Connection[Any], name: str) -> None:
    text = _asked()[name]
    theirs, ours = (_plan(connection, text, role) for role in (role_of(connection).name, None))
    narrowed = _looked_up(theirs)
    missing = [
        (table, set(columns))
        for (table, columns), times in _looked_up(ours).items()
        if sum(count for (other, more), count in narrowed.items() if other == table and more >= columns) < times
    ]
    assert bool(missing) == (name in AS_GOOD), f"{missing} in {narrowed}"
    hashed, hashed_before = (str(plan).count("hashed") for plan in (theirs, ours))
    assert hashed <= hashed_before, "it makes a table of all that the organization has"
