"""Two processes fire the same schedules, on one file and on Postgres, and are killed and started again all the while: no slot is
started twice, and none is missing.

With PERDURE_PATIENCE=1 there are 10,000 slots; without it fewer, and the same must hold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from perdure.clock import now_ms
from perdure.expressions.times import instant_ms
from perdure.ids import derived
from perdure.model.workflow import Schedule
from perdure.store.versions import built
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema
from schedules.words import ticks

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
SLOTS = 10_000 if PATIENCE else 1_000
SCHEDULES = 4
KILL_SECONDS = 1.0 if PATIENCE else 0.4
SECONDS_MAX = 400 if PATIENCE else 90
HERE = Path(__file__).parent
pytestmark = pytest.mark.simulation


class Process:
    def __init__(self, url: str) -> None:
        found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        more = {"PYTHONPATH": found, "PERDURE_LEASE_SECONDS": "1"}
        command = [sys.executable, str(HERE / "firing.py"), url]
        self.process = subprocess.Popen(command, env=os.environ | more, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "works\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()

    def end(self) -> tuple[int, int]:
        """In order: how often it has fired, and how often it was too late."""
        self.process.terminate()
        said, _ = self.process.communicate(timeout=60)
        words = said.split()  # one that has only just begun is ended by the signal itself, and says nothing
        return (int(words[1]), int(words[3])) if words else (0, 0)


def fire_all(url: str, open_: Callable[[], Any]) -> None:
    """Slots of the past, a second apart, and workers that are killed until all of them are dealt with."""
    each, end = SLOTS // SCHEDULES, now_ms() // 1_000 * 1_000
    first = end - (each - 1) * 1_000
    schedules = [
        Schedule(f"s{n}", every_ms=1_000, end_at=end, catch_up="all", input={"schedule": n}) for n in range(SCHEDULES)
    ]
    chance, kills, began = Random(7), 0, time.monotonic()
    processes = [Process(url), Process(url)]
    with closing(open_()) as store:
        store.keep(built(ticks(*schedules), "default", first - 1))
        while any(row.next_at is not None for row in store.schedules.values()):
            assert time.monotonic() - began < SECONDS_MAX
            time.sleep(chance.uniform(0.05, KILL_SECONDS))
            one = chance.randrange(2)
            processes[one].kill()
            processes[one] = Process(url)
            kills += 1
        while store.ask("SELECT 1 FROM executions WHERE live LIMIT 1"):
            assert time.monotonic() - began < SECONDS_MAX
            time.sleep(0.05)
        told = [process.end() for process in processes]
        seconds = time.monotonic() - began
        facts = store.ask("SELECT id, data FROM history JOIN executions USING (eid) WHERE kind = 'execution.started'")
        statuses = dict(store.ask("SELECT status, count(*) FROM executions GROUP BY status"))
    print(f"{SLOTS} slots, {kills} kills, {seconds:.1f} s; (fired, too late) of those who ended in order: {told}")
    assert kills > 0
    assert statuses == {"completed": each * SCHEDULES}
    slots: Counter[tuple[str, int]] = Counter()
    for execution, data in facts:
        started = decoded(data)
        schedule, slot = started["schedule"], instant_ms(started["slot"])
        assert execution == derived("default", "tick", schedule, slot)
        slots[schedule, slot] += 1
    expected = {(f"s{n}", first + k * 1_000) for n in range(SCHEDULES) for k in range(each)}
    assert set(slots) == expected
    assert set(slots.values()) == {1}


def decoded(data: str) -> dict[str, str]:
    return dict(msgspec.json.decode(data)["trigger_data"])


def test_two_processes_on_one_file(tmp_path: Path) -> None:
    path = tmp_path / "flows.db"
    fire_all(f"sqlite:///{path}", lambda: InspectedSqlite(str(path)))


def test_two_processes_on_postgres() -> None:
    url = fresh_schema()
    fire_all(url, lambda: InspectedPostgres(url, crashes_max=1_000))
