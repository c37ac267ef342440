"""Scenarios on Restate come to what they say, and their facts are those of memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from on_restate.playing import OnRestate
from on_restate.server import Cluster
from scenarios.catalog import ALL
from scenarios.engines import EngineHost
from scenarios.facts import difference
from scenarios.running import check
from scenarios.scenario import Scenario
from scenarios.test_scenarios import Stage

CHOSEN = [scenario for scenario in ALL if scenario.restate]


@pytest.fixture(scope="module")
def memory() -> Iterator[Stage]:
    with Stage(EngineHost("memory", "memory://")) as stage:
        yield stage


@pytest.fixture(scope="module")
def restate(one_node: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(OnRestate(one_node, tmp_path_factory.mktemp("read"))) as stage:
        yield stage


@pytest.mark.parametrize("scenario", CHOSEN, ids=lambda scenario: scenario.name)
def test_its_facts_are_those_of_memory(memory: Stage, restate: Stage, scenario: Scenario) -> None:
    expected, found = memory.play(scenario), restate.play(scenario)
    check(scenario, found)
    assert not difference(expected.facts, found.facts, ("memory", "restate"))
