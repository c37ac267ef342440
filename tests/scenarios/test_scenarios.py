"""Every scenario comes to what it says, on every store, by one worker and by two; and its facts are everywhere the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from perdure.clock import now_ms
from perdure.store.postgres import doctor as postgres_doctor
from perdure.store.sqlite import doctor as sqlite_doctor
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from scenarios.catalog import ALL
from scenarios.engines import EngineHost
from scenarios.facts import difference
from scenarios.promises import broken
from scenarios.running import check
from scenarios.scenario import Host, Scenario
from scenarios.staging import Stage

each_scenario = pytest.mark.parametrize("scenario", ALL, ids=lambda scenario: scenario.name)


class Kind(Struct, frozen=True):
    """`url` is given a folder; `look` opens what can be looked into."""

    host: Host
    url: Callable[[Path], str]
    look: Callable[[str], Any]
    workers: int = 1


def _sqlite(url: str) -> InspectedSqlite:
    path = url.removeprefix("sqlite:///")
    report = sqlite_doctor.examine(path, now=now_ms())
    assert not report.broken, report.broken
    return InspectedSqlite(path)


def _postgres(url: str) -> InspectedPostgres:
    report = postgres_doctor.examine(url, now=now_ms())
    assert not report.broken, report.broken
    return InspectedPostgres(url)


KINDS = {
    "sqlite": Kind("sqlite", lambda folder: f"sqlite:///{folder}/one.db", _sqlite),
    "postgres": Kind("postgres", lambda _: fresh_schema(), _postgres),
    "sqlite, two workers": Kind("sqlite", lambda folder: f"sqlite:///{folder}/two.db", _sqlite, workers=2),
    "postgres, two workers": Kind("postgres", lambda _: fresh_schema(), _postgres, workers=2),
}


@pytest.fixture(scope="module")
def memory() -> Iterator[Stage[EngineHost]]:
    with Stage(EngineHost("memory", "memory://")) as stage:
        yield stage


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = KINDS[request.param]
    return found


@pytest.fixture(scope="module")
def stage(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage[EngineHost]]:
    url = kind.url(tmp_path_factory.mktemp("scenarios"))
    with Stage(EngineHost(kind.host, url, kind.workers), url) as stage:
        yield stage


@each_scenario
def test_a_scenario_comes_to_what_it_says(memory: Stage[EngineHost], scenario: Scenario) -> None:
    check(scenario, memory.play(scenario))


def test_memory_keeps_every_promise(memory: Stage[EngineHost]) -> None:
    played = memory.all_played(ALL)
    assert broken(memory.ask(memory.host.store()), played) == []


@each_scenario
def test_its_facts_are_everywhere_the_same(
    memory: Stage[EngineHost], stage: Stage[EngineHost], scenario: Scenario
) -> None:
    expected, found = memory.play(scenario), stage.play(scenario)
    check(scenario, found)
    told = difference(expected.facts, found.facts, ("memory", stage.host.name))
    assert bool(told) == (stage.host.name in scenario.differs), told


def test_every_store_keeps_every_promise(kind: Kind, stage: Stage[EngineHost]) -> None:
    played = stage.all_played(ALL)
    with closing(kind.look(stage.url)) as store:
        assert broken(store, played) == []


def test_two_workers_share_the_work(kind: Kind, stage: Stage[EngineHost]) -> None:
    stage.all_played(ALL)
    assert all(stage.host.calls), stage.host.calls
    assert len(stage.host.calls) == kind.workers
