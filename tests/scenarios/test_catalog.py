"""The scenarios are many, each has its own name, and together they have everything in them that a workflow can have."""

from __future__ import annotations

import asyncio
from typing import get_args

from perdure.core import facts as f
from perdure.model.steps import Work
from perdure.model.workflow import Workflow
from scenarios.catalog import ALL
from scenarios.engines import EngineHost
from scenarios.facts import difference
from scenarios.names import named
from scenarios.running import Played, play
from scenarios.scenario import Scenario

KINDS_OF_WORK = frozenset(get_args(Work))


def _work(scenarios: tuple[Scenario, ...]) -> frozenset[type]:
    return frozenset(
        type(step.work) for scenario in scenarios for workflow in scenario.workflows for step in workflow.steps
    )


def _played(*scenarios: Scenario) -> list[Played]:
    async def all_of_them() -> list[Played]:
        host = EngineHost("memory", "memory://")
        await host.open()
        try:
            return [await play(scenario, host) for scenario in scenarios]
        finally:
            await host.close()

    return asyncio.run(all_of_them())


def test_there_are_at_least_sixty_and_each_has_a_name_of_its_own() -> None:
    assert len({scenario.name for scenario in ALL}) == len(ALL) >= 60


def test_every_kind_of_step_is_in_them_and_in_those_for_restate() -> None:
    for_restate = tuple(scenario for scenario in ALL if scenario.restate)
    assert len(for_restate) == 22
    assert _work(ALL) == _work(for_restate) == KINDS_OF_WORK


def test_every_setting_of_a_workflow_is_in_them() -> None:
    """Whatever a workflow can say beside its steps, one of them says; but schedules, as nothing in a scenario is told by the clock,
    and what is known of the types of its steps, which only people read.

    What starts by the clock is in `tests/schedules`, over the same stores.
    """
    usual = Workflow("usual")
    said = {
        name
        for scenario in ALL
        for workflow in scenario.workflows
        for name in Workflow.__struct_fields__
        if getattr(workflow, name) != getattr(usual, name)
    }
    assert said == set(Workflow.__struct_fields__) - {"format", "settle_ms", "schedules", "schemas"}


def test_every_kind_of_fact_comes_of_them() -> None:
    seen = {type(fact) for played in _played(*ALL) for history in played.histories.values() for fact in history.facts}
    assert seen == set(get_args(f.Fact))


def test_two_runs_of_one_scenario_are_the_same_and_of_two_are_not() -> None:
    one, other = (next(each for each in ALL if each.name == name) for name in ("somebody rejects", "a timer"))
    (first,), (second,), (another,) = _played(one), _played(one), _played(other)
    assert difference(first.facts, second.facts, ("first", "second")) == ""
    assert "approval.opened" in difference(first.facts, another.facts, ("first", "another"))
    assert difference(first.facts, first.facts[1:], ("first", "less")) != ""


def test_an_execution_is_called_by_where_it_comes_from() -> None:
    (scenario,) = (each for each in ALL if each.name == "a child for each item")
    (played,) = _played(scenario)
    histories = list(played.histories.values())
    main = histories[0].record.id
    assert list(named(histories, main, {each.name: each for each in scenario.workflows})) == list(scenario.ends)
