"""Processes that are killed in the middle of whatever they do: nothing is lost, nothing is recorded twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from hosts.victim import COUNT
from perdure.expressions.language import compile_value
from perdure.store.sqlite.doctor import examine
from perdure.testing import World, violations
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.script import Fixed

VICTIM = Path(__file__).parent / "victim.py"
KILLS = 25
LIVES_MAX = 60
LAST = 30
"""Seconds that the last life has."""
TESTS = VICTIM.parent.parent


@pytest.mark.simulation
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_killed_again_and_again_comes_to_its_end(seed: int, tmp_path: Path) -> None:
    random, path, effects = Random(f"kills {seed}"), tmp_path / "flows.db", tmp_path / "effects"
    kills = 0
    for _ in range(LIVES_MAX):
        command = [sys.executable, str(VICTIM), str(path), str(effects)]
        victim = subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert victim.stdout is not None
        assert victim.stdout.readline() == b"begun\n"
        try:
            told, complaint = victim.communicate(timeout=random.uniform(0.001, 0.08) if kills < KILLS else LAST)
        except subprocess.TimeoutExpired:
            victim.kill()
            victim.communicate()
            kills += 1
            continue
        assert (victim.returncode, told) == (0, b"done\n"), complaint.decode()
        break
    else:
        raise AssertionError("it does not come to its end")
    assert kills > KILLS // 2, "it was not killed often enough to say anything"
    check(path, effects)


def check(path: Path, effects: Path) -> None:
    store = InspectedSqlite(str(path), crashes_max=1_000)
    ended = [row for row in store.rows.values() if row.record.status == "completed"]
    assert len(ended) == len(store.rows) == 2 * COUNT
    world = World(compile_value, Fixed(), store=store)
    assert [one for one in violations(world) if ": I4:" not in one] == []
    assert examine(str(path), now=0, crashes_max=1_000).findings == ()
    seen = Counter(effects.read_text().split())
    assert len(seen) == 4 * COUNT, "every piece of work was done, under its own key"
    store.close()
