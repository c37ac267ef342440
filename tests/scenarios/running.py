"""Playing a scenario on a host: each act at its moment, until all executions have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import assert_never

from msgspec import Struct, UnsetType

from perdure.core import facts as f
from perdure.core.steps.approval import approval_id
from perdure.model.workflow import Workflow
from scenarios.answering import Answering
from scenarios.facts import Lines, comparable
from scenarios.hosts import ScenarioHost
from scenarios.names import History, named
from scenarios.scenario import Act, Called, Cancel, Decide, Fork, Moment, Publish, Rerun, Retry, Scenario, Seen

SOON_SECONDS = 10.0
"""Nothing in a scenario takes so long, however busy the machine is."""

LOOK_SECONDS = 0.002

Histories = Mapping[str, History]


class Played(Struct, frozen=True):
    """What came of it: the executions by their names, and what the tasks have seen."""

    histories: Histories
    answering: Answering
    facts: Lines


class Late(AssertionError):
    """What a scenario waits for does not come."""


async def play(scenario: Scenario, host: ScenarioHost) -> Played:
    """Raises `Late` if a moment does not come, or an execution that there must be does not end."""
    answering = Answering(scenario)
    await host.begin(scenario, answering)
    main = await host.start(scenario.workflows[0].name, scenario.input)
    run = _Run(scenario, host, answering, main)
    for act in scenario.acts:
        await run.act(act)
    histories = await run.until(f"the end of {sorted(scenario.ends)}", run.has_ended)
    return Played(histories, answering, comparable(histories, scenario.workflows))


def check(scenario: Scenario, played: Played) -> None:
    """All executions that there must be, and no other, ended as they must."""
    assert sorted(played.histories) == sorted(scenario.ends)
    for name, end in scenario.ends.items():
        record = played.histories[name].record
        told = f"{name} of {scenario.name!r}: {record.error}"
        assert record.status == end.status, told
        assert end.code is None or (record.error is not None and record.error.code == end.code), told
        if not isinstance(end.output, UnsetType):
            assert record.output == end.output, told


class _Run:
    def __init__(self, scenario: Scenario, host: ScenarioHost, answering: Answering, main: str) -> None:
        self._scenario, self._host, self._answering, self._main = scenario, host, answering, main
        self._workflows: dict[str, Workflow] = {workflow.name: workflow for workflow in scenario.workflows}

    async def act(self, act: Act) -> None:
        histories = await self.until(f"the moment of {act}", lambda found: self._is_there(act.when, found))
        host, deed = self._host, act.deed
        if isinstance(deed, Publish):
            await host.publish(deed)
            return
        execution = histories[deed.of].record.id
        match deed:
            case Decide():
                await host.decide(execution, self._approval(histories[deed.of], deed), deed)
            case Cancel():
                await host.cancel(execution, deed)
            case Retry():
                await host.retry(execution, deed)
            case Fork():
                await host.fork(execution, deed)
            case Rerun():
                await host.rerun(execution, deed)
            case _:
                assert_never(deed)

    async def until(self, what: str, holds: Callable[[Histories], bool]) -> Histories:
        """The executions by their names, once it holds of them."""
        loop = asyncio.get_running_loop()
        last = loop.time() + SOON_SECONDS
        while True:
            found = await self._histories()
            if holds(found):
                return found
            if loop.time() > last:
                raise Late(f"{self._scenario.name!r} on {self._host.name} waits for {what}; there is:\n{_told(found)}")
            await asyncio.sleep(LOOK_SECONDS)

    def has_ended(self, histories: Histories) -> bool:
        """Not before each has the status that it must have: what was asked of it last may not have had its effect yet."""
        ended = {name: each.record.status for name, each in histories.items() if _is_over(each)}
        expected = {name: end.status for name, end in self._scenario.ends.items()}
        return ended.keys() == histories.keys() and expected.items() <= ended.items()

    async def _histories(self) -> Histories:
        records = await self._host.executions()
        read = [History(record, await self._host.facts(record.id)) for record in records]
        return named(read, self._main, self._workflows)

    def _is_there(self, moment: Moment, histories: Histories) -> bool:
        match moment:
            case Called():
                return self._answering.calls[moment.step] >= moment.times
            case Seen():
                return moment.of in histories and self._count(moment, histories[moment.of]) >= moment.nth
            case _:
                assert_never(moment)

    def _count(self, seen: Seen, history: History) -> int:
        step = None if seen.step is None else self._number(history, seen.step)
        return sum(
            fact.__struct_config__.tag == seen.kind and step in {None, _step(history.facts, fact)}
            for fact in history.facts
        )

    def _approval(self, history: History, decide: Decide) -> str:
        """The last that the step has opened."""
        step = self._number(history, decide.step)
        opened = [
            seq
            for seq, fact in enumerate(history.facts, start=1)
            if isinstance(fact, f.ApprovalOpened) and (fact.step, fact.item) == (step, decide.item)
        ]
        return approval_id(history.record.id, opened[-1])

    def _number(self, history: History, step: str) -> int:
        return [each.id for each in self._workflows[history.record.workflow].steps].index(step)


def _is_over(history: History) -> bool:
    return not history.record.live and history.record.ended_at is not None


def _step(facts: list[f.Fact], fact: f.Fact) -> int | None:
    """The step that a fact is about; that of its operation, where it names no other."""
    op: int = getattr(fact, "op", 0)
    step: int | None = getattr(facts[op - 1] if op else fact, "step", None)
    return step


def _told(histories: Histories) -> str:
    return (
        "\n".join(
            f"  {name}: {history.record.status}, {[type(fact).__name__ for fact in history.facts]}, {history.record.error}"
            for name, history in histories.items()
        )
        or "  nothing"
    )
