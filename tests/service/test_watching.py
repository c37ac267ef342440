"""Watching an execution, from here and from another process."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from perdure.service.engine import Engine
from service.words import ASK, NAP, PARENT, adding, begun, running, sequence, waiting

WATCHED = Path(__file__).parent / "watched.py"


def test_everything_is_seen_in_order_until_it_ends(url: str) -> None:
    async def scenario() -> None:
        async with adding(Engine(url)) as engine:
            execution = await begun(engine, sequence(4), {"n": 1})
            seen = [entry async for entry in execution.watch()]
            assert [entry.seq for entry in seen] == list(range(1, len(seen) + 1))
            assert (seen[0].kind, seen[-1].kind) == ("execution.started", "execution.completed")
            assert [entry.step for entry in seen if entry.kind == "step.completed"] == ["s0", "s1", "s2", "s3"]
            late = [entry async for entry in execution.watch(after=3)]
            assert late == seen[3:]

    running(scenario)


def test_what_happens_is_seen_while_it_happens(url: str) -> None:
    engine, gate = Engine(url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()
        return given["n"] + 1

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(2), {"n": 1})
            seen = []
            async for entry in execution.watch():
                seen.append(entry.kind)
                if entry.kind == "step.scheduled":
                    assert "step.completed" not in seen or gate.is_set()
                    gate.set()
            assert seen.count("step.scheduled") == 2

    running(scenario)


def test_it_ends_where_a_task_is_waited_for_that_nobody_has(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, unknown_tasks="wait") as engine:
            execution = await begun(engine, sequence(1), {"n": 1})
            assert [entry.kind async for entry in execution.watch()][-1] == "step.scheduled"
            assert "for a worker that has the task 'add'" in (await execution.why()).sentence
            adding(engine)
            assert [entry.kind async for entry in execution.watch()][-1] == "execution.completed"

    running(scenario)


def test_it_ends_where_somebody_is_waited_for_and_not_at_a_timer(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            asked = await begun(engine, ASK, {"n": 1})
            assert [entry.kind async for entry in asked.watch()][-1] == "approval.opened"
            parent = await begun(engine, PARENT, {"n": 1})
            assert [entry.kind async for entry in parent.watch()][-1] == "child.started"
            sleeping = await begun(engine, NAP)
            await waiting(sleeping)
            watching = asyncio.create_task(_all(sleeping.watch()))
            await asyncio.wait([watching], timeout=0.5)
            assert not watching.done()
            await sleeping.cancel()
            assert (await watching)[-1] == "execution.cancelled"

    running(scenario)


async def _all(entries: Any) -> list[str]:
    return [entry.kind async for entry in entries]


def test_another_process_sees_what_this_one_does(sql_url: str) -> None:
    engine, gate = Engine(sql_url), asyncio.Event()

    @engine.task("add")
    async def add(given: Any) -> Any:
        await gate.wait()
        return given["n"] + 1

    async def scenario() -> None:
        async with engine:
            execution = await begun(engine, sequence(2), {"n": 1})
            watching = await asyncio.create_subprocess_exec(
                sys.executable, str(WATCHED), sql_url, execution.id, stdout=asyncio.subprocess.PIPE
            )
            assert watching.stdout is not None
            assert await watching.stdout.readline() == b"1 execution.started None\n"
            assert await watching.stdout.readline() == b"2 step.scheduled s0\n"
            gate.set()
            rest = (await watching.stdout.read()).decode().splitlines()
            assert rest[0] == "3 step.completed s0"
            assert rest[-1].endswith("execution.completed None")
            assert await watching.wait() == 0

    running(scenario)
