"""A worker that dies at any commit, before or after it, once or twice, changes nothing in how a workflow ends."""

from __future__ import annotations

from typing import Any

import pytest

from lowered import ALL
from lowered.base import Lowered, run
from perdure.core.facts import StepLost
from perdure.testing.faults import EVERYWHERE, CrashAt, crash_plans
from perdure.testing.invariants import violations
from perdure.testing.summary import summary
from perdure.testing.world import World

PAIRS_MAX = 60


@pytest.mark.simulation
@pytest.mark.parametrize("lowered", ALL, ids=lambda lowered: lowered.name)
def test_a_lowered_workflow_ends_the_same_whenever_its_workers_die(lowered: Lowered) -> None:
    undisturbed = run(lowered)
    assert violations(undisturbed) == []
    expected = summary(undisturbed)
    counted = CrashAt(points=EVERYWHERE)
    run(lowered, counted)
    for plan in crash_plans(counted.passed, PAIRS_MAX):
        world = run(lowered, CrashAt(*plan, points=EVERYWHERE))
        assert world.crashes, plan
        assert violations(world) == [], plan
        assert same_end(world, expected), plan


def same_end(world: World, expected: list[Any]) -> bool:
    """The same summary. Or an attempt was lost while the execution settled: then its end is unknown, by the semantics,
    and is listed as such; what was undone may differ by that, and nothing else.
    """
    found = summary(world)
    lost = any(isinstance(fact, StepLost) and fact.final for row in world.store.rows.values() for fact in row.facts)
    if not lost:
        return found == expected
    assert any(account["undone"]["unknown"] for _, account in found if account["undone"])
    return [_without_undoing(account) for _, account in found] == [_without_undoing(account) for _, account in expected]


def _without_undoing(account: dict[str, Any]) -> dict[str, Any]:
    return {name: account[name] for name in ("workflow", "status", "output", "error", "failed_steps")}
