"""The workflows of the four dialects on SQLite: they come to what they come to in memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from lowered import ALL
from lowered.base import Lowered, holds, play
from perdure.expressions.language import compile_value
from perdure.testing import World, violations
from perdure.testing.inspected import InspectedSqlite


@pytest.mark.parametrize("lowered", ALL, ids=lambda lowered: lowered.name)
def test_a_lowered_workflow_comes_to_the_same_on_sqlite(lowered: Lowered, tmp_path: Path) -> None:
    store = InspectedSqlite(str(tmp_path / "flows.db"), crashes_max=1_000)
    world = play(lowered, World(compile_value, lowered.script, store=store))
    holds(lowered, world)
    assert violations(world) == []
    store.close()
