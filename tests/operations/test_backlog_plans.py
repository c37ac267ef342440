"""What a scrape asks of a database goes by indexes: no table is read from end to end, however large it is."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import apsw

from perdure.service.engine import Engine
from perdure.store.postgres.database import BY_INDEX
from perdure.store.postgres.statements import statements
from perdure.store.sqlite.database import queries
from tenants.rows import connected, filled_schema


def test_on_sqlite(tmp_path: Path) -> None:
    async def made() -> None:
        async with Engine(f"sqlite:///{tmp_path}/flows.db"):
            pass

    asyncio.run(made())
    connection = apsw.Connection(f"{tmp_path}/flows.db")
    asked = queries("questions.sql")["backlog"]
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {asked}", {"now": 0, "limit": 10})]
    connection.close()
    tables = [line for line in plan if re.search(r"\b(executions|approval_items|events)\b", line)]
    assert len(tables) >= 8, plan
    assert not [line for line in tables if "INDEX" not in line], plan


def test_on_postgres() -> None:
    with connected(filled_schema()) as connection:
        for setting in BY_INDEX:
            connection.execute(f"SET {setting}".encode())
        connection.execute(
            "UPDATE pg_class SET reltuples = 1000000, relpages = 1 "
            "WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'i')"
        )
        asked = re.sub(r"(?<!:):(now|limit)\b", "10", statements("questions.sql")["backlog"].text)
        asked = re.sub(r"\$\d+(::\w+)?|%\(\w+\)s|%s", "10", asked)
        plan = [row[0] for row in connection.execute(f"EXPLAIN {asked}".encode()).fetchall()]
    assert not [line for line in plan if "Seq Scan" in line], "\n".join(plan)
    assert sum("Index" in line for line in plan) >= 8, "\n".join(plan)
