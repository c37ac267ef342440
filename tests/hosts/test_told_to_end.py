"""A process that is told to end: what ends in time is recorded, and what does not is handed over."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import apsw

from hosts.health import assert_healthy
from hosts.processes import finished, started
from hosts.server import EACH
from perdure.service.engine import Engine

SECONDS_MAX = 30
SLACK_SECONDS = 1.5
"""What a busy machine may need to end a process."""


def test_what_ends_in_time_is_recorded_and_the_rest_is_handed_over(tmp_path: Path) -> None:
    assert told_to_end(tmp_path, 0.5, "short", "long") <= 0.5 + SLACK_SECONDS
    handed_over(tmp_path, EACH * 2)

    async def taken_over() -> list[Any]:
        engine, attempts = Engine(f"sqlite:///{tmp_path}/flows.db", crashes_max=1), []

        @engine.task("long")
        async def long(given: Any, ctx: Any) -> Any:
            attempts.append(ctx.attempt)
            return "long"

        @engine.task("after")
        async def after(given: Any) -> Any:
            return "after"

        @engine.task("short")
        async def short(given: Any) -> Any:
            raise AssertionError("it has been recorded")

        async with engine:
            assert [await result_of(engine, f"{kind}-{n}") for kind in ("short", "long") for n in range(EACH)] == [
                "after"
            ] * (2 * EACH)
        return attempts

    assert asyncio.run(asyncio.wait_for(taken_over(), SECONDS_MAX)) == [2] * EACH
    assert_healthy(tmp_path / "flows.db")


def test_with_nothing_that_takes_longer_the_time_of_grace_is_not_used_up(tmp_path: Path) -> None:
    assert told_to_end(tmp_path, 20, "short") <= SLACK_SECONDS
    handed_over(tmp_path, EACH)


def test_a_function_in_a_thread_does_not_keep_the_process_from_ending(tmp_path: Path) -> None:
    assert told_to_end(tmp_path, 0.2, "short", "threaded") <= 0.2 + SLACK_SECONDS
    handed_over(tmp_path, EACH * 2)


def told_to_end(folder: Path, grace_seconds: float, *kinds: str) -> float:
    """How many seconds it took."""
    process = started("server.py", folder, grace_seconds, *kinds)
    assert process.stdout is not None
    assert process.stdout.readline() == "all run\n"
    process.terminate()
    begun_at = time.monotonic()
    assert finished(process, SECONDS_MAX) == []
    return time.monotonic() - begun_at


def handed_over(folder: Path, count: int) -> None:
    """Nobody has to find out that the owner is dead, and nobody is blamed."""
    found = apsw.Connection(str(folder / "flows.db")).execute("SELECT owner, ready, crashes, live FROM executions")
    assert found.fetchall() == [(None, 1, 0, 1)] * count


async def result_of(engine: Engine, key: str) -> Any:
    workflow, _, _ = key.partition("-")
    return await (await engine.executions.start(workflow, idempotency_key=key)).result()
