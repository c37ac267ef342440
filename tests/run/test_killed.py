"""`perdure run` is killed with `kill -9` at a random moment, and `perdure worker --until-idle` brings it to its end."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from run.words import graph

NODES = Path(__file__).parent / "nodes.py"
PERDURE = (sys.executable, "-m", "perdure")
MOMENTS = 50

ARMS, LONG = 4, 6
"""So many arms, so many nodes in each: with the trigger, the fork, the join and what comes after it there are thirty."""


def thirty_nodes() -> Any:
    """Arms with slow nodes, a wait, a retry and a branch, which meet; then a cycle."""
    nodes: dict[str, Any] = {"fork": ("SET", {"values": {"x": 1}})}
    edges = ["start > fork"]
    for arm in range(ARMS):
        names = [f"a{arm}{place}" for place in range(LONG)]
        nodes.update({name: ("SLOW", {"seconds": 0.02, "set": {name: arm}}) for name in names})
        edges += [f"fork > {names[0]}", *(f"{one} > {other}" for one, other in itertools.pairwise(names))]
        edges.append(f"{names[-1]} > join")
    nodes["a01"] = ("WAIT", {"amount": 0.05, "unit": "seconds"})
    nodes["a12"] = ("FLAKY", {"until": 2, "@retry": {"maxAttempts": 9, "delay": 20, "strategy": "fixed"}})
    nodes["join"] = ("MERGE", {"mode": "combine"})
    nodes["count"] = "COUNT"
    nodes["again"] = ("AGAIN", {"until": 5})
    edges += ["join > count", "count > again", "again.again > count", "again.done > end"]
    return graph("; ".join(edges), nodes, name="thirty", maxNodes=200)


def test_it_has_thirty_nodes() -> None:
    assert len(thirty_nodes()["nodes"]) == 30


def perdure(*arguments: str) -> Any:
    ended = subprocess.run([*PERDURE, *arguments, "--json"], capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in ended.stderr, ended.stderr
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, float]:
    """Its output, and how long it takes."""
    file = tmp_path_factory.mktemp("calm") / "thirty.json"
    file.write_text(json.dumps(thirty_nodes()))
    began = time.monotonic()
    told = perdure("run", str(file), "--tasks", str(NODES))
    assert told["status"] == "completed"
    return told["output"], time.monotonic() - began


@pytest.mark.parametrize("number", range(MOMENTS))
def test_killed_and_continued(number: int, tmp_path: Path, undisturbed: tuple[Any, float]) -> None:
    output, seconds = undisturbed
    file, database = tmp_path / "thirty.json", f"sqlite:///{tmp_path / 'flows.db'}"
    file.write_text(json.dumps(thirty_nodes()))
    command = [*PERDURE, "run", str(file), "--tasks", str(NODES), "--db", database, "--json"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(random.Random(number).uniform(0.3, 1.0) * seconds)
    running.kill()
    running.wait()
    perdure("worker", "--until-idle", "--tasks", str(NODES), "--db", database)
    (*more,) = perdure("executions", "list", "--db", database)["items"]
    assert len(more) <= 1, "nothing is started twice"
    for one in more:  # none, if it was killed before the start was durable: then nobody was told of one
        assert (
            one["status"],
            _attempts_apart(perdure("executions", "show", one["id"], "--db", database)["output"]),
        ) == (
            "completed",
            _attempts_apart(output),
        )


def _attempts_apart(output: dict[str, Any]) -> dict[str, Any]:
    """Which attempt succeeds depends on how many were lost."""
    return {name: value for name, value in output.items() if name != "attempts"}
