"""Events that come twice, too early, too late and out of order, while the worker that takes them to their executions is killed:
each is taken at most once by an execution, and none is lost.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cli.typing import PERDURE, environment
from hosts.health import assert_healthy as assert_healthy_file
from perdure.core import facts as f
from perdure.model.steps import Compute, EventWait, Route, Step
from perdure.model.workflow import Entry, Workflow
from perdure.service.engine import Engine
from perdure.store.questions import Wanted
from perdure.testing.words import k, obj, x
from postgres import fresh_schema
from workers.crew import assert_healthy

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
FIGURES = {"sqlite": (400, 5_000, 10), "postgres": (400, 5_000, 10) if PATIENCE else (100, 1_000, 3)}
"""Orders, events that are sent, and how often the worker is killed: on Postgres, each time its lease has to run out first."""

AT_ONCE = 50
STAGES = ("paid", "packed", "sent")
SOON = 120.0


def _stage(number: int, *routes: Route) -> Step:
    name = STAGES[number]
    return Step(name, EventWait(k(f"order.{name}"), x("event.payload.order == input.order")), routes)


ORDER = Workflow(
    "order",
    (
        _stage(0, Route(("packed",))),
        _stage(1, Route(("sent",))),
        _stage(2, Route(("all",))),
        Step("all", Compute(obj(**{name: x(f"steps.{name}.output.n") for name in STAGES}))),
    ),
    (Entry("paid"),),
)


def events(chance: Random, orders: int, count: int) -> list[dict[str, Any]]:
    """Each order has one of each kind, which comes several times and in any order; others are for nobody."""
    needed = [
        {"type": f"order.{name}", "id": f"{name}-{order}", "payload": {"order": order, "n": 10 * order + number}}
        for order in range(orders)
        for number, name in enumerate(STAGES)
    ]
    twice = chance.choices(needed, k=count - len(needed) - orders)
    strangers = [{"type": "order.paid", "id": f"x-{n}", "payload": {"order": orders + n}} for n in range(orders)]
    every = [*needed, *twice, *strangers]
    chance.shuffle(every)
    return every


def worker(url: str) -> subprocess.Popen[bytes]:
    more = environment(PERDURE_LEASE_SECONDS="1")
    return subprocess.Popen(
        [PERDURE, "worker", "--db", url], env=more, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


async def send_and_kill(url: str, orders: int, count: int, kills: int) -> dict[str, Any]:
    chance = Random(7)
    async with Engine(url, works=False) as engine:
        await engine.workflows.save(ORDER)
        await asyncio.gather(*(engine.executions.start("order", {"order": n}) for n in range(orders)))
        running, every = worker(url), events(chance, orders, count)
        kill_after = chance.sample(range(0, len(every), AT_ONCE), kills)
        try:
            for first in range(0, len(every), AT_ONCE):
                await engine.events.send_all(every[first : first + AT_ONCE])
                if first in kill_after:
                    running.kill()
                    running.wait()
                    running = worker(url)
                    await asyncio.sleep(
                        chance.random() / 5
                    )  # it is killed while it comes up, or in the middle of its work
            async with asyncio.timeout(SOON):
                while await engine.host.read(lambda store: store.open_count()):  # noqa: ASYNC110  nobody is told
                    await asyncio.sleep(0.05)
        finally:
            running.terminate()
            running.wait()
        return await engine.host.read(_outcome)


def _outcome(store: Any) -> dict[str, Any]:
    """Of each execution: its status, its output, and the events that it has taken."""
    found = store.executions(Wanted("default", 1_000))
    return {each.record.id: (each.record.status, each.record.output, _taken(store, each.record.id)) for each in found}


def _taken(store: Any, execution: str) -> Counter[str]:
    facts = [entry.fact for entry in store.history(execution, 0, 1_000)]
    return Counter(fact.event_id for fact in facts if isinstance(fact, f.StepCompleted) and fact.event_id is not None)


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_each_event_is_taken_once_and_none_is_lost(kind: str, tmp_path: Path) -> None:
    url = fresh_schema() if kind == "postgres" else f"sqlite:///{tmp_path / 'flows.db'}"
    orders, count, kills = FIGURES[kind]
    found = asyncio.run(send_and_kill(url, orders, count, kills))
    assert len(found) == orders
    expected = [
        (
            "completed",
            {name: 10 * order + n for n, name in enumerate(STAGES)},
            {f"{name}-{order}": 1 for name in STAGES},
        )
        for order in range(orders)
    ]
    assert sorted(found.values(), key=lambda each: each[1]["paid"]) == expected
    if kind == "postgres":
        assert_healthy(url)
    else:
        assert_healthy_file(tmp_path / "flows.db")
