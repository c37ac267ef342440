"""One execution starts ten thousand others with a trigger, and its worker is killed three times on the way: each is started once."""

from __future__ import annotations

import asyncio
import json
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from cli.typing import PERDURE, environment, perdure
from perdure.service.engine import Engine

CHILDREN = 10_000
KILLED_AT = (0.05, 0.35, 0.7)
"""When so many of them have been started."""
SECONDS_MAX = 300
MEMORY_MAX_MB = 120
"""So much more than a worker without work a worker may take."""

TASKS = Path(__file__).parent / "fan_tasks.py"
CHILD = {
    "name": "one",
    "steps": [[{"name": "work", "tool": {"connectionId": "fan", "toolName": "work"}, "input": {"n": "@input.n"}}]],
}
PARENT = {
    "name": "many",
    "steps": [[{"name": "list", "tool": {"connectionId": "fan", "toolName": "list"}}]],
    "triggers": [
        {
            "workflowId": "one",
            "forEach": "@output.items",
            "inputs": {"n": "@item.n", "text": "@item.text, number @index of @output.batch"},
        }
    ],
}
pytestmark = pytest.mark.simulation


@pytest.fixture
def file(tmp_path: Path) -> Path:
    for document in (CHILD, PARENT):
        path = tmp_path / f"{document['name']}.json"
        path.write_text(json.dumps(document))
        saved = perdure("workflows", "save", path, "--tasks", TASKS, "--db", f"sqlite:///{tmp_path}/fan.db")
        assert saved.status == 0, saved.err
    return tmp_path / "fan.db"


def worker(file: Path, *more: str) -> subprocess.Popen[bytes]:
    command = [PERDURE, "worker", "--db", f"sqlite:///{file}", "--tasks", str(TASKS), *more]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen(command, env=environment(FAN_FOLDER=str(file.parent)), **quiet)  # type: ignore[call-overload,no-any-return]


def asked(file: Path, question: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30) as connection:
        return connection.execute(question).fetchall()


def started(file: Path) -> int:
    ((count,),) = asked(file, "SELECT count(*) FROM executions WHERE parent IS NOT NULL")
    assert isinstance(count, int)
    return count


def _are_started(file: Path, share: float) -> bool:
    return started(file) >= share * CHILDREN


def memory_mb(pid: int) -> float:
    """The most that it has had at once."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1_024 for line in lines if line.startswith("VmHWM"))


def until(condition: Callable[[], bool], what: str) -> None:
    ends_at = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < ends_at, what
        time.sleep(0.01)


def test_a_fan_out_whose_worker_is_killed_starts_each_once(file: Path) -> None:
    idle = worker(file)
    time.sleep(2)
    empty = memory_mb(idle.pid)
    idle.terminate()
    idle.wait()
    url = f"sqlite:///{file}"
    asyncio.run(_start(url))
    at = time.monotonic()
    for share in KILLED_AT:
        victim = worker(file)
        until(partial(_are_started, file, share), f"{share} were to be started")
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        assert started(file) < CHILDREN, "it was to be killed on the way"
    last = worker(file)
    until(lambda: _completed(file) == CHILDREN + 1, "all were to be completed")
    took, most = time.monotonic() - at, memory_mb(last.pid)
    last.terminate()
    last.wait()
    _assert_each_once(file)
    print(
        f"\n{CHILDREN:,} started and completed in {took:.0f} s over three kills; {most:.0f} MB at most, {empty:.0f} MB without work"
    )
    assert most < empty + MEMORY_MAX_MB
    assert perdure("doctor", "--db", url).status == 0


async def _start(url: str) -> None:
    async with Engine(url, works=False) as engine:
        await engine.executions.start("many", {"count": CHILDREN})


def _completed(file: Path) -> int:
    ((count,),) = asked(file, "SELECT count(*) FROM executions WHERE status = 'completed'")
    assert isinstance(count, int)
    return count


def _assert_each_once(file: Path) -> None:
    url = f"sqlite:///{file}"
    ((parent,),) = asked(file, "SELECT id FROM executions WHERE parent IS NULL")
    children = {id_ for (id_,) in asked(file, f"SELECT id FROM executions WHERE parent = '{parent}'")}
    assert len(children) == CHILDREN
    shown = json.loads(perdure("executions", "show", str(parent), "--view", "--json", "--db", url).out)["view"]
    assert shown["triggerStatus"] == "triggered"
    assert len(shown["triggeredExecutionIds"]) == CHILDREN
    assert set(shown["triggeredExecutionIds"]) == children
    calls = Counter(
        int(line) for each in file.parent.iterdir() if each.name.isdigit() for line in each.read_text().splitlines()
    )
    assert set(calls) == set(range(CHILDREN))
    ended = asked(file, "SELECT output FROM executions WHERE parent IS NOT NULL")
    assert Counter(json.loads(str(output))["did"] for (output,) in ended) == Counter(range(CHILDREN))
