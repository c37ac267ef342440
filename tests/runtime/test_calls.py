"""Calls of tasks: so many at a time, light ones in one asyncio task, each in a context of its own, each heard of once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextvars import ContextVar
from typing import Any

import pytest

from perdure.core.commands import PerformTask
from perdure.core.events import AttemptLost, TaskCompleted, TaskFailed
from perdure.model.failure import NEVER_CALLED
from perdure.runtime import calls as limits
from perdure.runtime.calls import Calls, TaskNotHere
from perdure.runtime.ports import TaskEvent

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass."""
NOW = 7_000
VARIABLE: ContextVar[str] = ContextVar("VARIABLE", default="untouched")


class Told:
    """Calls, and what has been told of them. What each does is `works[task]`."""

    def __init__(self, **works: Callable[[], Awaitable[Any]]) -> None:
        self.works = works
        self.asks_first = False
        """Whether it takes a while until it is known that a task is not here."""
        self.begun: list[tuple[str, int]] = []
        self.events: list[tuple[str, TaskEvent]] = []
        self.missing: list[PerformTask] = []
        self.calls = Calls(self._perform, self._report, self._not_here, self._said, lambda: NOW)
        self.said: list[int] = []
        """How much had been heard each time that there was nothing more to tell for now."""
        self._changed = asyncio.Event()

    def _report(self, execution: str, event: TaskEvent) -> None:
        self.events.append((execution, event))
        self._changed.set()

    def _not_here(self, execution: str, command: PerformTask) -> None:
        assert execution == "e1"
        self.missing.append(command)

    def _said(self) -> None:
        self.said.append(len(self.events))

    async def _perform(self, execution: str, command: PerformTask) -> TaskEvent:
        if command.task not in self.works:
            if self.asks_first:
                await asyncio.sleep(0)
            raise TaskNotHere(command.task)
        self.begun.append((execution, command.op))
        return TaskCompleted(NOW, command.op, command.attempt, await self.works[command.task]())

    def call(
        self, task: str, op: int = 1, *, execution: str = "e1", attempt: int = 1, organization: str = "default"
    ) -> None:
        self.calls.call(execution, PerformTask(op, attempt, "step", task, None, "key"), organization)

    async def heard(self, count: int) -> list[Any]:
        """As soon as so many have been heard of: the answers, or the events of those that have none."""
        while len(self.events) < count:
            self._changed.clear()
            await self._changed.wait()
        assert len(self.events) == count
        return [event.output if isinstance(event, TaskCompleted) else event for _, event in self.events]


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def light() -> Any:
    return asyncio.current_task()


async def rounds(count: int = 5) -> None:
    """Everybody else has had their turn."""
    for _ in range(count):
        await asyncio.sleep(0)


def test_light_calls_share_one_asyncio_task() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        for op in range(100):
            told.call("light", op)
        tasks = await told.heard(100)
        assert len(set(tasks)) == 1
        assert len(told.calls) == 0

    run(scenario())


def test_a_call_that_waits_has_a_task_of_its_own_and_the_others_go_on() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()

        async def waits() -> Any:
            before = asyncio.current_task()
            await gate.wait()
            assert asyncio.current_task() is before
            return before

        told = Told(light=light, waits=waits)
        for op, task in enumerate(["light", "waits", "light", "light"]):
            told.call(task, op)
        first, *others = await told.heard(3)
        assert len(told.calls) == 1
        gate.set()
        waited = (await told.heard(4))[-1]
        assert waited is first, "the runner was its task from then on"
        assert set(others) == {others[0]}
        assert others[0] is not waited

    run(scenario())


def test_what_one_call_sets_in_its_context_no_other_sees() -> None:
    async def scenario() -> None:
        async def sets() -> str:
            seen = VARIABLE.get()
            VARIABLE.set("changed")
            await asyncio.sleep(0)
            assert VARIABLE.get() == "changed", "its own, also after it has waited"
            return seen

        async def sets_at_once() -> str:
            seen = VARIABLE.get()
            VARIABLE.set("changed")
            return seen

        told = Told(sets=sets, sets_at_once=sets_at_once)
        for op in range(10):
            told.call("sets" if op % 2 else "sets_at_once", op)
        assert await told.heard(10) == ["untouched"] * 10
        assert VARIABLE.get() == "untouched"

    run(scenario())


def test_a_timeout_inside_of_a_call_ends_only_what_it_is_around() -> None:
    async def scenario() -> None:
        async def hurries() -> str:
            try:
                async with asyncio.timeout(0.001):
                    await asyncio.Event().wait()
            except TimeoutError:
                await asyncio.sleep(0)
                return "gave up"
            return "did not"

        told = Told(hurries=hurries, light=light)
        for op in range(6):
            told.call("light" if op % 2 else "hurries", op)
        answers = await told.heard(6)
        assert answers.count("gave up") == 3

    run(scenario())


def test_a_timeout_around_what_does_not_wait_leaves_the_runner_as_it_was() -> None:
    async def scenario() -> None:
        async def hurries() -> str:
            async with asyncio.timeout(60):  # noqa: ASYNC100  that is the point
                return "in time"

        told = Told(hurries=hurries)
        for op in range(5):
            told.call("hurries", op)
        assert await told.heard(5) == ["in time"] * 5

    run(scenario())


def test_a_call_that_is_abandoned_before_it_began_was_never_called() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        told.call("light", 1)
        told.call("light", 2)
        told.calls.abandon("e1", 2)
        assert told.events == [("e1", TaskFailed(NOW, 2, 1, NEVER_CALLED))]
        await told.heard(2)
        assert told.begun == [("e1", 1)]

    run(scenario())


def test_of_a_later_attempt_that_is_abandoned_before_it_began_nobody_knows_what_the_earlier_did() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        told.call("light", 2, attempt=3)
        told.calls.abandon("e1", 2)
        assert told.events == [("e1", AttemptLost(NOW, 2, 3))]

    run(scenario())


def test_a_call_that_is_abandoned_after_it_began_is_cancelled_and_lost() -> None:
    async def scenario() -> None:
        gate, cancelled = asyncio.Event(), []

        async def waits() -> None:
            try:
                await gate.wait()
            except asyncio.CancelledError:
                cancelled.append(True)
                raise

        told = Told(waits=waits)
        told.call("waits", 1)
        told.call("waits", 2)
        await rounds()
        told.calls.abandon("e1", 1)
        assert await told.heard(1) == [AttemptLost(NOW, 1, 1)]
        assert (cancelled, len(told.calls)) == ([True], 1)
        gate.set()
        assert await told.heard(2) == [AttemptLost(NOW, 1, 1), None]

    run(scenario())


def test_what_is_abandoned_and_is_not_there_is_nobodys() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        told.call("light", 1, execution="e2")
        told.calls.abandon("e1", 1)
        assert len(await told.heard(1)) == 1

    run(scenario())


def test_no_more_calls_than_the_limit_wait_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLS_MAX", 3)

    async def scenario() -> None:
        gates: list[asyncio.Event] = []

        async def waits() -> None:
            gates.append(asyncio.Event())
            await gates[-1].wait()

        told = Told(waits=waits, light=light)
        for op in range(5):
            told.call("waits", op)
        told.call("light", 5)
        assert told.calls.beginning == 6
        await rounds()
        assert (len(gates), len(told.calls), told.calls.beginning) == (3, 6, 0)
        gates[1].set()
        await told.heard(1)
        await rounds()
        assert len(gates) == 4
        gates[0].set()
        gates[2].set()
        await rounds()
        gates[3].set()
        gates[4].set()
        await told.heard(6)
        assert [op for _, op in told.begun] == [0, 1, 2, 3, 4, 5]

    run(scenario())


def test_calls_of_a_task_that_is_not_here_take_no_place_and_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLS_MAX", 3)

    async def scenario() -> None:
        told = Told(light=light)
        for op in range(10):
            told.call("nowhere", op)
        told.call("elsewhere", 10)
        told.call("light", 11)
        await told.heard(1)
        assert (told.begun, len(told.calls), told.calls.beginning) == ([("e1", 11)], 0, 0)
        assert [(call.op, call.task) for call in told.missing] == [
            *((op, "nowhere") for op in range(10)),
            (10, "elsewhere"),
        ]
        assert told.said, "what is told is to be looked at"

    run(scenario())


def test_it_is_said_when_there_is_nothing_more_to_tell_for_now() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()
        told = Told(light=light, waits=gate.wait)
        for op in range(limits.IN_A_ROW + 5):
            told.call("light", op)
        told.call("waits", 100)
        told.call("light", 101)
        await rounds()
        heard = limits.IN_A_ROW + 6
        assert (told.said[0], told.said[-1]) == (limits.IN_A_ROW, heard)
        gate.set()
        await told.heard(heard + 1)
        await rounds()
        assert told.said[-1] == heard + 1
        told.call("light", 102)
        told.calls.abandon("e1", 102)
        await rounds()
        assert told.said[-1] == heard + 2

    run(scenario())


def test_the_runner_lets_others_have_their_turn() -> None:
    async def scenario() -> None:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        told = Told(light=light)
        beside = asyncio.create_task(others())
        count = 10 * limits.IN_A_ROW * limits.ROUNDS
        for op in range(count):
            told.call("light", op)
        await told.heard(count)
        beside.cancel()
        assert turns >= 9

    run(scenario())


def test_stopping_without_grace_cancels_what_has_begun_and_begins_nothing_more() -> None:
    async def scenario() -> None:
        told = Told(waits=lambda: asyncio.Event().wait(), light=light)
        told.call("waits", 1)
        await rounds()
        told.call("light", 2)
        deaf_at: list[int] = []
        await told.calls.stop(0, lambda: deaf_at.append(len(told.events)))
        assert deaf_at == [0], "nobody listens before anything is cancelled"
        told.call("light", 3)
        await rounds()
        assert told.events == [("e1", AttemptLost(NOW, 1, 1))]
        assert told.begun == [("e1", 1)]

    run(scenario())


def test_stopping_with_grace_lets_what_has_begun_come_to_its_end() -> None:
    async def scenario() -> None:
        gate = asyncio.Event()
        told = Told(ends=gate.wait, hangs=lambda: asyncio.Event().wait())
        told.call("ends", 1)
        told.call("hangs", 2)
        await rounds()
        heard_before: list[int] = []
        stopping = asyncio.create_task(told.calls.stop(0.05, lambda: heard_before.append(len(told.events))))
        gate.set()
        await stopping
        assert heard_before == [1], "one had ended when the others were cancelled"
        assert await told.heard(2) == [True, AttemptLost(NOW, 2, 1)]

    run(scenario())


def test_stopping_waits_for_no_longer_than_there_is_something_to_wait_for() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        await told.calls.stop(1_000, lambda: None)

    run(scenario())


def test_a_task_that_is_found_missing_only_after_a_while_is_told_of_too() -> None:
    async def scenario() -> None:
        told = Told()
        told.asks_first = True
        told.call("nowhere")
        await rounds()
        assert (len(told.calls), [call.op for call in told.missing], told.events) == (0, [1], [])
        assert told.said

    run(scenario())


def test_calls_of_one_organization_leave_slots_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "CALLS_MAX", 20)

    async def scenario() -> None:
        gate = asyncio.Event()
        told = Told(waits=gate.wait)
        for op in range(100):
            told.call("waits", op, organization="flood")
        await rounds(50)
        assert len(told.begun) == 20
        told.call("waits", 100, organization="other")
        await rounds()
        assert told.begun[-1] == ("e1", 100)
        assert told.calls.beginning == 0, "those that have no slot are not on their way"
        gate.set()
        await told.heard(101)

    run(scenario())


def test_calls_that_have_not_begun_begin_in_turns_of_their_organizations() -> None:
    async def scenario() -> None:
        told = Told(light=light)
        for op in range(100):
            told.call("light", op, organization="flood")
        told.call("light", 100, organization="other")
        await told.heard(101)
        assert told.begun.index(("e1", 100)) == 1

    run(scenario())
