"""Parts of a task: called once, given again, in loops and in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from perdure.model.values import Json
from perdure.tasks.checkpoints import Checkpoints, InvalidPart
from perdure.tasks.failing import Abandoned
from perdure.tasks.results import InvalidOutput

SOON = 10


class Kept:
    """Where values are kept, and which."""

    def __init__(self) -> None:
        self.parts: list[tuple[str, int, Json]] = []

    async def __call__(self, name: str, n: int, value: Json) -> None:
        await asyncio.sleep(0)
        self.parts.append((name, n, value))


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def in_an_engine(keep: Any, known: Any = ()) -> Checkpoints:
    return Checkpoints(known, keep, asyncio.get_running_loop())


def test_each_occurrence_of_a_name_is_a_part_of_its_own() -> None:
    keep = Kept()

    async def scenario() -> list[Any]:
        step = in_an_engine(keep)
        return [
            await step.run("page", double, 1),
            await step.run("page", lambda: double(2)),
            await step.run("other", int, "3"),
            await step.run("page", lambda **given: given, x=(1,)),
        ]

    assert asyncio.run(scenario()) == [2, 4, 3, {"x": [1]}]
    assert keep.parts == [("page", 1, 2), ("page", 2, 4), ("other", 1, 3), ("page", 3, {"x": [1]})]


def test_occurrences_are_counted_in_the_order_in_which_they_are_asked_for() -> None:
    async def scenario() -> list[Any]:
        step = in_an_engine(Kept(), [("page", 1, "one"), ("page", 3, "three")])
        first, second, third = (step.run("page", double, number) for number in range(3))
        return [await third, await second, await first]

    assert asyncio.run(scenario()) == ["three", 2, "one"]


def never() -> None:
    raise AssertionError


def test_what_is_known_is_given_again_each_time_as_its_own() -> None:
    value = {"list": [1]}

    async def scenario() -> None:
        step = in_an_engine(Kept(), [("a", 1, value)])
        given = await step.run("a", never)
        assert given == value
        given["list"].append(2)
        assert value == {"list": [1]}

    asyncio.run(scenario())
    given = Checkpoints([("a", 1, value)]).run("a", never)
    assert (given, given is value) == (value, False)


def test_what_a_part_raises_is_raised_and_not_kept() -> None:
    keep = Kept()

    def broken() -> None:
        raise ValueError("no")

    async def scenario() -> int:
        step = in_an_engine(keep)
        with pytest.raises(ValueError, match="no"):
            await step.run("a", broken)
        return int(await step.run("a", double, 1))

    assert asyncio.run(scenario()) == 2
    assert keep.parts == [("a", 2, 2)]


def test_what_is_not_json_cannot_be_kept() -> None:
    with pytest.raises(InvalidOutput, match=r"^run\('a'\) answered with object, which is not JSON"):
        Checkpoints().run("a", object)
    step = Checkpoints()
    step.run("a", int)
    with pytest.raises(InvalidOutput, match=r"^run\('a'\), called for the 2\. time, answered with object"):
        step.run("a", object)


@pytest.mark.parametrize(
    ("name", "function", "said"),
    [
        (double, None, r'needs a name: write run\("charge", function\), not run\(double'),
        ("", double, "needs a name"),
        ("a", 7, "needs a function to call, and was given 7"),
        ("a", None, r"run\('a', function, argument\), without calling it yourself"),
    ],
)
def test_a_part_has_a_name_and_something_to_call(name: Any, function: Any, said: str) -> None:
    with pytest.raises(InvalidPart, match=said):
        Checkpoints().run(name, function)


def test_outside_of_an_engine_parts_are_called_and_nothing_is_kept() -> None:
    assert Checkpoints().run("a", lambda: double(2)) == 4
    assert Checkpoints().run("a", double, 2) == 4

    async def scenario() -> int:
        return int(await Checkpoints().run("a", double, 2))

    assert asyncio.run(scenario()) == 4


def in_a_thread(function: Callable[[Checkpoints], Any], keep: Any, known: Any = ()) -> Any:
    async def scenario() -> Any:
        step = in_an_engine(keep, known)
        return await asyncio.wait_for(asyncio.to_thread(function, step), SOON)

    return asyncio.run(scenario())


def test_in_a_thread_a_part_is_its_value_whatever_the_function_is() -> None:
    keep = Kept()

    def parts(step: Checkpoints) -> Any:
        here = threading.current_thread()
        return [
            step.run("sync", lambda: threading.current_thread() is here),
            step.run("async", double, 2),
            step.run("lambda", lambda: double(3)),
            step.run("known", never),
        ]

    assert in_a_thread(parts, keep, [("known", 1, "k")]) == [True, 4, 6, "k"]
    assert keep.parts == [("sync", 1, True), ("async", 1, 4), ("lambda", 1, 6)]


def test_in_a_loop_of_its_own_in_a_thread_a_part_is_awaited() -> None:
    keep = Kept()

    def parts(step: Checkpoints) -> Any:
        async def inside() -> Any:
            return [await step.run("a", double, 1), await step.run("b", lambda: 3)]

        return asyncio.run(inside())

    assert in_a_thread(parts, keep) == [2, 3]
    assert keep.parts == [("a", 1, 2), ("b", 1, 3)]


def test_a_thread_that_waits_for_a_part_of_an_attempt_that_ends_is_told() -> None:
    waiting = threading.Event()

    async def keep(name: str, n: int, value: Json) -> None:
        waiting.set()
        await asyncio.Event().wait()

    async def scenario() -> None:
        step = in_an_engine(keep)
        call = asyncio.ensure_future(asyncio.to_thread(step.run, "a", int))
        await asyncio.to_thread(waiting.wait, SOON)
        step.close()
        with pytest.raises(Abandoned, match="nobody waits for this attempt"):
            await call
        with pytest.raises(Abandoned):
            await asyncio.to_thread(step.run, "b", int)

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_nothing_is_called_for_an_attempt_that_nobody_waits_for() -> None:
    def heard() -> None:
        raise Abandoned("it is over")

    async def scenario() -> None:
        step = Checkpoints([("known", 1, 7)], Kept(), asyncio.get_running_loop(), heard=heard)
        assert await step.run("known", never) == 7
        with pytest.raises(Abandoned, match="it is over"):
            await step.run("a", never)
        with pytest.raises(Abandoned, match="it is over"):
            await asyncio.to_thread(step.run, "a", never)

    asyncio.run(scenario())
