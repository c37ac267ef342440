"""One worker on a database, until it is told to end or is killed. Run as a program: worker.py URL. It says who it is and, if it ends
in order, how often a write of it was refused because somebody else had taken over.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from workers.flows import register


async def work(url: str) -> None:
    refused = 0
    commit = PostgresStore.commit

    def counting(store: PostgresStore, items: Sequence[p.Item]) -> list[p.Outcome]:
        nonlocal refused
        outcomes = commit(store, items)
        refused += sum(isinstance(outcome, p.Fenced) for outcome in outcomes)
        return outcomes

    PostgresStore.commit = counting  # type: ignore[method-assign,assignment]
    engine = Engine(url, crashes_max=1_000)
    register(engine)
    async with engine:
        print("works", engine.host.shell.worker, flush=True)
        await engine.serve(grace_seconds=0.1)
    print("refused", refused, flush=True)


if __name__ == "__main__":
    asyncio.run(work(sys.argv[1]))
