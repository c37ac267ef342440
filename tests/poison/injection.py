"""Faults below every edge: a statement of the database fails for the one row that holds the marker."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import apsw

from perdure.service.engine import Engine

MARKER = "poison-7f3a"
SOON = 60
"""Seconds, after which a test gives up. None of them waits for time to pass."""


class Fault:
    """Raise `error` for the first `times` rows with the marker (SQLite); None: each time."""

    def __init__(self, error: Callable[[], Exception], times: int | None = None) -> None:
        self.error, self.left, self.raised = error, times, 0

    def __call__(self, *given: Any) -> None:
        (data,) = given
        if data is None or MARKER not in str(data) or self.left == 0:
            return
        self.raised += 1
        if self.left is not None:
            self.left -= 1
        raise self.error()


async def break_sqlite(engine: Engine, fault: Fault, table: str = "history", column: str = "data") -> None:
    def install(store: Any) -> None:
        connection: apsw.Connection = store.connection
        connection.create_scalar_function("fail_if_marked", fault, 1)
        connection.execute(
            f"CREATE TEMP TRIGGER fault_{table} BEFORE INSERT ON main.{table} "
            f"BEGIN SELECT fail_if_marked(NEW.{column}); END"
        )

    await engine.host.shell.ask(install)


async def break_postgres(
    engine: Engine, sqlstate: str, *, table: str = "history", column: str = "data", times: int | None = None
) -> None:
    """`times`: it heals after so many failures. They are counted by a sequence, which no rollback takes back."""

    def install(store: Any) -> None:
        connection = store.connected()
        connection.execute("CREATE SEQUENCE fault_count")
        connection.execute(
            f"CREATE FUNCTION fail_if_marked() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF NEW.{column} LIKE '%{MARKER}%' AND nextval('fault_count') <= {1 << 40 if times is None else times} THEN "
            f"RAISE EXCEPTION 'injected' USING ERRCODE = '{sqlstate}'; END IF; RETURN NEW; END $$"
        )
        connection.execute(
            f"CREATE TRIGGER fault BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fail_if_marked()"
        )

    await engine.host.shell.ask(install)


async def mend(engine: Engine, table: str = "history") -> None:
    def remove(store: Any) -> None:
        if hasattr(store, "connection"):
            store.connection.execute(f"DROP TRIGGER fault_{table}")
        else:
            store.connected().execute(f"DROP TRIGGER fault ON {table}")

    await engine.host.shell.ask(remove)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(SOON):
        while not await holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
