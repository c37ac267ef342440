"""The same for many executions: how many it would be is found without going through all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from api.house import GREET, house, run, said
from perdure.runtime.readers import Readers
from perdure.service import bulk
from perdure.service.bulk import Chosen, Preview
from perdure.service.engine import Engine
from service.words import BROKEN, NAP, adding, begun, breaking, running, sequence, waiting

ALL = Chosen()


async def _worked(engine: Engine, times: int) -> list[str]:
    """So many executions have completed."""
    found = [await begun(engine, sequence(1), {"n": 1}) for _ in range(times)]
    for each in found:
        await each.result()
    return [each.id for each in found]


@pytest.fixture
def pages_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "LIMIT_MAX", 2)


@pytest.mark.usefixtures("pages_of_two")
def test_what_makes_no_sense_is_not_gone_through(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    ask = Readers.ask

    async def counted(self: Readers, question: Callable[[Any], Any], organization: str | None = None) -> Any:
        nonlocal asked
        asked += organization is not None
        return await ask(self, question, organization)

    monkeypatch.setattr(Readers, "ask", counted)

    async def scenario() -> None:
        nonlocal asked
        async with adding(Engine(url)) as engine:
            await _worked(engine, 12)
            for action, chosen in (("retry", ALL), ("cancel", ALL), ("cancel", Chosen(status="completed"))):
                asked = 0
                assert await engine.bulk.preview(action, chosen) == Preview(0, more=False, examples=())  # type: ignore[arg-type]
                assert asked <= 3, (action, chosen)

    running(scenario)


@pytest.mark.usefixtures("pages_of_two")
def test_so_many_are_looked_at_and_there_may_be_more(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "LOOKED_AT_MAX", 4)

    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            failed = await begun(engine, BROKEN)
            await failed.ended()
            for _ in range(3):
                await waiting(await begun(engine, NAP))
            found = await engine.bulk.preview("retry", ALL)
            assert (found.matched, found.more) == (1, False)
            for _ in range(3):
                await waiting(await begun(engine, NAP))
            found = await engine.bulk.preview("retry", ALL)
            assert (found.matched, found.more) == (1, True)
            assert [each.id for each in found.examples] == [failed.id]

    running(scenario)


def test_all_that_are_open_are_counted_and_the_newest_told(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "EXAMPLES", 2)
    monkeypatch.setattr(bulk, "COUNT_MAX", 3)

    async def scenario() -> None:
        async with Engine(url) as engine:
            for count, more in ((3, False), (4, True)):
                while len((await engine.executions.list()).items) < count:
                    await waiting(await begun(engine, NAP))
                found = await engine.bulk.preview("cancel", ALL)
                assert (found.matched, found.more) == (3, more)
                newest = (await engine.executions.list(limit=2)).items
                assert [each.id for each in found.examples] == [each.id for each in newest]

    running(scenario)


def test_pages_with_nothing_to_do_are_passed_over_so_many_at_a_time(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with adding(breaking(Engine(url))) as engine:
            failed = await begun(engine, BROKEN)
            await failed.ended()
            await _worked(engine, 6)
            done = await engine.bulk.perform("retry", ALL, limit=2)
            assert [each.execution for each in done.items] == [failed.id]
            assert done.next is None
            monkeypatch.setattr(bulk, "SKIPPED_MAX", 4)
            await failed.ended()
            done = await engine.bulk.perform("retry", ALL, limit=2)
            assert done.items == ()
            done = await engine.bulk.perform("retry", ALL, limit=2, cursor=done.next)
            assert [each.execution for each in done.items] == [failed.id]

    running(scenario)


def test_how_many_there_are_is_looked_at_once() -> None:
    """What is run again is there once more: that does not keep the next page from it."""

    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            await there.engine.workflows.save(GREET)
            for _ in range(2):
                await (await there.engine.executions.start("greet", {"name": "Ada"})).result()
            body: dict[str, Any] = {"action": "rerun", "filter": {"workflow": "greet"}, "limit": 1}
            assert (await client.post("/api/bulk", json={**body, "matched": 1})).status_code == 409
            first = said(await client.post("/api/bulk", json={**body, "matched": 2}))
            second = await client.post("/api/bulk", json={**body, "matched": 2, "cursor": first["next"]})
            assert (second.status_code, said(second)["next"]) == (200, None)
            assert len((await there.engine.executions.list()).items) == 4

    run(scenario())
