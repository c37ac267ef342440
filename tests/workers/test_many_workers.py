"""Several workers on one Postgres: they are killed, stopped in the middle of a write, cut off from the database; nothing is lost and
nothing is recorded twice.

With PERDURE_PATIENCE=1 the figures are those that are promised: leases of ten seconds, a minute of killing. Without it they are
smaller, and the same must hold.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from threading import Barrier, Event, Thread
from typing import Any

import msgspec
import pytest

from perdure.core.commands import OpenWait
from perdure.service.engine import Engine
from perdure.store import port as p
from perdure.store.postgres.store import PostgresStore
from postgres import fresh_schema, start, stop
from store.words import ANN, T0, advance, event, fact, pending, running
from workers.crew import Worker, asking, assert_healthy, until
from workers.flows import FLOWS

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
LEASE_SECONDS = 10.0 if PATIENCE else 1.0
EXECUTIONS = 2_000 if PATIENCE else 150
KILLS, KILL_EVERY = (30, 2.0) if PATIENCE else (3, 0.5)
TAKE_OVER_SECONDS = LEASE_SECONDS + (1 if PATIENCE else 5)
"""Where the lease is short, what a busy machine takes is long beside it."""

AT_ONCE = 50 if PATIENCE else 25
ZOMBIES = 30 if PATIENCE else 3
pytestmark = pytest.mark.simulation

AWAY_SECONDS = 60.0 if PATIENCE else 3.0
BACK_SECONDS = 5.0

TAKEN_OVER = "SELECT count(*) FROM executions WHERE owner = %s"
OPEN = "SELECT count(*) FROM executions WHERE live"


async def begin(url: str, numbers: range) -> None:
    """Start so many, and leave it to others to run them."""
    async with Engine(url, works=False) as engine:
        for flow in FLOWS:
            await engine.workflows.save(flow)
        await asyncio.gather(
            *(engine.executions.start(("order", "round")[n % 2], {"n": n}, idempotency_key=f"n{n}") for n in numbers)
        )


def expected(n: int) -> Any:
    """What number `n` comes to."""
    if n % 2:
        return 30 + n
    return {"packed": [2, 4, 6], "billed": 11, "even": True}


def outcomes(url: str) -> dict[str, Any]:
    with asking(url) as ask:
        found = ask("SELECT key, status, output FROM executions JOIN idempotency ON execution = id")
    return {key: (status, output) for key, status, output in found}


def assert_all_ended(url: str, numbers: range) -> None:
    found = outcomes(url)
    assert len(found) == len(numbers)
    for n in numbers:
        status, output = found[f"n{n}"]
        assert (status, msgspec.json.decode(output)) == ("completed", expected(n)), n
    assert_healthy(url)


def test_workers_that_are_killed_lose_nothing_and_are_soon_replaced() -> None:
    url, numbers = fresh_schema(), range(EXECUTIONS)
    chance, taken_over = Random(1), []
    crew = [Worker(url, LEASE_SECONDS) for _ in range(3)]
    asyncio.run(begin(url, numbers[: EXECUTIONS // 2]))
    rest = iter([range(first, first + AT_ONCE) for first in range(EXECUTIONS // 2, EXECUTIONS, AT_ONCE)])
    with asking(url) as ask:
        victims: dict[str, float] = {}
        for _ in range(KILLS):
            asyncio.run(begin(url, next(rest, range(0))))
            victim = crew.pop(chance.randrange(len(crew)))
            victim.kill()
            victims[victim.name] = time.monotonic()
            crew.append(Worker(url, LEASE_SECONDS))
            until_next = time.monotonic() + KILL_EVERY
            while time.monotonic() < until_next:
                taken_over += gone(ask, victims)
                time.sleep(0.01)
        for numbers_left in rest:
            asyncio.run(begin(url, numbers_left))
        ends_at = time.monotonic() + TAKE_OVER_SECONDS + 5
        while victims and time.monotonic() < ends_at:
            taken_over += gone(ask, victims)
            time.sleep(0.01)
        assert victims == {}
        until(lambda: ask(OPEN)[0][0] == 0, 180)
    for worker in crew:
        worker.end()
    print(f"{len(taken_over)} killed, what each had was taken over within {max(taken_over):.1f} s at most")
    assert max(taken_over) <= TAKE_OVER_SECONDS
    assert_all_ended(url, numbers)


def gone(ask: Any, victims: dict[str, float]) -> list[float]:
    """How long it took until nothing was in the hands of those that were killed."""
    done = [name for name in victims if ask(TAKEN_OVER, name)[0][0] == 0]
    return [time.monotonic() - victims.pop(name) for name in done]


def test_a_worker_that_was_stopped_for_longer_than_its_lease_is_refused() -> None:
    url, refused = fresh_schema(), 0
    chance, batches = Random(2), count()
    crew = [Worker(url, LEASE_SECONDS) for _ in range(2)]
    with asking(url) as ask:
        for number in range(ZOMBIES):
            zombie = Worker(url, LEASE_SECONDS)
            held = 0
            while not held:  # the others may have been quicker; it goes on, and there is more to do
                zombie.send(signal.SIGCONT)
                first = next(batches) * 40
                asyncio.run(begin(url, range(first, first + 40)))
                time.sleep(chance.random() / 50)
                zombie.send(signal.SIGSTOP)
                held = ask(TAKEN_OVER, zombie.name)[0][0]
            until(lambda name=zombie.name: ask(TAKEN_OVER, name)[0][0] == 0, TAKE_OVER_SECONDS + 5)  # type: ignore[misc]
            zombie.send(signal.SIGCONT)
            told = zombie.end()
            refused += told
            print(f"zombie {number}: held {held}, refused {told}")
        until(lambda: ask(OPEN)[0][0] == 0, 180)
    for worker in crew:
        worker.end()
    assert refused > 0
    assert_all_ended(url, range(next(batches) * 40))


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the user that the server runs as gets to: what is in the folders of a run of tests is for one's own eyes."""
    with TemporaryDirectory(prefix="perdure-postgres-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o755)
        yield Path(made)


@pytest.mark.parametrize("says_all", [True, False], ids=["has not heard the answer", "has not said all"])
def test_a_worker_that_stops_in_the_middle_of_what_it_says_is_cut_off(says_all: bool) -> None:
    """To the server it is not idle, and its transaction would hold for as long as the worker is stopped."""
    url, lease_ms = fresh_schema(), 1_000
    zombie, other = (PostgresStore(url, lease_ms=lease_ms) for _ in range(2))
    zombie.commit([p.Create(pending("one")), p.Beat("zombie", T0)])
    assert [claim.record.id for claim in zombie.claim("zombie", now=T0, limit=10)] == ["one"]
    stopped = zombie.connected()
    stopped.execute("BEGIN")
    stopped.execute("SELECT pg_advisory_xact_lock_shared(worker_lock($1))", ("zombie",))
    said = stopped.pgconn
    said.enter_pipeline_mode()
    said.send_query_params(b"SELECT repeat('x', 1000000) FROM generate_series(1, 100)", None)
    if says_all:
        said.pipeline_sync()
    else:
        said.send_flush_request()
    said.flush()
    taken: list[str] = []

    def is_taken() -> bool:
        other.commit([p.Beat("other", T0)])
        if other.stirs("other", now=T0):
            taken.extend(claim.record.id for claim in other.claim("other", now=T0, limit=10))
        return bool(taken)

    until(is_taken, lease_ms / 1_000 + 5)
    assert taken == ["one"]
    zombie.close()
    other.close()


def test_when_the_database_is_back_work_goes_on_by_itself(folder: Path) -> None:
    data, numbers = folder / "data", range(EXECUTIONS)
    start(data, folder)
    url = f"postgresql://postgres@/postgres?host={folder}"
    asyncio.run(begin(url, numbers))
    crew = [Worker(url, LEASE_SECONDS) for _ in range(2)]
    try:
        with asking(url) as ask:
            until(lambda: ask("SELECT count(*) FROM history")[0][0] > EXECUTIONS, 60)
        stop(data, "immediate")
        time.sleep(AWAY_SECONDS)
        start(data, folder)
        with asking(url) as ask:
            ((before,),) = ask("SELECT count(*) FROM history")
            took = until(lambda: ask("SELECT count(*) FROM history")[0][0] > before, 60)
            print(f"it was away for {AWAY_SECONDS:.0f} s; {took:.2f} s after its return there was something new")
            assert took <= BACK_SECONDS
            until(lambda: ask(OPEN)[0][0] == 0, 120)
        for worker in crew:
            worker.end()
        assert_all_ended(url, numbers)
    finally:
        for worker in crew:
            if worker.process.poll() is None:
                worker.kill()
        stop(data, "immediate")


def test_what_many_want_to_claim_is_claimed_once() -> None:
    wanted = 20_000 if PATIENCE else 2_000
    url = fresh_schema()
    store = PostgresStore(url)
    for first in range(0, wanted, 500):
        store.commit([p.Create(pending(f"e{n}")) for n in range(first, first + 500)])

    def claim_all(name: str) -> list[str]:
        mine = PostgresStore(url)
        mine.commit([p.Beat(name, 1)])
        taken: list[str] = []
        while claims := mine.claim(name, now=T0, limit=50):
            taken += [claim.record.id for claim in claims]
        mine.close()
        return taken

    with ThreadPoolExecutor(6) as threads:
        taken = Counter(id_ for each in threads.map(claim_all, [f"worker-{n}" for n in range(6)]) for id_ in each)
    store.close()
    assert (len(taken), set(taken.values())) == (wanted, {1})


def test_no_wake_up_is_lost_however_waits_and_events_meet() -> None:
    """A wait and the event that it is for are committed at the same time, by two; a third one routes beside them."""
    rounds = 5_000 if PATIENCE else 600
    url = fresh_schema()
    mine, theirs, routing = (PostgresStore(url) for _ in range(3))
    mine.commit([p.Beat(ANN, 1)])
    meet, over = Barrier(2), Event()

    def wait(n: int) -> p.Advance:
        changes = p.Changes(waits_opened=(OpenWait(1, f"t{n}.go", look_back=True),))
        return advance(fact(), execution=f"e{n}", record=running(f"e{n}", 1), changes=changes)

    def publish() -> None:
        for n in range(rounds):
            meet.wait()
            if n % 3 == 0:
                time.sleep(0.0003 * (n % 5))
            theirs.commit([p.Publish(event(f"ev{n}", f"t{n}.go"))])

    def route() -> None:
        while not over.is_set():
            deal_with(routing)

    threads = [Thread(target=publish), Thread(target=route)]
    for thread in threads:
        thread.start()
    for n in range(rounds):
        mine.commit([p.Create(pending(f"e{n}"), ANN)])
        meet.wait()
        if n % 2 == 0:
            time.sleep(0.0002 * (n % 7))
        assert mine.commit([wait(n)]) == [p.Committed()]
    threads[0].join()
    over.set()
    threads[1].join()
    while deal_with(routing):
        pass
    with asking(url) as ask:
        lost = ask("SELECT id FROM executions WHERE mail = 0")
        twice = ask("SELECT id FROM executions WHERE mail > 1")
    for store in (mine, theirs, routing):
        store.close()
    assert (lost, twice) == ([], [])


def deal_with(store: Any) -> bool:
    """What there is to route and to look back to."""
    polled = store.poll("worker-router", now=T0, limit=100)
    routes = [p.Route(found.event, T0, found.executions, ()) for found in polled.events]
    if routes or polled.lookbacks:
        store.commit([*polled.lookbacks, *routes])
    return bool(routes or polled.lookbacks)
