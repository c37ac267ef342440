"""Organizations take turns, and none has all the children."""

from __future__ import annotations

import asyncio
import time
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from perdure.tasks.sandbox import Sandbox
from perdure.tasks.sandbox.turns import Turns
from sandbox.words import outcome, using

ENDLESS = "const $default = () => { for (;;); }"
NATIVE = "const $default = () => new Array(2 ** 32 - 1).join('').length"


class Call(NamedTuple):
    organization: str
    number: int


def test_who_comes_again_waits_for_those_who_have_not_had_their_turn() -> None:
    turns = Turns[Call](3)
    calls = [Call(who, number) for number, who in enumerate("aaabbc")]
    for call in calls:
        turns.add(call)
    assert [turns.next() for _ in range(6)] == [calls[at] for at in (0, 3, 5, 1, 4, 2)]


def test_one_organization_has_at_most_so_many() -> None:
    turns = Turns[Call](2)
    for number in range(4):
        turns.add(Call("a", number))
    first, second = turns.next(), turns.next()
    assert first is not None
    assert second is not None
    assert turns.next() is None
    turns.add(Call("b", 9))
    assert turns.startable == 1
    assert turns.next() == Call("b", 9)
    turns.ended(first)
    assert turns.next() == Call("a", 2)


def test_what_has_to_be_done_again_is_next() -> None:
    turns = Turns[Call](2)
    for call in (Call("a", 1), Call("a", 2), Call("b", 3)):
        turns.add(call)
    lost = turns.next()
    assert lost == Call("a", 1)
    turns.ended(lost)
    turns.add_first(lost)
    assert [turns.next(), turns.next(), turns.next()] == [Call("a", 1), Call("b", 3), Call("a", 2)]


@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["add", "next", "end", "remove"])), max_size=60),
)
def test_whatever_happens_each_runs_once_and_nobody_has_too_many(most: int, steps: list[tuple[str, str]]) -> None:
    turns = Turns[Call](most)
    waiting: list[Call] = []
    running: list[Call] = []
    for number, (who, what) in enumerate(steps):
        if what == "add":
            waiting.append(Call(who, number))
            turns.add(waiting[-1])
        elif what == "next":
            call = turns.next()
            able = {each.organization for each in waiting if _count(running, each.organization) < most}
            assert (call is not None) == bool(able)
            if call is not None:
                assert call.organization in able
                assert call == next(each for each in waiting if each.organization == call.organization)
                waiting.remove(call)
                running.append(call)
        elif what == "end" and running:
            turns.ended(running.pop(0))
        elif what == "remove" and waiting:
            turns.remove(waiting.pop())
        assert turns.startable == sum(
            min(_count(waiting, each), most - _count(running, each)) for each in {call.organization for call in waiting}
        )
    assert sorted(turns.clear()) == sorted(waiting)


def _count(calls: list[Call], organization: str) -> int:
    return sum(call.organization == organization for call in calls)


def test_an_organization_that_floods_does_not_keep_another_waiting() -> None:
    """However long its transforms take, and whether they can be interrupted or not."""

    async def flooded(made: Sandbox) -> list[float]:
        await outcome(made, "const $default = () => 1")
        codes = [ENDLESS, NATIVE] * 10
        flood = [asyncio.create_task(made.run(code, None, organization="loud", timeout_ms=10_000)) for code in codes]
        spent = []
        for number in range(50):
            began = time.monotonic()
            ran = await made.run("const $default = (n) => n", number, organization="quiet", timeout_ms=10_000)
            spent.append(time.monotonic() - began)
            assert ran.value == number
        assert not any(call.done() for call in flood)
        for call in flood:
            call.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
        return spent

    for children in (2, 3):
        spent = sorted(using(flooded, children))
        print(f"\n{children} children: median {spent[25] * 1_000:.2f} ms, worst {spent[-1] * 1_000:.0f} ms")
        assert spent[-1] < 2


def test_one_organization_alone_has_as_many_children_as_there_are_cores() -> None:
    async def counted(made: Sandbox) -> int:
        calls = [asyncio.create_task(outcome(made, ENDLESS, timeout_ms=500)) for _ in range(6)]
        most = 0
        while not any(call.done() for call in calls):
            await asyncio.sleep(0.01)
            most = max(most, sum(call is not None for call in made._children.values()))
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        return most

    assert using(counted, 4) == 3
