"""What is asked on behalf of one organization goes by the same indexes."""

from __future__ import annotations

import re
from typing import Any

import psycopg
import pytest

from perdure.store.postgres.database import BY_INDEX
from perdure.store.postgres.statements import statements
from perdure.store.postgres.tenants import role_of
from tenants.rows import connected, filled_schema, tables

FILES = ("queries.sql", "questions.sql", "registers.sql", "workflows.sql", "schedules.sql", "approvals.sql")
NOT_THEIRS = {
    *("model", "model_of", "dialect"),  # narrow.sql
    *("next_due", "first_due", "open_count", "wanted_tools", "all_cards"),  # of all organizations
    *(
        "due_schedules",
        "unrouted",
        "lookbacks",
        "stirs",
        "ready",
        "due",
        "callable",
        "owners",
        "feed",
        "ends_between",
    ),  # workers
    *("workers_without_executions", "holds_suspect", "owned_by", "cut_off", "share", "route_to_nobody"),  # workers
}


def _asked() -> list[tuple[str, str]]:
    """What readers ask: it takes nothing for itself, and writes nothing."""
    found = {
        name: statement.text
        for file in FILES
        for name, statement in statements(file).items()
        if re.search(r"^(SELECT|WITH) ", statement.text, re.MULTILINE)
        and not re.search(r"\b(INSERT|UPDATE|DELETE|pg_temp|pg_notify|pg_try|pg_advisory)\b", statement.text)
    }
    return sorted((name, text) for name, text in found.items() if name not in NOT_THEIRS)


@pytest.fixture(scope="module")
def connection() -> Any:
    with connected(filled_schema()) as connection:
        for setting in BY_INDEX:
            connection.execute(f"SET {setting}".encode())
        connection.execute(f"ANALYZE {', '.join(tables(connection))}".encode())
        yield connection


def _plan(connection: psycopg.Connection[Any], text: str, role: str | None) -> str:
    with connection.transaction():
        if role is not None:
            connection.execute(
                "SELECT set_config('perdure.organization', 'ann', true), set_config('role', $1, true)", (role,)
            )
        return "\n".join(
            line for (line,) in connection.execute(f"EXPLAIN (GENERIC_PLAN, COSTS OFF) {text}".encode()).fetchall()
        )


@pytest.mark.parametrize(("name", "text"), _asked(), ids=[name for name, _ in _asked()])
def test_it_reads_no_table_from_end_to_end_that_the_owner_would_not(
    connection: psycopg.Connection[Any], name: str, text: str
) -> None:
    scanned = re.compile(r"Seq Scan on (\w+)")
    theirs, ours = (_plan(connection, text, role) for role in (role_of(connection).name, None))
    assert set(scanned.findall(theirs)) <= set(scanned.findall(ours)), theirs
    assert "hashed" not in theirs, f"it goes through all that the organization has:\n{theirs}"
