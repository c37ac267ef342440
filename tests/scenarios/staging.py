"""A host that is opened once, for all the scenarios that are played on it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, Generic, Self, TypeVar

from scenarios.hosts import ScenarioHost
from scenarios.running import Played, play
from scenarios.scenario import Scenario

HostT = TypeVar("HostT", bound=ScenarioHost)
Answer = TypeVar("Answer")


class Stage(Generic[HostT]):
    """A host in a loop of its own."""

    def __init__(self, host: HostT, url: str = "") -> None:
        self.host, self.url = host, url
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

    def all_played(self, scenarios: Iterable[Scenario]) -> list[Played]:
        return [self.play(scenario) for scenario in scenarios]

    def ask(self, asked: Coroutine[Any, Any, Answer]) -> Answer:
        return self._loop.run(asked)
