"""Scenarios on Restate come to what they say, their facts are those of memory, and what is written keeps every promise.

Twenty-one of them; with PERDURE_ALL_ON_RESTATE=1 in the environment all but those that fork or run again, which takes a minute.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from on_restate.playing import OnRestate
from on_restate.server import Cluster
from perdure.clock import now_ms
from perdure.store.sqlite.doctor import examine
from perdure.testing.inspected import InspectedSqlite
from scenarios.catalog import ALL
from scenarios.engines import EngineHost
from scenarios.facts import difference
from scenarios.promises import broken
from scenarios.running import check
from scenarios.scenario import Fork, Rerun, Scenario
from scenarios.staging import Stage

NOT_YET = (Fork, Rerun)
"""Of these, the store keeps a new execution that nobody has. Restate does not take up such yet: docs/decisions/0008-restate.md."""


def _is_chosen(scenario: Scenario) -> bool:
    if "PERDURE_ALL_ON_RESTATE" in os.environ:
        return not any(isinstance(act.deed, NOT_YET) for act in scenario.acts)
    return scenario.restate


CHOSEN = [scenario for scenario in ALL if _is_chosen(scenario)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("read")


@pytest.fixture(scope="module")
def memory() -> Iterator[Stage[EngineHost]]:
    with Stage(EngineHost("memory", "memory://")) as stage:
        yield stage


@pytest.fixture(scope="module")
def restate(one_node: Cluster, folder: Path) -> Iterator[Stage[OnRestate]]:
    with Stage(OnRestate(one_node, f"sqlite:///{folder}/read.db")) as stage:
        yield stage


def test_there_are_twenty() -> None:
    assert len(CHOSEN) >= 20


@pytest.mark.parametrize("scenario", CHOSEN, ids=lambda scenario: scenario.name)
def test_its_facts_are_those_of_memory(
    memory: Stage[EngineHost], restate: Stage[OnRestate], scenario: Scenario
) -> None:
    expected, found = memory.play(scenario), restate.play(scenario)
    check(scenario, found)
    told = difference(expected.facts, found.facts, ("memory", "restate"))
    assert bool(told) == ("restate" in scenario.differs), told


def test_what_there_is_to_read_keeps_every_promise(restate: Stage[OnRestate], folder: Path) -> None:
    played = restate.all_played(CHOSEN)
    path = f"{folder}/read.db"
    report = examine(path, now=now_ms())
    assert not report.broken, report.broken
    with closing(InspectedSqlite(path)) as store:
        assert broken(store, played) == []
