"""One of two programs that work on one file: `partner.py folder name other count`.

It starts and finishes `count` executions of all kinds. Some of them need another one: those that fail until they are retried, and
those that wait until they are cancelled. It hands these over by name, through a file, and does the same for its partner.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from perdure.model.steps import Child, EventWait, Route, Step, Task, Timer
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import ExecutionFailed
from perdure.testing.words import k, obj, x

N = obj(n=x("input.n"))
AT_ONCE = 100
"""So many are under way at once, in each of the two."""

PLAIN = Workflow(
    "plain",
    (
        Step("a", Task("work", N), (Route(("b",)),)),
        Step("b", Task("work", N), (Route(("c",)),)),
        Step("c", Task("work", N)),
    ),
    (Entry("a"),),
)
TIMED = Workflow("timed", (Step("nap", Timer(k(3)), (Route(("a",)),)), Step("a", Task("work", N))), (Entry("nap"),))
SMALL = Workflow("small", (Step("a", Task("work", N)),), (Entry("a"),))
PARENT = Workflow("parent", (Step("a", Child(k("small"), N)),), (Entry("a"),))
RETRIED = Workflow(
    "retried", (Step("a", Task("work", N), (Route(("b",)),)), Step("b", Task("mended", N))), (Entry("a"),)
)
CANCELLED = Workflow(
    "cancelled", (Step("a", Task("work", N), (Route(("w",)),)), Step("w", EventWait(k("never")))), (Entry("a"),)
)
WORKFLOWS = (PLAIN, TIMED, SMALL, PARENT, RETRIED, CANCELLED)
KINDS = ("plain", "timed", "plain", "parent", "plain", "retried", "plain", "timed", "cancelled", "plain")


class Partner:
    def __init__(self, folder: Path, name: str, other: str) -> None:
        self.engine = Engine(f"sqlite:///{folder}/flows.db")
        self._mine, self._theirs = folder / f"{name}.asks", folder / f"{other}.asks"
        self._asking = self._mine.open("a", buffering=1)
        self._folder = folder
        self.starts: list[float] = []
        """Seconds that each start took."""
        self.tells: list[float] = []
        """Seconds that each retry and each cancellation took."""
        self._room = asyncio.Semaphore(AT_ONCE)
        self._register()

    def _register(self) -> None:
        @self.engine.task("work")
        async def work(given: Any) -> Any:
            return given["n"]

        @self.engine.task("mended")
        async def mended(given: Any, ctx: Any) -> Any:
            """Whoever retries it has mended it before, which both can see."""
            if not self._mended(ctx.execution_id).exists():
                raise RuntimeError("it has to be mended first")
            return given["n"]

    def _mended(self, execution: str) -> Path:
        return self._folder / f"mended-{execution}"

    async def one(self, number: int) -> None:
        kind = KINDS[number % len(KINDS)]
        async with self._room:
            begun_at = time.monotonic()
            execution = await self.engine.executions.start(kind, {"n": number})
            self.starts.append(time.monotonic() - begun_at)
            if kind == "cancelled":
                self._ask(kind, execution)
                await self._fails(execution, "cancelled")
            elif kind == "retried":
                await self._fails(execution, "failed")
                self._ask(kind, execution)
                await self._completed_at_last(execution)
            else:
                assert await execution.result() == number

    def _ask(self, kind: str, execution: Execution) -> None:
        self._asking.write(f"{kind} {execution.id}\n")

    async def _fails(self, execution: Execution, status: str) -> None:
        """Told by `result`, which waits for the end wherever it comes about."""
        with suppress(ExecutionFailed):
            raise AssertionError(f"{execution.id} has completed with {await execution.result()}")
        assert (await execution.describe()).status == status

    async def _completed_at_last(self, execution: Execution) -> None:
        while (await execution.describe()).status != "completed":  # noqa: ASYNC110  the file is watched
            await asyncio.sleep(0.01)

    async def help(self) -> None:
        """Do what the other one asks for, until it asks for nothing more."""
        done = 0
        while True:
            asked = self._theirs.read_text().split("\n")[:-1] if self._theirs.exists() else []
            for line in asked[done:]:
                if line == "that is all":
                    return
                begun_at = time.monotonic()
                await self._help(*line.split())
                self.tells.append(time.monotonic() - begun_at)
            done = len(asked)
            await asyncio.sleep(0.005)

    async def _help(self, kind: str, execution: str) -> None:
        if kind == "retried":
            self._mended(execution).touch()
            await (await self.engine.executions.get(execution)).retry()
        else:
            await (await self.engine.executions.get(execution)).cancel("no longer wanted")

    async def all(self, count: int) -> None:
        async with self.engine:
            for workflow in WORKFLOWS:
                await self.engine.workflows.save(workflow)
            helping = asyncio.create_task(self.help())
            await asyncio.gather(*(self.one(number) for number in range(count)))
            self._asking.write("that is all\n")
            await helping


async def main(folder: Path, name: str, other: str, count: int) -> None:
    partner = Partner(folder, name, other)
    await partner.all(count)
    print(json.dumps({"starts": sorted(partner.starts), "tells": sorted(partner.tells)}))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
