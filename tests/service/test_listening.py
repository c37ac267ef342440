"""Listening: nobody is waited for, nobody misses anything, and nobody hears of others."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from perdure.clock import now_ms
from perdure.hosts.embedded import Host
from perdure.service.engine import Engine
from perdure.service.listening import Listening
from perdure.service.telling import TYPES
from service.listeners import Ear, Heard, Room, encoded, room
from service.words import adding, begun, running, sequence


def _ids(heard: list[Heard]) -> list[int | None]:
    return [one.place for one in heard]


async def _all(there: Room, organization: str = "default") -> list[Heard]:
    """All that has happened."""
    ear = await there.ear(organization, after=0)
    await ear.until("live")
    ear.leave()
    return ear.told


async def _worked(there: Room, times: int, organization: str = "default", name: str = "sequence") -> None:
    """So many executions have run to their ends."""
    await there.engine.workflows.save(sequence(2, name), organization)
    started = [await there.engine.executions.start(name, {"n": 1}, organization=organization) for _ in range(times)]
    await asyncio.gather(*(each.result() for each in started))


@pytest.mark.parametrize("page", [4, 500])
def test_whoever_comes_back_with_a_place_is_told_what_came_after_it(
    url: str, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("perdure.service.listening.PAGE", page)

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            await _worked(there, 3)
            whole = await _all(there)
            assert len(whole) == 18
            for number in (0, 7, 17):
                ear = await there.ear(after=whole[number].place)
                assert (await ear.until("live"))[:-1] == whole[number + 1 :]
                ear.leave()

    running(scenario)


def test_what_was_missed_is_told_before_what_comes_and_nothing_twice(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            ear = await there.ear(after=0)
            working = asyncio.gather(*(_worked(there, 5, name=f"w{number}") for number in range(3)))
            late: list[Ear] = []
            while not working.done():
                late.append(await there.ear(after=0))
                await late[-1].take(0)
            await working
            whole = await _all(there)
            for each in (ear, *late):
                await each.until("execution.completed", 15)
                assert each.told == whole

    running(scenario)


def test_whoever_joins_while_others_work_misses_nothing_in_any_organization(url: str) -> None:
    """Organizations in which nobody listened before come in at any moment."""
    chance = random.Random(11)

    async def one(there: Room, organization: str, first: asyncio.Event) -> None:
        if chance.random() < 0.5:
            first.set()
        else:
            await first.wait()
        working = asyncio.create_task(_worked(there, 3, organization))
        for _ in range(chance.randrange(20)):
            await asyncio.sleep(0)
        ear = await there.ear(organization, after=0)
        await ear.until("execution.completed", 3)
        await working
        assert ear.told == await _all(there, organization)
        assert len(ear.told) == 18
        ear.leave()

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            first = asyncio.Event()
            first.set()
            await asyncio.gather(*(one(there, f"org-{number}", first) for number in range(8)))

    running(scenario)


class Late:
    """A host whose answers can be kept back: what is asked is asked late."""

    def __init__(self, host: Host) -> None:
        self._host, self.shell, self.on_published = host, self, host.on_published
        self.waits, self.may_go_on = asyncio.Event(), asyncio.Event()
        self.may_go_on.set()

    async def read(self, question: Callable[[Any], Any]) -> Any:  # as a shell
        if not self.may_go_on.is_set():
            self.waits.set()
            await self.may_go_on.wait()
        return await self._host.read(question)


def test_whoever_joins_while_the_history_is_being_asked_misses_nothing(url: str) -> None:
    """It had been asked for those who listened then, and nobody of this organization did."""

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            late: Any = Late(there.engine.host)
            there.listening = Listening(late, encoded)
            acme = await there.ear("acme")
            late.may_go_on.clear()
            await late.waits.wait()
            globex = await there.ear("globex")
            await _worked(there, 1, "globex")
            await _worked(there, 1, "acme")
            late.may_go_on.set()
            await acme.until("execution.completed")
            await globex.until("execution.completed")
            assert (len(acme.told), len(globex.told)) == (6, 6)
            await there.listening.close()

    running(scenario)


def test_nobody_hears_of_another_organization(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            acme, globex = await there.ear("acme"), await there.ear("globex", after=0)
            await globex.until("live")
            await _worked(there, 2, "acme")
            await acme.until("execution.completed", 2)
            await globex.take(0)
            assert globex.told == await _all(there, "globex") == []
            assert len(await _all(there, "acme")) == len(acme.told) == 12

    running(scenario)


def test_only_what_is_wanted_is_told_also_of_what_was_missed(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            first = await begun(there.engine, sequence(2, "first"), {"n": 1})
            await first.result()
            wanted: tuple[dict[str, Any], ...] = (
                {"types": frozenset({"step.completed", "execution.failed"})},
                {"workflow": "first"},
                {"execution": first.id},
                {"workflow": "second", "execution": first.id},
            )
            ears = [await there.ear(after=0, **each) for each in wanted]
            ears += [await there.ear(**each) for each in wanted]
            await _worked(there, 1, name="second")
            everything = await there.ear(after=0)
            await everything.until("execution.completed", 2)
            for ear in ears:
                while not ear.heard or (ear.heard[-1].place or 0) < (everything.told[-1].place or 0):
                    await ear.take(0)
            whole = everything.told
            steps = [one for one in whole if one.type == "step.completed"]
            of_first = [one for one in whole if one.data["workflow"] == "first"]
            assert [ear.told for ear in ears[:4]] == [steps, of_first, of_first, []]
            assert [ear.told for ear in ears[4:]] == [steps[2:], [], [], []]

    running(scenario)


def test_who_is_too_slow_is_told_so_and_the_others_go_on(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.service.listener.QUEUE_MAX", 20)

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            quick, slow = await there.ear(), await there.ear()
            await slow.until("live")
            for _ in range(4):
                await _worked(there, 1)
                await quick.until("execution.completed", quick.types.count("execution.completed") + 1)
            await slow.take()
            assert slow.types == ["live", "dropped"]
            await slow.take()
            assert slow.is_over
            place = slow.heard[-1].place
            assert slow.heard[-1].data == {"place": str(place)}
            back = await there.ear(after=place)
            await back.until("live")
            assert back.told == quick.told
            assert len(quick.told) == 24

    running(scenario)


def test_who_takes_large_things_too_slowly_is_dropped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.service.listener.QUEUE_BYTES_MAX", 500)

    async def scenario() -> None:
        async with room(adding(Engine())) as there:
            ear = await there.ear()
            await ear.until("live")
            await _worked(there, 1)
            while not ear.is_over:
                await ear.take()
            assert ear.types[-1] == "dropped"

    running(scenario)


def test_what_was_missed_and_forgotten_is_a_gap(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            await _worked(there, 2)
            whole = await _all(there)
            await _worked(there, 1, "globex")
            assert await there.engine.host.shell.ask(lambda store: store.forget(now_ms() + 1, 100))
            ear = await there.ear(after=whole[2].place)
            await ear.until("live")
            gap, live = ear.heard
            assert (gap.type, gap.place, live.type) == ("gap", None, "live")
            assert gap.data == {"after": str(whole[2].place), "place": str(whole[-1].place)}
            for after, organization in ((whole[-1].place, "default"), (0, "globex")):
                other = await there.ear(organization, after=after)
                assert "gap" not in [one.type for one in await other.until("live")]

    running(scenario)


def test_a_place_that_there_is_not_yet_is_a_gap_and_it_goes_on_from_now(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            await _worked(there, 1)
            ear = await there.ear(after=1 << 62)
            assert [one.type for one in await ear.take()] == ["gap", "live"]
            await _worked(there, 1)
            await ear.until("execution.completed")
            assert len(ear.told) == 6

    running(scenario)


def test_who_hears_nothing_for_a_while_is_told_how_far_it_is(url: str) -> None:
    """So that it need not go through all that again, should it have to come back."""

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            ear, other = await there.ear("globex"), await there.ear()
            (begun_,) = await ear.take()
            await _worked(there, 1)
            await other.until("execution.completed")
            (live,) = await ear.take(0.0)
            assert live.type == "live"
            assert (live.place or 0) >= (other.told[-1].place or 0) > (begun_.place or 0)
            assert await ear.take(0.0) == []

    running(scenario)


def test_who_is_far_behind_is_told_how_far_it_is_and_goes_on_from_there(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it is through, a proxy may cut the stream: whoever comes back does not begin anew."""
    for store in ("memory", "sql"):
        monkeypatch.setattr(f"perdure.store.{store}.feed.LOOKED_AT", 4)

    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            await _worked(there, 3)
            await _worked(there, 1, "globex")
            whole, place, comings = await _all(there, "globex"), 0, 0
            heard: list[Heard] = []
            while "live" not in [one.type for one in heard]:
                ear = await there.ear("globex", after=place)
                (*_, last) = await ear.take(0.0)
                ear.leave()
                heard, comings = heard + ear.heard, comings + 1
                assert (last.place or 0) > place
                assert last.type != "behind" or last.data == {"place": str(last.place)}
                place = last.place or 0
            assert comings > 4
            assert [one for one in heard if one.type not in ("live", "behind")] == whole

    running(scenario)


def test_nobody_is_followed_for_while_nobody_listens(url: str) -> None:
    async def scenario() -> None:
        async with room(adding(Engine(url))) as there:
            for _ in range(2):
                ears = [await there.ear(), await there.ear(after=0)]
                begun = len(there.engine.on_published)
                assert begun == 1
                for ear in ears:
                    ear.leave()
                while there.engine.on_published:  # noqa: ASYNC110  it ends by itself
                    await asyncio.sleep(0)
                await _worked(there, 1)

    running(scenario)


def test_at_the_end_everybody_is_told_that_it_is_over() -> None:
    async def scenario() -> None:
        async with room(adding(Engine())) as there:
            ears = [await there.ear(), await there.ear(after=0)]
            waiting = asyncio.gather(*(_until_over(ear) for ear in ears))
            await there.listening.close()
            await waiting

    running(scenario)


async def _until_over(ear: Ear) -> None:
    while not ear.is_over:
        await ear.take()


def test_an_event_costs_no_more_where_many_do_not_want_it() -> None:
    """Those who listen to something else are not even looked at: it is counted, not timed."""

    async def scenario() -> None:
        async with room(adding(Engine())) as there:
            others = [await there.ear("globex", execution=f"e{number}") for number in range(300)]
            others += [await there.ear(types=frozenset({"execution.failed"})) for _ in range(300)]
            ear = await there.ear(types=frozenset(TYPES))
            for each in others:
                await each.take()
                each.listener.put = None  # type: ignore[assignment,method-assign]
            await _worked(there, 2)
            await ear.until("execution.completed", 2)
            assert len(ear.told) == 12

    running(scenario)
