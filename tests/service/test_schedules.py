"""Schedules through the service: listed, told, paused and resumed, on every store."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.model.steps import Compute, Step
from perdure.model.values import Constant
from perdure.model.workflow import Entry, Schedule, Workflow
from perdure.service.engine import Engine
from perdure.service.errors import Ambiguous, Conflict, NotFound, Refused
from perdure.service.schedules import ScheduleView
from perdure.store.versions import built

SOON = 20
HOUR_MS, DAY_MS = 3_600_000, 86_400_000
DAILY = Schedule("clock", cron="30 2 * * *", timezone="Europe/Berlin")


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def flow(*schedules: Schedule, name: str = "nightly") -> Workflow:
    return Workflow(name, (Step("a", Compute(Constant(1))),), (Entry("a"),), schedules=schedules)


def graph(**data: Any) -> dict[str, Any]:
    trigger = {"id": "clock", "type": "SCHEDULE_TRIGGER", "data": data}
    return {"name": "nightly report", "nodes": [trigger], "connections": []}


async def one(engine: Engine, organization: str = "default") -> ScheduleView:
    (found,) = (await engine.schedules.list(organization=organization)).items
    return found


def test_what_is_saved_is_listed_by_its_workflow(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            saved = await engine.workflows.save(graph(schedule="30 2 * * *", timezone="Europe/Berlin"))
            found = await one(engine)
            assert (found.id, found.workflow_id, found.name) == (f"{saved.id}/clock", saved.id, "nightly report")
            assert found.schedule == DAILY
            assert found.next_at is not None
            assert now_ms() < found.next_at <= now_ms() + DAY_MS + 3_600_000
            for ref in (found.id, saved.id, "nightly report", "nightly report/clock"):
                assert await engine.schedules.get(ref) == found

    run(scenario())


def test_the_next_times_are_told(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(flow(DAILY, Schedule("ended", cron="@daily", end_at=5)))
            found = await engine.schedules.get("nightly/clock")
            times = await engine.schedules.next("nightly/clock", count=3)
            assert times[0] == found.next_at
            assert len(times) == 3
            assert all(22 * 3_600_000 <= b - a <= 26 * 3_600_000 for a, b in pairwise(times))
            later = await engine.schedules.next("nightly/clock", count=2, after=times[0])
            assert later == times[1:]
            assert await engine.schedules.next("nightly/ended") == ()
            for count in (0, 1_001):
                with pytest.raises(Conflict, match="1 to 1000 times"):
                    await engine.schedules.next("nightly/clock", count=count)

    run(scenario())


def test_pausing_and_resuming_is_kept_and_audited(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(flow(DAILY))
            assert (await engine.schedules.pause("nightly", actor="ann")).paused
            assert (await engine.schedules.pause("nightly", actor="bob")).paused
            assert not (await engine.schedules.resume("nightly", actor="eve")).paused
            entries = await engine.host.read(lambda store: store.audit("default", None, 10))
            told = [(entry.action, entry.subject, entry.by) for entry in entries]
            assert told == [
                ("schedule.resumed", "nightly/clock", "eve"),
                ("schedule.paused", "nightly/clock", "ann"),
                ("workflow.saved", "nightly", "program"),
            ]

    run(scenario())


def test_what_is_not_there_is_told_with_what_may_be_meant(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(flow(DAILY))
            await engine.workflows.save(flow(name="plain"))
            await engine.workflows.save(flow(DAILY, Schedule("other", every_ms=60_000), name="several"))
            with pytest.raises(NotFound, match="did you mean 'nightly/clock'"):
                await engine.schedules.get("nightly/clok")
            with pytest.raises(NotFound, match="`perdure schedules list` shows"):
                await engine.schedules.get("x")
            with pytest.raises(NotFound, match="'plain' has no schedule in its active version"):
                await engine.schedules.pause("plain")
            with pytest.raises(Ambiguous, match="several/clock, several/other; name one"):
                await engine.schedules.next("several")
            with pytest.raises(NotFound):
                await engine.schedules.get("nightly", organization="acme")

    run(scenario())


def test_pages(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            await engine.workflows.save(flow(*(Schedule(f"s{n}", every_ms=DAY_MS) for n in range(5))))
            first = await engine.schedules.list(limit=3)
            rest = await engine.schedules.list(limit=3, cursor=first.next)
            ids = [found.schedule.id for found in (*first.items, *rest.items)]
            assert (ids, rest.next) == ([f"s{n}" for n in range(5)], None)

    run(scenario())


def test_a_workflow_with_an_unsound_schedule_is_refused(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            with pytest.raises(Refused, match="it has not five fields"):
                await engine.workflows.save(flow(Schedule("s", cron="x")))
            with pytest.raises(Refused, match="did you mean 'Europe/Berlin'"):
                await engine.workflows.save(graph(schedule="@daily", timezone="Europe/Berln"))
            assert (await engine.schedules.list()).items == ()

    run(scenario())


def test_a_slot_that_was_missed_starts_an_execution_of_the_active_version(url: str) -> None:
    """Saved some hours ago, it is due at once; nobody waits here for time to pass."""

    async def scenario() -> None:
        async with Engine(url) as engine:
            model = flow(Schedule("hourly", every_ms=HOUR_MS, input={"n": 1}))
            await engine.host.shell.ask(lambda store: store.keep(built(model, "default", now_ms() - 5 * HOUR_MS)))
            while not (page := await engine.executions.list()).items:  # noqa: ASYNC110  a worker takes it up
                await asyncio.sleep(0.01)
            (record,) = page.items
            found = await one(engine)
            assert (found.last_execution, record.trigger) == (record.id, "schedule")
            assert await (await engine.executions.get(record.id)).result() == 1
            assert found.last_slot is not None
            assert now_ms() - HOUR_MS <= found.last_slot <= now_ms()
            assert found.next_at == found.last_slot + HOUR_MS

    run(scenario())


def test_whoever_is_told_to_work_until_idle_does_not_wait_for_the_next_slot(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url) as engine:
            model = flow(Schedule("hourly", every_ms=HOUR_MS))
            await engine.host.shell.ask(lambda store: store.keep(built(model, "default", now_ms() - 2 * HOUR_MS)))
            assert (await engine.run_until_idle()).completed == 1

    run(scenario())


def test_who_only_looks_fires_nothing(sql_url: str) -> None:
    async def scenario() -> None:
        async with Engine(sql_url, works=False) as engine:
            model = flow(Schedule("often", every_ms=60_000))
            await engine.host.shell.ask(lambda store: store.keep(built(model, "default", now_ms() - 3_600_000)))
            for _ in range(10):
                await engine.host.shell.ask(lambda _: None)
            assert (await engine.executions.list()).items == ()

    run(scenario())
