"""An event, a look back or a slot that cannot be stored: it alone is set aside, said, and can be taken up again."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.core.values import Consumed, Known, Ref
from perdure.model.records import EventRecord
from perdure.model.steps import EventWait, Step, Task
from perdure.model.workflow import Entry, EventStart, Schedule, Workflow
from perdure.runtime import ports
from perdure.service.engine import Engine
from perdure.service.errors import Conflict, Forbidden, NotFound
from perdure.store import port as p
from perdure.store.postgres.doctor import examine as examine_postgres
from perdure.store.sqlite.doctor import examine as examine_sqlite
from perdure.testing.words import k, x
from poison.injection import MARKER, SOON, Fault, break_postgres, break_sqlite, mend, until
from postgres import fresh_schema

STARTED = Workflow(
    "started", (Step("a", Task("echo", x("input"))),), (Entry("a"),), starts=(EventStart("order", input=x("event")),)
)
WAITS = Workflow("waits", (Step("a", EventWait(k("paid"), lookback=True)),), (Entry("a"),))
STORES = pytest.mark.parametrize("kept", ["sqlite", "postgres"])


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


def url_of(kept: str, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/flows.db" if kept == "sqlite" else fresh_schema()


def engine_on(url: str) -> tuple[Engine, list[Any]]:
    engine, given = Engine(url), list[Any]()

    @engine.task("echo")
    async def echo(value: Any) -> Any:
        given.append(value["payload"] if isinstance(value, dict) else value)
        return value

    return engine, given


async def break_table(kept: str, engine: Engine, table: str, column: str) -> None:
    if kept == "sqlite":
        await break_sqlite(engine, Fault(lambda: ValueError("injected")), table, column)
    else:
        await break_postgres(engine, "22021", table=table, column=column)


async def by_hand(engine: Engine, sql: str) -> None:
    def change(store: Any) -> None:
        (store.connection if hasattr(store, "connection") else store.connected()).execute(sql)

    await engine.host.shell.ask(change)


def broken(kept: str, url: str, tmp_path: Path) -> set[str]:
    report = examine_sqlite(f"{tmp_path}/flows.db", now=1) if kept == "sqlite" else examine_postgres(url, now=1)
    return {finding.complaint.check for finding in report.broken}


def attention(kept: str, url: str, tmp_path: Path) -> set[str]:
    report = examine_sqlite(f"{tmp_path}/flows.db", now=1) if kept == "sqlite" else examine_postgres(url, now=1)
    return {finding.complaint.check for finding in report.attention}


@STORES
def test_an_event_whose_start_cannot_be_stored_is_declined_and_can_be_routed_again(kept: str, tmp_path: Path) -> None:
    url = url_of(kept, tmp_path)
    engine, given = engine_on(url)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(STARTED)
            await break_table(kept, engine, "executions", "start")
            bad = await engine.publish("order", MARKER)
            for number in range(20):
                await engine.publish("order", number)

            async def is_declined() -> bool:
                return (await engine.events.get(bad)).state == "declined"

            await until(is_declined)

            async def are_started() -> bool:
                return sorted(given) == list(range(20))

            await until(are_started)
            seen = await engine.events.get(bad)
            assert seen.reason is not None
            assert "injected" in seen.reason
            assert not seen.routed
            listed = {each.event.id: each for each in (await engine.events.list(type="order")).items}
            assert (listed[bad].state, listed[bad].reason) == ("declined", seen.reason)
            assert {each.state for id_, each in listed.items() if id_ != bad} == {"routed"}
            (entry,) = [each for each in (await engine.audit.list()).items if each.action == "event.declined"]
            assert (entry.subject, entry.by, entry.details) == (bad, "system", {"reason": seen.reason})
            assert engine.host.shell.counts.declined == 1
            await mend(engine, "executions")
            await engine.events.reroute(bad)

            async def is_started() -> bool:
                return MARKER in given

            await until(is_started)
            assert (await engine.events.get(bad)).state == "routed"
            assert "event.rerouted" in {each.action for each in (await engine.audit.list()).items}
            with pytest.raises(Conflict, match="was not declined"):
                await engine.events.reroute(bad)
            with pytest.raises(NotFound):
                await engine.events.reroute("nothing")
            await engine.members.add("vic", roles=("viewer",))
            with pytest.raises(Forbidden):
                await engine.events.reroute(bad, actor="vic")

    run(scenario())
    assert not broken(kept, url, tmp_path)


@STORES
def test_an_event_that_cannot_be_read_is_declined_and_those_behind_it_are_routed(kept: str, tmp_path: Path) -> None:
    """It is at the head of all, and would be met again by every look and after every restart."""
    url = url_of(kept, tmp_path)
    engine, given = engine_on(url)

    async def unrouted() -> None:
        async with Engine(url, works=False) as idle:
            await idle.workflows.save(STARTED)
            bad = EventRecord("bad", "order", now_ms(), "will be damaged")
            await idle.host.shell.commit(p.Publish(bad))
            await by_hand(idle, "UPDATE events SET data = '{' WHERE id = 'bad'")
            await idle.publish("order", "good")

    async def scenario() -> None:
        async with engine:

            async def is_started() -> bool:
                return given == ["good"]

            await until(is_started)

            async def is_declined() -> bool:
                return engine.host.shell.counts.declined == 1

            await until(is_declined)
            await engine.publish("order", "after it")

            async def goes_on() -> bool:
                return given == ["good", "after it"]

            await until(goes_on)
            bad = await engine.events.get("bad")
            assert (bad.event.type, bad.state) == ("order", "declined")
            assert [seen.event.id for seen in (await engine.events.list()).items][-1] == "bad"

    run(unrouted())
    run(scenario())
    assert broken(kept, url, tmp_path) == {"unreadable_rows"}
    assert "declined_events" in attention(kept, url, tmp_path)


@STORES
def test_an_event_that_cannot_be_delivered_is_declined_and_the_next_one_is_delivered(kept: str, tmp_path: Path) -> None:
    url = url_of(kept, tmp_path)
    engine, _ = engine_on(url)

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(
                Workflow("third", (Step("a", EventWait(k("paid"), condition=x("event.payload >= 3"))),), (Entry("a"),))
            )
            execution = await engine.executions.start("third")
            await break_table(kept, engine, "inbox", "data")
            for number in (1, MARKER, 2, 3):
                await engine.publish("paid", number)
            assert await execution.result() == 3
            states = {each.event.data: each.state for each in (await engine.events.list(type="paid")).items}
            assert states == {1: "routed", MARKER: "declined", 2: "routed", 3: "routed"}

    run(scenario())


@STORES
def test_a_look_back_is_split_until_only_the_event_at_fault_is_left_out(kept: str, tmp_path: Path) -> None:
    url = url_of(kept, tmp_path)
    engine, _ = engine_on(url)

    async def before() -> None:
        """The execution is there, and nobody works: the events come before its wait is open."""
        async with Engine(url, works=False) as idle:
            await idle.workflows.save(
                Workflow(
                    "waits",
                    (Step("a", EventWait(k("paid"), condition=x("event.payload >= 3"), lookback=True)),),
                    (Entry("a"),),
                )
            )
            await idle.executions.start("waits", idempotency_key="one")
            for number in (1, MARKER, 2, 3):
                await idle.publish("paid", number)

    async def scenario() -> None:
        async with engine:
            await break_table(kept, engine, "inbox", "data")
            execution = await engine.executions.start("waits", idempotency_key="one")
            assert await execution.result() == 3
            assert engine.trouble is None

    run(before())
    run(scenario())


@STORES
def test_a_slot_whose_start_cannot_be_stored_is_left_out_and_told(kept: str, tmp_path: Path) -> None:
    url = url_of(kept, tmp_path)
    engine, given = engine_on(url)
    every = Workflow(
        "often",
        (Step("a", Task("echo", x("input"))),),
        (Entry("a"),),
        schedules=(Schedule("bad", every_ms=1_000, input=MARKER), Schedule("good", every_ms=1_000, input="good")),
    )

    async def scenario() -> None:
        async with engine:
            await break_table(kept, engine, "executions", "start")
            await engine.workflows.save(every)

            async def has_moved_on() -> bool:
                rejected = [each for each in (await engine.triggers.list()).items if each.outcome == "rejected"]
                return given.count("good") >= 2 and sum(each.times for each in rejected) >= 2

            await until(has_moved_on)
            (found, *_) = [each for each in (await engine.triggers.list()).items if each.outcome == "rejected"]
            assert found.subject == "often/bad"
            assert "injected" in (found.reason or "")
            assert MARKER not in given

    run(scenario())


def test_a_name_that_postgres_cannot_hold_is_the_name_of_nothing() -> None:
    engine, _ = engine_on(fresh_schema())

    async def scenario() -> None:
        async with engine:
            await engine.workflows.save(WAITS)
            execution = await engine.executions.start("waits")
            writer = engine.host.shell._writer
            refs: frozenset[Ref] = frozenset({Known("a\0b"), Consumed("c\0d"), 1})
            query = ports.FetchValues(execution.id, 1, refs)
            fetched = await engine.host.shell.ask(lambda _: writer._fetch(query))
            assert isinstance(fetched, ports.Fetched)
            assert fetched.failure is None
            assert (fetched.values[Known("a\0b")], fetched.values[Consumed("c\0d")]) == ("", False)
            assert fetched.values[1] is not None

    run(scenario())


@STORES
def test_task_names_that_cannot_be_stored_do_not_end_a_worker(kept: str, tmp_path: Path) -> None:
    engine, given = engine_on(url_of(kept, tmp_path))

    async def scenario() -> None:
        async with engine:
            shell = engine.host.shell
            outcome = await shell.commit(p.Beat(shell.worker, now_ms() + 60_000, ("a\ud800", "b\0")))
            assert outcome == p.Committed()
            await engine.workflows.save(STARTED)
            await engine.publish("order", 1)

            async def is_started() -> bool:
                return given == [1]

            await until(is_started)

    run(scenario())
