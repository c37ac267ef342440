"""A program of its own, run twice at once: many tasks that write to the same few executions, with versions and without.

racers.py URL NAME WRITES COUNTERS...    COUNTERS are the ids of executions that count events; they come to an end by themselves

It says what it has won, and how many times it has lost and was told both numbers.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from perdure.model.records import ExecutionRecord
from perdure.model.steps import EventWait, Retry, Route, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine, Execution
from perdure.service.errors import Conflict
from perdure.tasks.failing import NonRetryable
from perdure.testing.words import k, obj, x

TASKS = 8
ANYBODY = "anybody"
"""Who names no version."""

BREAKS_EVERY = 4
TICKS = 5
SECONDS_MIN, SECONDS_EACH = 60, 0.1
"""Then it gives up: the other one may have."""

BOTH = re.compile(r"it was asked for version (-?\d+), and the execution is at version (\d+)[,;]")

_more = Route(("wait",), when=x("vars.n < input.total"))
COUNTING = Workflow(
    "counting",
    (
        Step(
            "wait",
            EventWait(k("poke")),
            (Route(("gate",), when=x("output.breaks")), _more),
            assign=obj(n=x("vars.n + 1")),
        ),
        Step("gate", Task("gate", retry=Retry(1)), (_more,)),
    ),
    (Entry("wait"),),
    initial=k({"n": 0}),
    output=x("vars.n"),
)
"""Counts events. Some of them break it, and it goes on when it is retried; what came in the meantime is not lost."""

TICKING = Workflow(
    "ticking",
    (
        Step(
            "tick",
            Task("tick"),
            (Route(("tick",), when=x(f"vars.n < {TICKS}")), Route(("rest",))),
            assign=obj(n=x("vars.n + 1")),
        ),
        Step("rest", EventWait(k("never"))),
    ),
    (Entry("tick"),),
    initial=k({"n": 0}),
)
"""Changes as fast as it can, and then waits: somebody cancels it."""


def events_of(writes: int) -> int:
    """How many of the writes of one process are events; each is counted by all counters."""
    return writes // 20


def prepared(engine: Engine) -> Engine:
    @engine.task("gate")
    async def gate(given: Any, ctx: Any) -> Any:
        if ctx.attempt == 1:
            raise NonRetryable("it is broken")
        return given

    @engine.task("tick")
    async def tick(given: Any) -> Any:
        return given

    return engine


class Racer:
    def __init__(self, engine: Engine, name: str, writes: int, counters: list[Execution]) -> None:
        self._engine, self._name, self._counters = engine, name, counters
        self._chance = Random(name)
        self._left = {"event": events_of(writes), "retry": writes // 2 - events_of(writes), "cancel": writes // 2}
        self.won: list[tuple[str, int, str]] = []
        """(execution, the version that was named, who asked for it)"""
        self.told: Counter[str] = Counter()

    def _takes(self, kind: str) -> int | None:
        """The number of a write, as long as there are some left."""
        if not self._left[kind]:
            return None
        self._left[kind] -= 1
        self.told[kind] += 1
        return self._left[kind]

    async def race(self) -> None:
        kinds = (self._publishes, self._retries, self._cancels)
        await asyncio.gather(*(kind(number) for number in range(TASKS) for kind in kinds))

    async def _publishes(self, task: int) -> None:
        """Each the next one when all have counted the last: else all that has come to one that is broken, which is most of it, has
        to be looked back to again and again.
        """
        del task
        while (number := self._takes("event")) is not None:
            id_ = f"{self._name}-{number}"
            await self._engine.publish("poke", {"breaks": number % BREAKS_EVERY == 0}, id_=id_)
            while len(await self._counted(id_)) < len(self._counters):  # noqa: ASYNC110  nobody is told
                await asyncio.sleep(0.01)

    async def _counted(self, event: str) -> list[ExecutionRecord]:
        found: list[ExecutionRecord] = await self._engine.host.read(lambda store: store.taken_by("default", event, 100))
        return found

    async def _retries(self, task: int) -> None:
        """Whatever is broken is repaired; of what is not, something is asked now and then that has to be refused."""
        while self._left["retry"]:
            counter = self._chance.choice(self._counters)
            found = await counter.describe()
            version = found.execution_version
            if found.status == "failed":
                await self._retries_one(counter, version)
            elif found.status != "completed" and self._chance.random() < 0.9:
                await asyncio.sleep(0.001)
            elif (number := self._takes("retry")) is not None:
                await self._asks(counter, version - 1, f"{self._name}-stale-{number}", counter.cancel)
        if not task:
            await asyncio.gather(*(self._sees_through(each) for each in self._counters))

    async def _retries_one(self, counter: Execution, version: int) -> None:
        number = self._takes("retry")
        if number is None:
            return
        by = f"{self._name}-retry-{number}"
        if number % 5:
            await self._asks(counter, version, by, counter.retry)
        else:
            await self._asks_for_any(counter.retry(by=ANYBODY))

    async def _cancels(self, task: int) -> None:
        """One execution after the other, which all of them know by its key, in every process."""
        round_ = 0
        while self._left["cancel"]:
            execution = await self._engine.executions.start("ticking", idempotency_key=f"round-{round_}")
            while (found := await execution.describe()).record.ended_at is None:
                number = self._takes("cancel")
                if number is None:
                    await self._ends(execution, task)
                    return
                by = f"{self._name}-cancel-{number}"
                if (number + task) % 50:
                    await self._asks(execution, found.execution_version, by, execution.cancel)
                    await asyncio.sleep(self._chance.random() / 100)
                else:
                    await self._asks_for_any(execution.cancel(by=ANYBODY))
            round_ += 1

    async def _ends(self, execution: Execution, task: int) -> None:
        while (found := await execution.describe()).record.ended_at is None:
            await self._asks(execution, found.execution_version, f"{self._name}-end-{task}", execution.cancel)
            await asyncio.sleep(self._chance.random() / 10)

    async def _asks(self, execution: Execution, version: int, by: str, verb: Callable[..., Awaitable[None]]) -> None:
        refused = await _refusal(verb(by=by, if_version=version))
        if refused is None:
            while (await execution.describe()).execution_version == version:  # noqa: ASYNC110  nobody has taken it in yet
                await asyncio.sleep(0.01)
            self.told["won"] += 1
            self.won.append((execution.id, version, by))
            return
        both = BOTH.search(refused)
        assert both is not None, refused
        assert int(both[1]) == version, refused
        self.told["lost"] += 1
        self.told["lost to what waits in the inbox"] += int(both[2]) == version

    async def _asks_for_any(self, asking: Awaitable[None]) -> None:
        self.told["without a version"] += 1
        refused = await _refusal(asking)
        assert refused is None or BOTH.search(refused) is None, refused

    async def _sees_through(self, counter: Execution) -> None:
        while True:
            found = await counter.describe()
            if found.status == "completed":
                return
            if found.status == "failed":
                await self._asks(counter, found.execution_version, f"{self._name}-last", counter.retry)
            await asyncio.sleep(0.01)


async def _refusal(asking: Awaitable[None]) -> str | None:
    try:
        await asking
    except Conflict as error:
        return str(error)
    return None


async def race(url: str, name: str, writes: int, ids: list[str]) -> Any:
    async with prepared(Engine(url)) as engine:
        counters = [await engine.executions.get(id_) for id_ in ids]
        racer = Racer(engine, name, writes, counters)
        async with asyncio.timeout(SECONDS_MIN + writes * SECONDS_EACH):
            await racer.race()
        return {"won": racer.won, "told": racer.told}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(race(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]))))
