"""`perdure run`, killed at any moment, and `perdure worker --until-idle` after it: the same comes out as without.

With PERDURE_PATIENCE=1 at fifty moments; without it at fifteen.
"""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import pytest

from cli.documents import graph
from cli.typing import PERDURE, environment, here, written

NODES, MS_EACH = 30, 10
MOMENTS = 50 if os.environ.get("PERDURE_PATIENCE") == "1" else 15
SEED = 4711
THIRTY = graph(*({"id": f"n{number}", "type": "COUNT"} for number in range(NODES - 1)), name="thirty")
COUNTING = f"""
import asyncio
from perdure import node

@node("COUNT")
async def count(params):
    await asyncio.sleep({MS_EACH / 1_000})
    seen = [*params.context.get("seen", []), params.node_id]
    return {{**params.context, "seen": seen, "total": params.context.get("total", 0) + len(seen)}}
"""


@pytest.mark.simulation
def test_a_run_that_is_killed_at_any_moment_is_carried_on_to_the_same_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks, document = tmp_path / "tasks.py", written(tmp_path, "thirty.json", THIRTY)
    tasks.write_text(COUNTING)
    undisturbed = here(capsys, "run", document, "--tasks", tasks, "--json").object["output"]
    assert len(undisturbed["seen"]) == NODES - 1
    chance = random.Random(SEED)
    unfinished = 0
    for moment in range(MOMENTS):
        database = f"sqlite:///{tmp_path / f'killed{moment}.db'}"
        _kill_run(document, tasks, database, chance.uniform(0, NODES * MS_EACH / 1_000))
        idle = here(capsys, "worker", "--until-idle", "--tasks", tasks, "--db", database, "--json").object
        unfinished += idle["completed"]
        (only,) = here(capsys, "executions", "list", "--db", database, "--json").object["items"]
        assert (only["status"], only["output"]) == ("completed", undisturbed), f"moment {moment}"
        assert here(capsys, "doctor", "--db", database).status == 0
    assert unfinished > MOMENTS // 2, "most were killed before they had ended"


def _kill_run(document: Path, tasks: Path, database: str, seconds: float) -> None:
    """So long after its first step became durable."""
    command = [PERDURE, "run", str(document), "--tasks", str(tasks), "--db", database]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as running:
        assert running.stdout is not None
        assert "start" in running.stdout.readline()
        time.sleep(seconds)
        running.kill()
