"""Between two transforms a child frees the context of the first one. Its caller pays for that, not the next one."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable
from typing import Any

import pytest

from perdure.tasks.sandbox import Ran, Sandbox, children, wire
from sandbox.words import outcome, using

SOON = 20

ONE = "const $default = () => 1"

COLLIDING = """const $default = (count) => {
  const kept = {};
  for (let i = 0; i < count; i++) {
    let name = '';
    for (let bit = 0; bit < 16; bit++) name += (i >> bit) & 1 ? '\\u0102\\u0200' : '\\u0101\\u0307';
    kept[name] = 1;
  }
  globalThis.kept = kept;
  return count;
}"""
"""All names have the same hash in QuickJS: adding and freeing them takes time that grows with the square of their number."""


@pytest.mark.parametrize("count", [30_000, 60_000])
def test_a_transform_that_is_slow_to_free_does_not_fail_the_next_caller(
    count: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def both(made: Sandbox) -> tuple[Any, list[Any]]:
        hostile = await made.run(COLLIDING, count, organization="loud", timeout_ms=10_000)
        (slow,) = made._children
        calls = (made.run(ONE, None, organization="quiet", timeout_ms=100) for _ in range(8))
        others = await asyncio.gather(*calls)
        await _until(lambda: slow not in made._children)
        return hostile, others

    hostile, others = using(both)
    assert hostile == Ran(count)
    assert others == [Ran(1)] * 8
    killed = [record for record in caplog.records if "was not ready again within 0.2 s" in record.getMessage()]
    assert len(killed) == 1
    assert "organization 'loud'" in killed[0].getMessage()


def test_a_child_that_is_slow_to_free_is_killed_and_counts_for_its_caller_until_then() -> None:
    async def followed(made: Sandbox) -> tuple[list[int], list[int]]:
        await made.run(COLLIDING, 40_000, organization="loud", timeout_ms=10_000)
        before = _processes(made)
        # Of two children one organization has at most one: this call waits until the first one's child is gone.
        assert await made.run(ONE, None, organization="loud") == Ran(1)
        return before, _processes(made)

    before, after = using(followed)
    assert len(before) == 1
    assert not set(before) & set(after)


def test_a_child_is_idle_only_after_it_has_reported_ready() -> None:
    async def stopped(made: Sandbox) -> None:
        await outcome(made, ONE)
        await _until(lambda: made._idle)
        (child,) = made._children
        call = asyncio.create_task(outcome(made, "const $default = () => { for (;;); }", timeout_ms=10_000))
        await _until(lambda: child.is_busy)
        os.kill(child._process.pid, signal.SIGSTOP)
        child.data_received(wire.ANSWER.pack(wire.VALUE, 1, 0) + b"7")
        assert await call == Ran(7)
        assert child not in made._idle
        assert child.is_resetting
        child.data_received(wire.ANSWER.pack(wire.READY, 0, 0))
        assert made._idle == [child]

    using(stopped)


@pytest.mark.parametrize(
    "said",
    [
        wire.ANSWER.pack(wire.VALUE, 1, 0) + b"1",
        wire.ANSWER.pack(wire.READY, 1, 0) + b"1",
        wire.ANSWER.pack(wire.READY, 0, 0) + b"1",
        wire.ANSWER.pack(wire.READY, 0, 0) + wire.ANSWER.pack(wire.VALUE, 1, 0) + b"1",
    ],
)
def test_a_child_that_says_anything_but_ready_after_its_answer_is_ended(said: bytes) -> None:
    async def spoken(made: Sandbox) -> None:
        call = asyncio.create_task(outcome(made, "const $default = () => { for (;;); }", timeout_ms=10_000))
        await _until(lambda: any(child.is_busy for child in made._children))
        (child,) = (child for child in made._children if child.is_busy)
        child.data_received(wire.ANSWER.pack(wire.VALUE, 1, 0) + b"7" + said)
        assert await call == Ran(7)
        assert child not in made._idle
        await _until(lambda: child not in made._children)
        assert await outcome(made, ONE, timeout_ms=5_000) == Ran(1)

    using(spoken)


def test_a_caller_of_one_transform_after_the_other_needs_one_child() -> None:
    async def repeated(made: Sandbox) -> int:
        for _ in range(200):
            assert await outcome(made, ONE, timeout_ms=5_000) == Ran(1)
        return len(made._children)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(children, "RESET_SLOW_SECONDS", 1.0)  # whatever else the machine does
        assert using(repeated, 4) == 1


def test_while_a_child_is_slow_to_free_another_one_is_started_for_other_callers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(children, "RESET_SECONDS_MAX", 60.0)
    monkeypatch.setattr(children, "RESET_WAIT_SECONDS_MAX", 60.0)

    async def waited(made: Sandbox) -> tuple[float, bool]:
        await made.run(COLLIDING, 40_000, organization="loud", timeout_ms=10_000)
        (slow,) = made._children
        began = time.monotonic()
        assert await made.run(ONE, None, organization="quiet", timeout_ms=5_000) == Ran(1)
        return time.monotonic() - began, slow.is_resetting

    seconds, still_resetting = using(waited)
    assert still_resetting, f"the other child answered after {seconds:.2f} s"


def _processes(made: Sandbox) -> list[int]:
    return [child._process.pid for child in made._children]


async def _until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110  no event for it
            await asyncio.sleep(0.001)
