"""Random worlds: workers that die or pause at any moment, answers that come late, twice and in any order.

Every world follows from its number: `.venv/bin/pytest tests/test_worlds.py --world 4711` runs that one again.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from lowered import ALL
from lowered.base import play
from perdure.expressions.language import compile_value
from perdure.testing.faults import ChaosWorld, faults

PARTS = 50
WORLDS = 100 * int(os.environ.get("PERDURE_WORLDS", "1"))


def world_of(seed: int) -> ChaosWorld:
    lowered = ALL[seed % len(ALL)]
    world = ChaosWorld(compile_value, lowered.script, seed, workers=1 + seed % 3)
    play(lowered, world, forgiving=True)
    return world


def told(seed: int) -> str:
    again = f".venv/bin/pytest tests/test_worlds.py --world {seed}"
    return f"world {seed}, of {ALL[seed % len(ALL)].name}; again: {again}"


@pytest.mark.simulation
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_befalls_a_world_nothing_is_lost_and_nothing_is_doubled(part: int) -> None:
    befell: Counter[str] = Counter()
    for seed in range(part * WORLDS, (part + 1) * WORLDS):
        world = world_of(seed)
        assert faults(world) == [], told(seed)
        assert "main" in world.acknowledged, told(seed)
        befell["crashes"] += world.crashes
        befell["endless"] += world.endless
    assert befell["crashes"] > WORLDS / 10
    assert befell["endless"] < WORLDS / 10


def test_a_world_can_be_replayed_by_its_number(world_number: int) -> None:
    one, other = world_of(world_number), world_of(world_number)
    histories = [{name: row.facts for name, row in world.store.rows.items()} for world in (one, other)]
    assert histories[0] == histories[1]
    assert faults(one) == []
