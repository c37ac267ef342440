"""A crowd of orchestrations, each started by an event of its own and resumed by another, on three processes and one Postgres: every
event comes to the one that it is for, once.

With PERDURE_PATIENCE=1 there are fifty thousand of them, which is what is promised; without it five hundred. The server of Postgres
is one of its own, which syncs every commit and looks after its tables by itself, as one that people use.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest

from cli.typing import PERDURE, environment, perdure
from perdure.service.engine import Engine
from postgres import start, stop
from workers.crew import asking

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
CROWD = 50_000 if PATIENCE else 500
AT_ONCE = 500
WORKERS = 3
SECONDS_MAX = 1_800 if PATIENCE else 120
LOOK_SECONDS = 1.0 if PATIENCE else 0.1
"""To count so many is work for the server, too."""

TASKS = Path(__file__).parent / "crowd_tasks.py"
DOCUMENT = {
    "id": "crowd",
    "name": "Crowd",
    "version": "1.0.0",
    "triggers": [{"eventPattern": "order.placed", "correlationKey": "order"}],
    "steps": [
        {
            "stepId": "await_payment",
            "type": "EVENT_WAIT",
            "eventPattern": "order.paid",
            "eventCondition": "event.payload.order === workflow.input.order",
            "eventTimeout": {"duration": "P3D", "timeoutHandlerStepId": "give_up"},
            "eventPayloadMapping": {"amount": "amount"},
            "transitions": {"default": "ship"},
        },
        {
            "stepId": "ship",
            "type": "TASK",
            "taskId": "crowd.ship",
            "input": {"order": "${workflow.input.order}", "paid": "${variables.amount}"},
        },
        {"stepId": "give_up", "type": "TASK", "taskId": "crowd.ship", "input": {"order": "nobody paid", "paid": 0}},
    ],
}
BY_STATUS = "SELECT status, count(*) FROM executions GROUP BY status"
pytestmark = pytest.mark.simulation


@pytest.fixture
def url() -> Iterator[str]:
    with TemporaryDirectory(
        prefix="perdure-", ignore_cleanup_errors=True
    ) as made:  # the path of a socket is a short one
        folder = Path(made)
        folder.chmod(0o755)
        start(folder / "data", folder, "-c autovacuum=on")
        yield f"postgresql://postgres@/postgres?host={folder}"
        stop(folder / "data", "immediate")


@pytest.fixture
def workers(url: str, tmp_path: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    command = [PERDURE, "worker", "--db", url, "--tasks", str(TASKS)]
    with ExitStack() as stack:
        crew = [
            stack.enter_context(
                subprocess.Popen(
                    command,
                    env=environment(CROWD_FOLDER=str(tmp_path)),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            for _ in range(WORKERS)
        ]
        yield crew
        for worker in crew:
            worker.terminate()


def placed(order: int) -> dict[str, Any]:
    return {"type": "order.placed", "id": f"placed-{order}", "payload": {"order": order}}


def paid(order: int) -> dict[str, Any]:
    return {"type": "order.paid", "id": f"paid-{order}", "payload": {"order": order, "amount": 2 * order}}


async def send(url: str, events: list[dict[str, Any]]) -> int:
    """How many were new. Every tenth comes twice, as what is sent over a network does."""
    twice = [event for number, event in enumerate(events) if number % 10 == 0]
    created = 0
    async with Engine(url, works=False) as engine:
        for batch in (*_batches(events), *_batches(twice)):
            created += sum(sent.created for sent in await engine.events.send_all(batch))
    return created


def _batches(events: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    for first in range(0, len(events), AT_ONCE):
        yield events[first : first + AT_ONCE]


def test_every_event_of_a_crowd_comes_to_the_one_that_it_is_for(
    url: str, workers: list[subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    asyncio.run(_save(url))
    began = time.monotonic()
    assert asyncio.run(send(url, [placed(order) for order in range(CROWD)])) == CROWD
    sent = time.monotonic()
    with asking(url) as ask:
        _until_all_are(ask, "waiting")
        waiting = time.monotonic()
        assert asyncio.run(send(url, [paid(order) for order in reversed(range(CROWD))])) == CROWD
        paid_at = time.monotonic()
        _until_all_are(ask, "completed")
        ended = time.monotonic()
        assert all(worker.poll() is None for worker in workers)
        _assert_exact(ask, tmp_path)
    print(
        f"\n{CROWD:,} events sent in {sent - began:.0f} s, all wait after {waiting - began:.0f} s; {CROWD:,} more sent in "
        f"{paid_at - waiting:.0f} s, all have completed after {ended - waiting:.0f} s; {ended - began:.0f} s in all"
    )
    assert perdure("doctor", "--db", url).status == 0


def _until_all_are(ask: Any, status: str) -> None:
    ends_at = time.monotonic() + SECONDS_MAX
    while (found := dict(ask(BY_STATUS))) != {status: CROWD}:
        assert time.monotonic() < ends_at, found
        time.sleep(LOOK_SECONDS)


async def _save(url: str) -> None:
    async with Engine(url, works=False) as engine:
        saved = await engine.workflows.save(msgspec.json.encode(DOCUMENT))
        assert saved.id == "crowd"


def _assert_exact(ask: Any, calls: Path) -> None:
    """Started once each, resumed by its own event, shipped once; and no event is left."""
    rows = ask("SELECT correlation_id, output, id FROM executions")
    outputs = {order: msgspec.json.decode(output) for order, output, _ in rows}
    assert len(rows) == len(outputs) == CROWD
    assert outputs == {str(order): {"shipped": order, "paid": 2 * order} for order in range(CROWD)}
    taken = Counter(event for (event,) in ask("SELECT event FROM consumed"))
    assert taken == Counter(f"{kind}-{order}" for kind in ("placed", "paid") for order in range(CROWD))
    shipped = Counter(line for file in calls.iterdir() for line in file.read_text().split())
    assert shipped == Counter(map(str, range(CROWD)))
    assert ask("SELECT count(*) FROM events WHERE NOT routed AND starts_with(type, 'order.')") == [(0,)]
    assert ask("SELECT type, count(*) FROM events WHERE starts_with(type, 'order.') GROUP BY type ORDER BY type") == [
        ("order.paid", CROWD),
        ("order.placed", CROWD),
    ]
