"""Workers as processes of their own, and what can be said of the database that they work on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from perdure.expressions.language import compile_value
from perdure.testing import World, violations
from perdure.testing.inspected_postgres import InspectedPostgres
from perdure.testing.script import Fixed

HERE = Path(__file__).parent
SOON = 60.0


class Worker:
    def __init__(self, url: str, lease_seconds: float) -> None:
        found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        more = {"PYTHONPATH": found, "PERDURE_LEASE_SECONDS": str(lease_seconds)}
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), url], env=os.environ | more, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.name = self.process.stdout.readline().split()[1]

    def send(self, signal: int) -> None:
        self.process.send_signal(signal)

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> int:
        """In order; how often it was refused."""
        self.process.terminate()
        said, _ = self.process.communicate(timeout=SOON)
        return int(said.split()[-1])


@contextmanager
def asking(url: str) -> Iterator[Callable[..., list[Any]]]:
    with psycopg.connect(url, autocommit=True) as connection:
        yield lambda sql, *given: connection.execute(sql, given).fetchall()


def until(what: Callable[[], bool], seconds: float) -> float:
    """How long it took."""
    began = time.monotonic()
    while not what():
        assert time.monotonic() - began < seconds, f"not within {seconds} seconds"
        time.sleep(0.01)
    return time.monotonic() - began


def assert_healthy(url: str) -> None:
    """The invariants, but for what was seen outside."""
    store = InspectedPostgres(url, crashes_max=1_000)
    found = violations(World(compile_value, Fixed(), store=store))
    assert [one for one in found if ": I4:" not in one] == []
    store.close()
