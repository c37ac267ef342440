"""The order saga, killed before and after every commit of it, and begun again: it comes to what it would have come to, and no result
is recorded twice.

On SQLite it is killed everywhere. On Postgres, where a lease has to run out each time, in one scene here and there; with
PERDURE_PATIENCE=1 in all of them, everywhere.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest

from hosts.health import assert_healthy, effects_in
from orchestration.scenes import SCENES, Scene
from orchestration.views import comparable, statuses, undoing_of
from postgres import server
from workers.crew import assert_healthy as assert_healthy_on_postgres

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
HERE = Path(__file__).parent
SECONDS_MAX = 600
CASES_MAX = 100
UNDONE_BY = {"charge": "refund", "ship": "recall_parcel"}
LIKE_OTHERS = ("declined", "called off while a letter is shipped, which nobody can call back")
ON_SQLITE = [scene for scene in SCENES if PATIENCE or scene.name not in LIKE_OTHERS]
ON_POSTGRES = [scene for scene in SCENES if PATIENCE or "gift card" in scene.name]
EVERY = 1 if PATIENCE else 5
pytestmark = pytest.mark.simulation


def lives(url: str, folder: Path, scene: Scene, every: int = 1) -> list[dict[str, Any]]:
    """What became of the scene, wherever it was killed; the last was not."""
    found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    ended = subprocess.run(
        [sys.executable, str(HERE / "lives.py"), url, f"{folder}/#", scene.name, "1", str(every)],
        env={**os.environ, "PYTHONPATH": found, "PERDURE_LEASE_SECONDS": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr[-4_000:]
    told = [json.loads(line) for line in ended.stdout.splitlines()]
    assert not told[-1]["killed"]
    assert sum(life["killed"] for life in told) >= 10 // every, "it was hardly killed at all"
    return told


def is_as_it_would_have_been(life: dict[str, Any], calm: dict[str, Any], scene: Scene) -> bool:
    """True, if it is; false, if the attempt that was in flight was lost with its process, so that nobody knows what it has done:
    it is told so, and is not undone; everything else is.
    """
    where, view = f"killed {life['when']} commit {life['number']}", life["view"]
    unknown = (view["compensationState"] or {}).get("unknown")
    if unknown is None:
        assert comparable(view) == comparable(calm), where
        return True
    assert unknown == [scene.called_off], where
    assert scene.undoing is not None
    assert scene.called_off is not None
    plan = [step for step in scene.undoing["plan"] if step != UNDONE_BY[scene.called_off]]
    state = undoing_of(view)
    assert state is not None
    assert (view["status"], state["plan"], state["failed"]) == ("CANCELLED", plan, undone_in_vain(scene, plan)), where
    assert statuses(view) == {**scene.steps, scene.called_off: "FAILED"}, where
    assert view["state"]["steps"][scene.called_off]["error"]["code"] == "UNKNOWN_OUTCOME", where
    return False


def undone_in_vain(scene: Scene, plan: list[str]) -> list[str]:
    return [step for step in (scene.undoing or {"failed": []})["failed"] if step in plan]


def check(told: list[dict[str, Any]], scene: Scene) -> None:
    calm = told[-1]["view"]
    assert (calm["status"], statuses(calm), undoing_of(calm)) == (scene.status, scene.steps, scene.undoing)
    kinds = Counter(is_as_it_would_have_been(life, calm, scene) for life in told)
    print(
        f"{scene.name}: killed {sum(life['killed'] for life in told)} times, {kinds[False]} attempts of unknown outcome"
    )
    assert kinds[True] > 0
    assert kinds[False] == 0 or scene.called_off in UNDONE_BY


@pytest.mark.parametrize("scene", ON_SQLITE, ids=lambda scene: scene.name)
def test_a_saga_that_is_killed_anywhere_comes_to_its_end(scene: Scene, tmp_path: Path) -> None:
    told = lives(f"sqlite:///{tmp_path}/#/flows.db", tmp_path, scene)
    check(told, scene)
    if scene.called_off in UNDONE_BY:
        assert any(life["view"]["compensationState"].get("unknown") for life in told), "no attempt was lost in flight"
    for life in told:
        folder = tmp_path / str(life["case"])
        effects = effects_in(folder / "effects")
        assert_healthy(folder / "flows.db", effects)
        assert max(Counter(key for key, _ in effects).values()) <= 2, "one more call for the attempt that was killed"


@pytest.mark.parametrize("scene", ON_POSTGRES, ids=lambda scene: scene.name)
def test_and_so_does_one_on_postgres(scene: Scene, tmp_path: Path) -> None:
    prefix = f"saga_{os.getpid()}_{SCENES.index(scene)}_"
    with psycopg.connect(server(), autocommit=True) as connection:
        for case in range(CASES_MAX):
            connection.execute(f"CREATE SCHEMA {prefix}{case}")
    url = f"{server()}&options=-csearch_path%3D{prefix}"
    told = lives(f"{url}#", tmp_path, scene, EVERY)
    check(told, scene)
    for life in told:
        assert_healthy_on_postgres(f"{url}{life['case']}")
