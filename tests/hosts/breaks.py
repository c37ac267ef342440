"""A program whose store breaks after its first start."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from perdure.hosts import stores
from perdure.model.steps import Step, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.sqlite.store import SqliteStore
from perdure.testing.words import k

NAP = Workflow("nap", (Step("nap", Timer(k(3_600_000))),), (Entry("nap"),))


class Breaking(SqliteStore):
    has_broken = False

    def commit(self, items: Sequence[p.Item]) -> list[p.Outcome]:
        if self.has_broken:
            raise p.Broken("a sync failed")
        return super().commit(items)


async def main(path: str) -> None:
    stores.SqliteStore = Breaking  # type: ignore[attr-defined]
    async with Engine(f"sqlite:///{path}") as engine:
        await engine.workflows.save(NAP)
        await engine.executions.start("nap")
        print("started", flush=True)
        Breaking.has_broken = True
        await engine.executions.start("nap")
        print("this is not reached", flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
