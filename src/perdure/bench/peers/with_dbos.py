"""The light sequence on DBOS in its SQLite mode, by its async API or by its sync API in threads. A program of its own.

DBOS leaves the journal of its file as SQLite has it: a rollback journal, synced in full. That is as durable as ours, so it stays.
A mode that ends in `-wal` switches the file to WAL before DBOS sees it, which a user could do: it is there for information.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from dbos import DBOS

from perdure.bench.driving import drive, drive_threads
from perdure.bench.peers.orders import Answer, Order, answered, received
from perdure.bench.results import Run, Settings
from perdure.bench.settings import SYNCHRONOUS
from perdure.bench.workloads import light_answer


def main() -> None:
    order = received()
    file = f"{order.folder}/dbos.db"
    if order.mode.endswith("-wal"):
        with sqlite3.connect(file) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    system = DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{file}",
            "log_level": "ERROR",
            "run_admin_server": False,
        }
    )
    measure = _by_async(order) if order.mode.startswith("async") else _by_threads(order)
    DBOS.launch()
    run = measure()
    answered(Answer(run, _settings(system)))
    os._exit(0)  # nothing counts any more, and its orderly end takes a second


def _by_async(order: Order) -> Callable[[], Run]:
    async def light(given: int) -> Any:  # noqa: ARG001  as ours
        return light_answer()

    step: Callable[[int], Awaitable[Any]] = DBOS.step(name="light")(light)

    async def sequence(given: int) -> Any:
        for _ in range(order.load.steps_each):
            last = await step(given)
        return last

    workflow: Callable[[int], Awaitable[Any]] = DBOS.workflow(name="sequence")(sequence)

    async def both() -> Run:
        await drive(lambda: workflow(0), order.warm_up)
        return await drive(lambda: workflow(0), order.load)

    return lambda: asyncio.run(both())


def _by_threads(order: Order) -> Callable[[], Run]:
    def light(given: int) -> Any:  # noqa: ARG001
        return light_answer()

    step: Callable[[int], Any] = DBOS.step(name="light")(light)

    def sequence(given: int) -> Any:
        for _ in range(order.load.steps_each):
            last = step(given)
        return last

    workflow: Callable[[int], Any] = DBOS.workflow(name="sequence")(sequence)

    def both() -> Run:
        drive_threads(lambda: workflow(0), order.warm_up)
        return drive_threads(lambda: workflow(0), order.load)

    return both


def _settings(system: Any) -> Settings:
    """As a connection of its own pool answers."""
    with system._sys_db.engine.connect() as connection:  # noqa: SLF001  it has no other way to ask
        journal = connection.exec_driver_sql("PRAGMA journal_mode").scalar()
        synchronous = connection.exec_driver_sql("PRAGMA synchronous").scalar()
    return Settings(version("dbos"), sqlite3.sqlite_version, journal, SYNCHRONOUS[synchronous])


if __name__ == "__main__":
    main()
