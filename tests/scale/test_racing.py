"""Many writers to the same few executions, in two processes: no event is lost or counted twice, of those who name the same version
one has their way and the others are told both numbers, and versions have no gap.

With PERDURE_PATIENCE=1 there are 10,000 writes on each database, which is what is promised; without it fewer, and the same must hold.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cli.typing import here
from perdure.service.engine import Engine, Execution
from postgres import fresh_schema
from scale.programs import told
from scale.racers import ANYBODY, COUNTING, TICKING, events_of

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
WRITES = 10_000 if PATIENCE else 400
COUNTERS = 4
PROCESSES = ("ann", "bob")
EVENTS = events_of(WRITES // len(PROCESSES)) * len(PROCESSES)
pytestmark = pytest.mark.simulation


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'flows.db'}" if request.param == "sqlite" else fresh_schema()


async def _begun(url: str) -> list[str]:
    async with Engine(url, works=False) as engine:
        await engine.workflows.save(COUNTING)
        await engine.workflows.save(TICKING)
        given = {"total": EVENTS}
        return [(await engine.executions.start("counting", given)).id for _ in range(COUNTERS)]


async def _histories(url: str) -> dict[str, list[Any]]:
    """Of all executions, what happened in each, in order."""
    async with Engine(url, works=False) as engine:
        cursor, found = None, {}
        while True:
            page = await engine.executions.list(limit=500, cursor=cursor)
            for record in page.items:
                found[record.id] = await _history(await engine.executions.get(record.id))
            cursor = page.next
            if cursor is None:
                return found


async def _history(execution: Execution) -> list[Any]:
    after, entries = 0, list[Any]()
    while True:
        page = await execution.history(after=after, limit=500)
        entries += page.items
        if page.next is None:
            return entries
        after = int(page.next)


def test_of_those_who_name_the_same_version_one_wins_and_no_event_is_lost(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    counters = asyncio.run(_begun(url))
    began = time.perf_counter()
    with ThreadPoolExecutor() as pool:
        each = WRITES // len(PROCESSES)
        said = list(pool.map(lambda name: told("racers.py", url, name, each, *counters), PROCESSES))
    seconds = time.perf_counter() - began
    histories = asyncio.run(_histories(url))
    tally: Counter[str] = sum((Counter(one["told"]) for one in said), Counter())
    won = [(execution, version, by) for one in said for execution, version, by in one["won"]]
    late = sum(entry.kind == "warning" for entries in histories.values() for entry in entries)
    tally["lost only when it was taken in"] = late
    with capsys.disabled():
        print(f"\n{WRITES:,} writes by two processes on {url.partition(':')[0]}, {seconds:.1f} s: {dict(tally)}")

    for execution, entries in histories.items():
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1)), execution
    for counter in counters:
        consumed = [entry.data["event_id"] for entry in histories[counter] if entry.data.get("event_id") is not None]
        assert len(consumed) == len(set(consumed)) == EVENTS, "each event once"
        assert histories[counter][-1].kind == "execution.completed"

    assert max(Counter((execution, version) for execution, version, _ in won).values()) == 1
    effects = {
        (execution, entry.seq - 1, entry.data["by"])
        for execution, entries in histories.items()
        for entry in entries
        if entry.kind in ("execution.retried", "execution.cancelled") and entry.data["by"] != ANYBODY
    }
    assert set(won) == effects, "whoever was told that they won has won, and nobody else"
    for execution, entries in histories.items():
        assert sum(entry.kind == "execution.cancelled" for entry in entries) <= 1, execution
    kinds = {histories[execution][version].kind for execution, version, _ in won}
    assert kinds == {"execution.retried", "execution.cancelled"}
    assert tally["lost"] > tally["won"] == len(won)
    assert tally["event"] + tally["retry"] + tally["cancel"] == WRITES
    doctor = here(capsys, "doctor", "--db", url, "--json")
    assert doctor.object["broken"] == []
