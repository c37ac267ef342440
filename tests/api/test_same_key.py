"""One key from many processes at once is one execution, on one server and on two that share a database."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from api.house import database
from api.measuring import TESTS, served
from api.test_killed import _ready
from perdure.service.engine import Engine

PROCESSES = 8
COUNT = 10_000 if os.environ.get("PERDURE_PATIENCE") else 800


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_one_key_from_eight_processes_is_one_execution(kind: str, tmp_path: Path) -> None:
    url = database(tmp_path, kind)
    token = asyncio.run(_ready(url))
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PERDURE_RATE_PER_MINUTE": "0"}
    with served(url, environment) as one, served(url, environment) as other:
        clients = [
            subprocess.Popen(
                [sys.executable, "-m", "api.same_key", str((one, other)[number % 2]), token, str(COUNT // PROCESSES)],
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for number in range(PROCESSES)
        ]
        told = [json.loads(client.communicate(timeout=600)[0]) for client in clients]
    ids = {id_ for each in told for id_ in each["ids"]}
    assert len(ids) == 1
    assert {status for each in told for status in each["statuses"]} == {201}
    found = asyncio.run(_executions(url))
    assert found == sorted(ids)


async def _executions(url: str) -> list[str]:
    engine = Engine(url, works=False)
    async with engine:
        return sorted(each.id for each in (await engine.executions.list()).items)
