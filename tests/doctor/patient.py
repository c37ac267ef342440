"""A database in which much has happened: every kind of work, of wait and of end. It is made by running workflows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from perdure.core.advance import Start
from perdure.expressions.language import compile_value
from perdure.model.failure import Category, Failure
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Approval, Child, Compute, EventWait, ForEach, Loop, Retry, Route, Step, Task, Timer
from perdure.model.workflow import Chain, Entry, EventCancel, EventStart, Schedule, Workflow
from perdure.store import port as p
from perdure.store.ledger import Answer, GiveAnswer, LogTrigger, PromiseAnswer, UseKey
from perdure.store.registers import WriteCard
from perdure.testing import World
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.words import k, obj, x

Store: TypeAlias = InspectedSqlite | InspectedPostgres

YEAR = 31_536_000_000
LARGE = "🦆" * 70_000

ORDER = Workflow(
    "order",
    (
        Step("reserve", Task("stock.reserve", x("input"), Retry(3, delay_ms=1_000)), (Route(("nap",)),)),
        Step("nap", Timer(k(5_000)), (Route(("rest",)),)),
        Step("rest", Compute(k("rested")), (Route(("approve",)),), pause_until=x("execution.startedAt + 60000")),
        Step("approve", Approval(x("input")), (Route(("pay",), port="approved"),)),
        Step("pay", EventWait(k("order.paid")), (Route(("pack",)),)),
        Step("pack", Task("pack", x("item")), (Route(("large",)),), each=ForEach(k([1, 2, 3]), 2)),
        Step("large", Compute(k(LARGE)), (Route(("end",)),)),
        Step("end", Compute(k("done"))),
    ),
    (Entry("reserve"),),
)
ASKS = Workflow(
    "asks", (Step("ask", Approval(k("May it?"))),), (Entry("ask"),), cancels=(EventCancel("order.withdrawn"),)
)
HEARS = Workflow("hears", (Step("hear", EventWait(k("never.comes"))),), (Entry("hear"),))
SLEEPS = Workflow("sleeps", (Step("sleep", Timer(k(YEAR))),), (Entry("sleep"),))
PARENT = Workflow("parent", (Step("call", Child(k("hears"), k(None))),), (Entry("call"),))
FAILS = Workflow("fails", (Step("try", Task("fail", k(None))),), (Entry("try"),))
LOOPS = Workflow(
    "loops",
    (
        Step(
            "loop",
            Loop(x("input"), iterations_max=200),
            (Route(("body",), port="loop"), Route(("hear",), port="done")),
        ),
        Step("body", Compute(x("input.length")), (Route(("loop",)),)),
        Step("hear", EventWait(k("never.comes"))),
    ),
    (Entry("loop"),),
)
STARTED = Workflow("started", (Step("a", Compute(obj(a=1))),), (Entry("a"),), starts=(EventStart("order.placed"),))

NIGHTLY = Workflow("nightly", schedules=(Schedule("clock", cron="@daily"),))

CHAINS = Workflow(
    "chains", (Step("a", Compute(k(1))),), (Entry("a"),), chains=(Chain("started", k(None), items=k([1, 2])),)
)


def script() -> Fixed:
    return Fixed(
        {
            "reserve": [TaskAnswer(error=Failure("the shelf is locked")), TaskAnswer(output={"shelf": 7})],
            "try": TaskAnswer(error=Failure("no", Category.PERMANENT, "NO", retriable=False)),
        },
        {"ask": None},
        {"hear": None},
    )


def make(store: Store) -> int:
    """Let it happen; the time that it is then."""
    world = World(compile_value, script(), store=store)
    for workflow in (STARTED, HEARS, NIGHTLY):
        store.save(workflow)
    _with_key(store, store.save(ORDER), world.now)
    for name, workflow in {"asks": ASKS, "hears": HEARS, "parent": PARENT, "fails": FAILS, "chains": CHAINS}.items():
        world.start(workflow, execution=name)
    world.start(LOOPS, list(range(120)), execution="loops")
    world.publish("order.placed", {"n": 1, "odd": "\0"}, "placed")
    world.run()
    world.start(SLEEPS, "\0", execution="sleeps")
    _until(world, lambda: _status(store, "sleeps") == "waiting")
    store.poll("worker-1", now=world.now, limit=1)  # what concerns nobody is routed
    for writer, member in (("w1", "ann"), ("w2", "bob"), ("w1", "cid"), ("w1", "dan")):
        store.commit([WriteCard("members", member, {"n": 1}, world.now, "root", "member.added", writer=writer)])
    _with_ledger(store, world.now)
    return world.now


def _with_ledger(store: Store, now: int) -> None:
    store.commit(
        [
            LogTrigger(now, "hook", "wh_1", execution="done"),
            LogTrigger(now, "hook", "wh_1", "rejected", "it is not signed"),
            LogTrigger(now, "hook", "wh_1", "accepted", execution="forgotten-since"),
            LogTrigger(now, "event", "order.paid"),
            PromiseAnswer("k1", "hash", "request-1", now, now + 1),
            PromiseAnswer("k2", "hash", "request-2", now, now + 1),
            GiveAnswer("k2", "request-2", now, Answer(200, b"{}")),
            UseKey("key_1", now),
        ]
    )


def _with_key(store: Store, digest: str, now: int) -> None:
    record = ExecutionRecord("done", "order", digest, now)
    assert store.commit([p.Create(p.Pending(record, Start(now, "done", {"n": 1})), key="order-17")]) == [p.Committed()]


def _until(world: World, reached: Callable[[], bool]) -> None:
    while not reached():
        assert world.step()


def _status(store: Store, execution: str) -> str | None:
    record = store.record(execution)
    return None if record is None else record.status
