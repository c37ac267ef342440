"""A loop of five thousand items with a body of three steps, as a document writes it: its last ticks cost what its first cost, and
it goes on at any tick after its process was killed.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path
from typing import Any, Final

import pytest

from cli.typing import PERDURE, environment, here, written
from perdure.core.advance import Start
from perdure.dialects import compile as compiled
from perdure.model.workflow import Workflow
from perdure.testing.measure import median_us
from scale.driving import Driven, bytes_written

ITEMS: Final = 5_000
KILLS: Final = 12 if os.environ.get("PERDURE_PATIENCE") == "1" else 4
WINDOW: Final = 500
CALLS_PER_TICK: Final = 2
T0: Final = 1_700_000_000_000
SEED: Final = 8
LOOP: Final[dict[str, Any]] = {
    "name": "five thousand",
    "steps": [
        {
            "stepSlug": "each",
            "stepType": "loop",
            "order": 1,
            "config": {"items": "{{ input.items }}", "maxIterations": ITEMS, "itemVariable": "number"},
            "nextSteps": {"loop": "double", "done": "result"},
        },
        {
            "stepSlug": "double",
            "stepType": "action",
            "order": 2,
            "config": {"type": "double", "parameters": {"n": "{{ number }}"}},
            "nextSteps": {"success": "add"},
        },
        {
            "stepSlug": "add",
            "stepType": "action",
            "order": 3,
            "config": {"type": "set_variables", "parameters": {"sum": "{{ (sum ?? 0) + (lastOutput.data.n ?? 0) }}"}},
            "nextSteps": {"success": "note"},
        },
        {
            "stepSlug": "note",
            "stepType": "action",
            "order": 4,
            "config": {"type": "note", "parameters": {"index": "{{ loop.index }}", "sum": "{{ sum }}"}},
            "nextSteps": {"success": "each"},
        },
        {
            "stepSlug": "result",
            "stepType": "output",
            "order": 5,
            "config": {"mapping": {"sum": "{{ sum }}", "ticks": "{{ loop.state.iterations }}"}},
        },
    ],
}
TASKS: Final = """
from perdure import task

@task("double")
def double(given):
    return {"n": 2 * given["n"]}

@task("note")
def note(given):
    return given["index"]
"""


def _workflow() -> Workflow:
    found = compiled(LOOP)
    assert found.workflow is not None
    return found.workflow


@pytest.mark.flat
def test_the_last_ticks_cost_what_the_first_cost(tmp_path: Path) -> None:
    old, new = _begun(tmp_path / "old.db"), _begun(tmp_path / "new.db")
    bytes_first = _bytes_each(old)
    old.run(CALLS_PER_TICK * (ITEMS - 4 * WINDOW), T0)
    bytes_last = _bytes_each(old)
    for _ in range(WINDOW // 10):
        old.run(10 * CALLS_PER_TICK, T0)
        new.run(10 * CALLS_PER_TICK, T0)
    last, first = (median_us(each.spent_ns[-WINDOW:]) for each in (old, new))
    print(f"\na tick of {ITEMS:,}: {first:.0f} µs a call at first, {last:.0f} at last, ratio {last / first:.2f}")
    print(f"{bytes_first:,.0f} bytes a tick at first, {bytes_last:,.0f} at last")
    assert last <= 1.25 * first
    assert bytes_last <= 1.1 * bytes_first
    old.store.close()
    new.store.close()


def _begun(path: Path) -> Driven:
    driven = Driven(path)
    driven.start(_workflow(), [Start(T0, "main", {"items": list(range(ITEMS))})], T0)
    driven.run(CALLS_PER_TICK * WINDOW, T0)
    return driven


def _bytes_each(driven: Driven) -> float:
    before = bytes_written()
    driven.run(CALLS_PER_TICK * WINDOW, T0)
    return (bytes_written() - before) / WINDOW


@pytest.mark.simulation
def test_it_goes_on_at_any_tick(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document, tasks = written(tmp_path, "loop.json", LOOP), tmp_path / "tasks.py"
    tasks.write_text(TASKS)
    given = written(tmp_path, "input.json", {"items": list(range(ITEMS))})
    database, chance = f"sqlite:///{tmp_path / 'killed.db'}", random.Random(SEED)
    command = [PERDURE, "run", document, "--tasks", tasks, "--db", database, "--input", f"@{given}"]
    for number in range(KILLS):
        _killed([*map(str, command)], chance.uniform(0.05, 0.3))
        if not number:
            command = [PERDURE, "worker", "--until-idle", "--tasks", tasks, "--db", database]
    assert here(capsys, "worker", "--until-idle", "--tasks", tasks, "--db", database, "--json").object["completed"] == 1
    (only,) = here(capsys, "executions", "list", "--db", database, "--json").object["items"]
    total = sum(2 * n for n in range(ITEMS))
    assert (only["status"], only["output"]) == ("completed", {"sum": total, "ticks": ITEMS})
    assert here(capsys, "doctor", "--db", database).status == 0


def _killed(command: list[str], seconds: float) -> None:
    """So long after it has said something."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment()
    ) as running:
        assert running.stdout is not None
        running.stdout.readline()
        time.sleep(seconds)
        running.kill()
