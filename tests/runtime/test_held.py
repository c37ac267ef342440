"""What a worker keeps at hand of the executions that it holds: little, however much they hold."""

from __future__ import annotations

import msgspec
import pytest

from perdure.expressions.language import compile_value
from perdure.model.steps import Compute, Route, Step, Task
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import engine
from perdure.testing.invariants import violations
from perdure.testing.script import Fixed, Place, TaskAnswer
from perdure.testing.words import x
from perdure.testing.world import World

HEAVY = "x" * 10_000
STEPS = 30
BYTES = 200_000


class Heavy(Fixed):
    """Each task answers with much."""

    def task(self, place: Place, given: Json) -> TaskAnswer:
        del given
        return TaskAnswer(1, {"step": place.step, "much": HEAVY})


def heavy() -> Workflow:
    """Its end reads what it began with, and what the first and the last step have answered."""
    steps = [Step(f"s{n}", Task("t"), (Route((f"s{n + 1}",)),)) for n in range(STEPS)]
    end = "input.name + steps.s0.output.step + steps.s29.output.step"
    return Workflow("heavy", (*steps, Step(f"s{STEPS}", Compute(x(end)))), (Entry("s0"),))


def at_hand(world: World) -> int:
    """Of those that do nothing at the moment: what has been asked for is there until it is dealt with."""
    held = [one for one in world.workers[0].engine.held.values() if one.under_way is None and one.has_committed]
    return sum(len(msgspec.json.encode(fact)) for one in held for fact in one.values.values())


@pytest.mark.parametrize("much", ["", HEAVY * 100])
def test_of_heavy_facts_few_are_kept_at_hand_and_the_others_are_found_when_they_are_wanted(
    much: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "BYTES_AT_HAND", BYTES)
    world = World(compile_value, Heavy())
    names = [f"e{number}" for number in range(10)]
    for name in names:
        world.start(heavy(), {"name": name, "much": much}, execution=name)
    most = 0
    while world.step():
        most = max(most, at_hand(world))
    assert [world.store.rows[name].record.output for name in names] == [f"{name}s0s29" for name in names]
    assert violations(world) == []
    assert len(HEAVY) < most <= 2 * BYTES, (
        "what is at hand when it is weighed, and what comes until it is weighed again"
    )
