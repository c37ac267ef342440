"""A program on a bad disk: `python -m disk.program FILE full|calm|idle|SYNC`, where SYNC is the number of the sync that fails.

It says what has been acknowledged as soon as it has been.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import Any

from hosts.victim import ORDER, SMALL, expected
from perdure.errors import PerdureError
from perdure.service.engine import Engine, Execution
from perdure.testing.disk import FULL, SYNC_FAILED, Disk, Fault

COUNT = 60
NO_ROOM = "no room on the disk"


def say(*words: object) -> None:
    """At once, and whole: the process may end in the middle of anything."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


def working(path: str) -> Engine:
    engine = Engine(f"sqlite:///{path}", crashes_max=1_000)

    @engine.task("work")
    async def work(given: Any) -> Any:
        return given["n"] + 1

    @engine.task("flaky")
    def flaky(given: Any, ctx: Any) -> Any:
        if ctx.attempt == 1:
            raise RuntimeError("not at the first try")
        return given["n"]

    return engine


async def started(engine: Engine, number: int) -> Execution:
    execution = await engine.executions.start("order", {"n": number}, idempotency_key=f"order-{number}")
    say("made" if execution.created else "found", number)
    return execution


async def finished(engine: Engine, number: int) -> None:
    execution = await started(engine, number)
    assert await execution.result() == expected(number)
    say("ended", number)


async def calm(engine: Engine) -> None:
    """One after the other is started; they run beside each other."""
    await engine.workflows.save(SMALL)
    await engine.workflows.save(ORDER)
    running = []
    for number in range(COUNT):
        execution = await started(engine, number)
        running.append(asyncio.create_task(finished(engine, number)))
        if number % 10 == 9:
            await execution.result()
    await asyncio.gather(*running)


async def full(engine: Engine, disk: Disk) -> None:
    """Halfway through there is no room; once that has been said, there is room again."""
    await engine.workflows.save(SMALL)
    await engine.workflows.save(ORDER)
    half = COUNT // 2
    await asyncio.gather(*(finished(engine, number) for number in range(half)))
    said, loop = asyncio.Event(), asyncio.get_running_loop()
    logging.getLogger().addHandler(Heard(loop, said))
    running = [asyncio.create_task(finished(engine, number)) for number in range(half, half + 5)]
    disk.fail(Fault("write", 0, FULL, lasting=True))
    running += [asyncio.create_task(finished(engine, number)) for number in range(half + 5, COUNT)]
    for task in running:
        task.add_done_callback(lambda task: said.set() if task.exception() is not None else None)
    await said.wait()
    disk.mend()
    outcomes = await asyncio.gather(*running, return_exceptions=True)
    for number, outcome in zip(range(half, COUNT), outcomes, strict=True):
        if outcome is not None:
            assert isinstance(outcome, PerdureError), repr(outcome)
            say("refused", number, outcome)
            await finished(engine, number)


async def idle(engine: Engine, disk: Disk) -> None:
    """Nobody waits for what runs when no sync works any more."""
    await engine.workflows.save(SMALL)
    await engine.workflows.save(ORDER)
    await started(engine, 0)
    disk.fail(Fault("sync", 0, SYNC_FAILED, lasting=True))
    await asyncio.Event().wait()


class Heard(logging.Handler):
    """Whether the engine has said that there is no room."""

    def __init__(self, loop: asyncio.AbstractEventLoop, said: asyncio.Event) -> None:
        super().__init__()
        self._loop, self._said = loop, said

    def emit(self, record: logging.LogRecord) -> None:
        if NO_ROOM in self.format(record):
            self._loop.call_soon_threadsafe(self._said.set)


async def main(path: str, how: str) -> None:
    logging.basicConfig(level=logging.INFO)
    disk = Disk(Fault("sync", int(how), SYNC_FAILED) if how.isdecimal() else None, default=True)
    async with working(path) as engine:
        match how:
            case "full":
                await full(engine, disk)
            case "idle":
                await idle(engine, disk)
            case _:
                await calm(engine)
    say("done")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))
