"""Starts over HTTP beside what a bare endpoint does on the same machine, in turns."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from msgspec import Struct

from perdure.service.engine import Engine

TESTS = Path(__file__).parents[1]
CONNECTIONS = 64
DOCUMENT: dict[str, Any] = {
    "name": "kept",
    "nodes": [{"id": "start", "type": "MANUAL_TRIGGER"}],
    "connections": [],
}


class Load(Struct, frozen=True):
    """What came of one round."""

    per_second: float
    p50_ms: float
    p99_ms: float
    count: int
    faults: list[str]


class Measured(Struct, frozen=True):
    """`ratio`: how many starts for each that the bare endpoint takes, the median of the rounds."""

    ours: tuple[Load, ...]
    bare: tuple[Load, ...]

    @property
    def ratio(self) -> float:
        return median(ours.per_second / bare.per_second for ours, bare in zip(self.ours, self.bare, strict=True))


def measured(folder: Path, rounds: int = 3, seconds: float = 3.0) -> Measured:
    url = f"sqlite:///{folder}/flows.db"
    workflow, token = asyncio.run(_ready(url))
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "PERDURE_RATE_PER_MINUTE": "0"}
    body = json.dumps({"workflowId": workflow, "input": {"order": 17, "name": "Ada"}})
    ours, bare = [], []
    with served(url, environment) as port, _bare(folder, environment) as other:
        _load(port, 1.0, body, token, environment)
        _load(other, 1.0, body, "", environment)
        for _ in range(rounds):
            bare.append(_load(other, seconds, body, "", environment))
            ours.append(_load(port, seconds, body, token, environment))
    return Measured(tuple(ours), tuple(bare))


async def _ready(url: str) -> tuple[str, str]:
    engine = Engine(url)
    async with engine:
        saved = await engine.workflows.save(DOCUMENT)
        await engine.members.add("load", roles=["operator"])
        return saved.id, (await engine.keys.create("load")).token


@contextlib.contextmanager
def served(url: str, environment: dict[str, str], port: int = 0) -> Iterator[int]:
    """`perdure serve` in a process of its own; its port."""
    command = [str(Path(sys.executable).parent / "perdure"), "serve", "--port", str(port), "--db", url]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        found = re.search(r"http://\S+:(\d+)", told)
        assert found is not None, told + server.stderr.read()
        try:
            yield int(found.group(1))
        finally:
            server.terminate()
            server.wait(30)


@contextlib.contextmanager
def _bare(folder: Path, environment: dict[str, str]) -> Iterator[int]:
    command = [sys.executable, "-m", "api.bare", str(folder)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.kill()


def _load(port: int, seconds: float, body: str, token: str, environment: dict[str, str]) -> Load:
    command = [sys.executable, "-m", "api.load", str(port), str(CONNECTIONS), str(seconds), body, token]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
    found = Load(**json.loads(ran.stdout))
    assert not found.faults, found.faults
    return found
