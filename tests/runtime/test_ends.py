"""Who waits for the end of an execution hears of it: from this worker, or from what others have written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.errors import PerdureError, UnknownExecution
from perdure.model.records import ExecutionRecord
from perdure.runtime import ends as looking
from perdure.runtime.ends import Ends
from perdure.store.memory import MemoryStore
from perdure.store.port import Unavailable
from store.words import ANN, T0, advance, fact, held, one, running

SOON = 10
"""Seconds, after which a test gives up. None of them waits for time to pass."""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "LOOK_SECONDS", 0.001)


class Asked:
    """A store in memory that is asked as the shell asks it, and may be in trouble."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.trouble = 0
        self.asked = 0

    async def __call__(self, question: Callable[[Any], Any], /) -> Any:
        self.asked += 1
        await asyncio.sleep(0)
        if self.trouble:
            self.trouble -= 1
            raise Unavailable("no room")
        return question(self.store)


def ended(execution: str = "e1") -> ExecutionRecord:
    return running(execution, 1, status="completed", live=False, output=42, ended_at=T0)


def end(store: MemoryStore, execution: str = "e1") -> None:
    """It ends in the hands of another worker."""
    one(store, advance(fact(), execution=execution, record=ended(execution), release=True))


def run(scenario: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scenario, SOON))


async def waits(ends: Ends, execution: str = "e1", *, passes_here: bool = False) -> asyncio.Task[ExecutionRecord]:
    """Somebody who waits by now."""
    waiting = asyncio.create_task(ends.wait(execution, passes_here=passes_here))
    for _ in range(5):
        await asyncio.sleep(0)
    return waiting


def test_an_end_that_passes_here_is_told_to_all_who_wait_for_it() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        waiting = [await waits(ends, passes_here=True) for _ in range(3)]
        other = await waits(ends, "e2", passes_here=True)
        ends.ended(ended())
        assert await asyncio.gather(*waiting) == [ended()] * 3
        assert not other.done()
        other.cancel()

    run(scenario())


def test_an_end_that_nobody_waits_for_is_nobodys() -> None:
    async def scenario() -> None:
        Ends(Asked(), 0).ended(ended())

    run(scenario())


def test_what_has_ended_long_ago_is_told_at_once() -> None:
    async def scenario() -> None:
        asked = Asked()
        held(asked.store)
        end(asked.store)
        assert (await Ends(asked, 0).wait("e1", passes_here=False)).output == 42

    run(scenario())


def test_what_is_not_there_is_told_at_once() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        with pytest.raises(UnknownExecution, match="there is no execution 'e1'"):
            await ends.wait("e1", passes_here=False)

    run(scenario())


def test_what_is_not_there_is_told_to_all_who_ask_for_it_at_once() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        told = await asyncio.gather(*(ends.wait("e1", passes_here=False) for _ in range(3)), return_exceptions=True)
        assert [type(one) for one in told] == [UnknownExecution] * 3

    run(scenario())


def test_who_is_told_that_there_is_none_does_not_take_along_who_waits_for_it() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        in_time = await waits(ends, passes_here=True)
        with pytest.raises(UnknownExecution):
            await ends.wait("e1", passes_here=False)
        ends.ended(ended())
        assert await in_time == ended()

    run(scenario())


def test_nothing_is_left_of_somebody_who_no_longer_waits() -> None:
    async def scenario() -> None:
        asked = Asked()
        held(asked.store)
        ends = Ends(asked, 0)
        waiting = await waits(ends)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        asked.trouble = 1
        with pytest.raises(Unavailable):
            await ends.wait("e1", passes_here=False)
        assert ends._waiting == {}

    run(scenario())


def test_an_end_in_other_hands_is_found_in_the_history() -> None:
    async def scenario() -> None:
        asked = Asked()
        ends = Ends(asked, asked.store.ends_after(None)[0])
        held(asked.store, owner=ANN)
        ends.start()
        waiting = await waits(ends)
        assert not waiting.done()
        end(asked.store)
        assert (await waiting).output == 42
        await ends.stop()

    run(scenario())


def test_it_is_hardly_looked_while_nobody_waits_and_at_once_when_somebody_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "IDLE_SECONDS", 1_000)

    async def scenario() -> None:
        asked = Asked()
        ends = Ends(asked, asked.store.ends_after(None)[0])
        held(asked.store)
        ends.start()
        for _ in range(2):
            await asyncio.sleep(0.01)
            before = asked.asked
            await asyncio.sleep(0.02)
            assert asked.asked == before
            gone = await waits(ends)
            gone.cancel()
        waiting = await waits(ends)
        end(asked.store)
        assert (await waiting).output == 42
        await ends.stop()

    run(scenario())


def test_a_store_in_trouble_is_asked_again() -> None:
    async def scenario() -> None:
        asked = Asked()
        ends = Ends(asked, 0)
        held(asked.store)
        waiting = await waits(ends)
        asked.trouble = 3
        ends.start()
        end(asked.store)
        assert (await waiting).output == 42
        assert asked.trouble == 0
        await ends.stop()

    run(scenario())


def test_an_end_between_the_question_and_the_answer_is_not_missed() -> None:
    async def scenario() -> None:
        asked = Asked()
        held(asked.store)
        ends = Ends(asked, 0)
        waiting = asyncio.create_task(ends.wait("e1", passes_here=False))
        await asyncio.sleep(0)
        end(asked.store)
        ends.ended(ended())
        assert (await waiting).output == 42

    run(scenario())


def test_somebody_who_no_longer_waits_hinders_nobody() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        gone, stays = [await waits(ends, passes_here=True) for _ in range(2)]
        gone.cancel()
        await asyncio.sleep(0)
        ends.ended(ended())
        assert await stays == ended()

    run(scenario())


def test_who_waits_when_it_is_over_is_told_why() -> None:
    async def scenario() -> None:
        ends = Ends(Asked(), 0)
        waiting = [await waits(ends, execution, passes_here=True) for execution in ("e1", "e2")]
        ends.fail(PerdureError("enough"))
        for one_of_them in waiting:
            with pytest.raises(PerdureError, match="enough"):
                await one_of_them

    run(scenario())


def test_an_execution_that_goes_on_after_its_end_is_not_told_as_ended() -> None:
    async def scenario() -> None:
        asked = Asked()
        held(asked.store)
        one(asked.store, advance(fact(), record=ended()))
        again = replace(ended(), status="running", live=True, output=None, ended_at=None, seq=2)
        one(asked.store, advance(fact(), after=1, record=again))
        ends = Ends(asked, 0)
        ends.start()
        waiting = await waits(ends)
        for _ in range(3):
            seen = asked.asked
            while asked.asked == seen:  # noqa: ASYNC110  it is the store that is asked
                await asyncio.sleep(0.001)
        assert not waiting.done()
        waiting.cancel()
        await ends.stop()

    run(scenario())
