"""Generated workflows: every kind of step in shapes that nobody would draw, over crashes and chaos."""

from __future__ import annotations

import os
from collections import Counter
from random import Random

import pytest

from perdure.expressions.language import compile_value
from perdure.model import check
from perdure.model.steps import Work
from perdure.model.workflow import Workflow
from perdure.testing.faults import COMMITS, ChaosWorld, CrashAt, crash_plans, faults
from perdure.testing.generator import INPUT, workflow
from perdure.testing.invariants import violations
from perdure.testing.script import Seeded
from perdure.testing.shrinking import shrink
from perdure.testing.summary import summary
from perdure.testing.world import World
from test_crashes import same_end

MORE = int(os.environ.get("PERDURE_WORLDS", "1"))
PARTS = 24
SHAPES = 10 * MORE
WORLDS = 40 * MORE
PAIRS_MAX = 40


def play(seed: int, world: World) -> World:
    main, *others = workflow(Random(seed))
    for other in others:
        world.store.save(other)
    world.start(main, INPUT)
    world.run()
    return world


def told(seed: int, *more: object) -> str:
    return f"seed {seed} {more or ''}; again: .venv/bin/pytest tests/test_generated.py --seed {seed}"


def ends_the_same_whenever_its_workers_die(seed: int) -> None:
    script = Seeded(seed)
    counted = CrashAt(points=COMMITS)
    undisturbed = play(seed, World(compile_value, script, counted))
    assert violations(undisturbed) == [], told(seed)
    expected = summary(undisturbed)
    for plan in crash_plans(counted.passed, PAIRS_MAX):
        world = play(seed, World(compile_value, script, CrashAt(*plan, points=COMMITS)))
        assert violations(world) == [], told(seed, plan)
        assert same_end(world, expected), told(seed, plan)


def loses_and_doubles_nothing(seed: int) -> None:
    world = ChaosWorld(compile_value, Seeded(seed), seed, workers=1 + seed % 3)
    play(seed, world)
    assert faults(world) == [], told(seed)


@pytest.mark.simulation
@pytest.mark.parametrize("part", range(PARTS))
def test_a_generated_workflow_ends_the_same_whenever_its_workers_die(part: int) -> None:
    for seed in range(part * SHAPES, (part + 1) * SHAPES):
        ends_the_same_whenever_its_workers_die(seed)


@pytest.mark.simulation
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_befalls_a_generated_workflow_nothing_is_lost_and_nothing_is_doubled(part: int) -> None:
    for seed in range(part * WORLDS, (part + 1) * WORLDS):
        loses_and_doubles_nothing(seed)


def test_a_seed_can_be_replayed(seed_number: int) -> None:
    loses_and_doubles_nothing(seed_number)
    ends_the_same_whenever_its_workers_die(seed_number)


def test_what_is_generated_is_valid_and_of_every_kind() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(500):
        for made in workflow(Random(seed)):
            assert check.problems(made) == ()
            kinds.update(type(step.work).__name__ for step in made.steps)
            kinds.update("each" for step in made.steps if step.each is not None)
            kinds.update(name for name in ("chains", "compensations", "cancels", "budget") if getattr(made, name))
    expected = {kind.__name__ for kind in Work.__args__}
    assert expected | {"each", "chains", "compensations", "cancels", "budget"} <= kinds.keys()
    assert min(kinds.values()) >= 20, kinds


def test_a_failing_workflow_is_made_small() -> None:
    def fails(workflows: tuple[Workflow, ...]) -> bool:
        return any(type(step.work).__name__ == "Approval" for step in workflows[0].steps)

    seed = next(
        seed for seed in range(100) if fails(workflow(Random(seed))) and len(workflow(Random(seed))[0].steps) > 6
    )
    (small,) = shrink(workflow(Random(seed)), fails)
    assert len(small.steps) <= 3
    assert fails((small,))
