"""One worker on a database, until it is told to end or is killed: `firing.py URL`. It deals with few slots at a time, so that it is
often between a look and a commit when it is killed, and often finds that another one was quicker. If it ends in order, it says how
often.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from perdure.runtime import scheduling
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from perdure.store.sqlite.store import SqliteStore

SLOTS = 2


class Count:
    """How often this process has fired a schedule, and how often it was too late."""

    fired = late = 0

    def watch(self, store: Any) -> None:
        commit = store.commit

        def counting(self_: Any, items: Sequence[p.Item]) -> list[p.Outcome]:
            outcomes: list[p.Outcome] = commit(self_, items)
            for item, outcome in zip(items, outcomes, strict=True):
                if isinstance(item, p.Fire):
                    self.fired += isinstance(outcome, p.Committed)
                    self.late += isinstance(outcome, p.GuardFailed)
            return outcomes

        store.commit = counting


async def work(url: str) -> None:
    scheduling.SLOTS_MAX = SLOTS
    count = Count()
    count.watch(SqliteStore if url.startswith("sqlite") else PostgresStore)
    async with Engine(url, crashes_max=1_000) as engine:
        print("works", flush=True)
        await engine.serve(grace_seconds=5)
    print("fired", count.fired, "late", count.late, flush=True)


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
