"""Nodes that are killed in the middle of their parts: what was kept is not done again, and all later attempts see the same."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hosts.health import assert_healthy
from hosts.parts import NODES, PARTS
from hosts.processes import finished, started

SECONDS_MAX = 120
KILLS = 25


def effects(folder: Path) -> list[tuple[str, str, int, str]]:
    lines = (line.split() for line in (folder / "effects").read_text().splitlines())
    return [(kind, node, int(part), token) for kind, node, part, token in lines]


def came_to(folder: Path, seed: str, kills: int) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(finished(started("parts.py", folder, seed, kills), SECONDS_MAX)[-1])
    assert_healthy(folder / "flows.db")
    return told


def test_killed_after_each_part_every_part_is_called_once(tmp_path: Path) -> None:
    """Each life gets one part further than the one before."""
    told = came_to(tmp_path, "after", 2 * PARTS)
    assert told["lives"] == ["killed"] * (2 * PARTS)
    calls = Counter((node, part) for kind, node, part, _ in effects(tmp_path) if kind == "called")
    assert calls == {(f"{node}:0", part): 1 for node in NODES for part in range(PARTS)}


@pytest.mark.simulation
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment_no_part_is_called_again_after_it_was_kept(seed: int, tmp_path: Path) -> None:
    """A kill between the effect and its being kept has it called again; then the value is that of the last call."""
    told = came_to(tmp_path, str(seed), KILLS)
    assert "killed" in told["lives"]
    kept: dict[tuple[str, int], str] = {}
    for kind, node, part, token in effects(tmp_path):
        if kind == "called":
            assert (node, part) not in kept
        else:
            assert kept.setdefault((node, part), token) == token
    assert told["outputs"] == [
        {node: [kept[f"{node}:{number}", part] for part in range(PARTS)] for node in NODES}
        for number in range(1 + 2 * KILLS)
    ]
