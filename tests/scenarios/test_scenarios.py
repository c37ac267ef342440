"""Every scenario comes to what it says, on every store, by one worker and by two; and its facts are everywhere the same."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from postgres import fresh_schema
from scenarios.catalog import ALL
from scenarios.engines import EngineHost
from scenarios.facts import difference
from scenarios.hosts import ScenarioHost
from scenarios.running import Played, check, play
from scenarios.scenario import Scenario


class Stage:
    """A host in a loop of its own, opened once for all scenarios."""

    def __init__(self, host: ScenarioHost) -> None:
        self.host = host
        self._loop = asyncio.Runner()
        self._played: dict[str, Played] = {}

    def __enter__(self) -> Self:
        self._loop.__enter__()
        self._loop.run(self.host.open())
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.run(self.host.close())
        self._loop.close()

    def play(self, scenario: Scenario) -> Played:
        """Once, whoever asks."""
        if scenario.name not in self._played:
            self._played[scenario.name] = self._loop.run(play(scenario, self.host))
        return self._played[scenario.name]


@pytest.fixture(scope="module")
def memory() -> Iterator[Stage]:
    with Stage(EngineHost("memory", "memory://")) as stage:
        yield stage


HOSTS: dict[str, Callable[[Path], EngineHost]] = {
    "sqlite": lambda folder: EngineHost("sqlite", f"sqlite:///{folder}/one.db"),
    "postgres": lambda _: EngineHost("postgres", fresh_schema()),
    "sqlite, two workers": lambda folder: EngineHost("sqlite", f"sqlite:///{folder}/two.db", workers=2),
    "postgres, two workers": lambda _: EngineHost("postgres", fresh_schema(), workers=2),
}


@pytest.fixture(scope="module", params=HOSTS)
def stage(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(HOSTS[request.param](tmp_path_factory.mktemp("scenarios"))) as stage:
        yield stage


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_a_scenario_comes_to_what_it_says(memory: Stage, scenario: Scenario) -> None:
    check(scenario, memory.play(scenario))


@pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)
def test_its_facts_are_everywhere_the_same(memory: Stage, stage: Stage, scenario: Scenario) -> None:
    expected, found = memory.play(scenario), stage.play(scenario)
    check(scenario, found)
    assert not difference(expected.facts, found.facts, ("memory", stage.host.name))
