"""The engine and the store together, where the order of things within one commit matters."""

from __future__ import annotations

from functools import partial
from typing import Literal

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.expressions.language import compile_value
from perdure.model.failure import Failure
from perdure.model.records import EventRecord
from perdure.model.steps import Approval, Child, Compute, EventWait, Retry, Route, Step, Task
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow
from perdure.runtime import ports
from perdure.runtime.engine import Engine
from perdure.runtime.writes import pending
from perdure.store import port as s
from perdure.testing.faults import CrashAt
from perdure.testing.invariants import violations
from perdure.testing.script import ApprovalAnswer, Fixed, Place, TaskAnswer
from perdure.testing.words import k, x
from perdure.testing.world import Crash, Point, World

SLEEPER = Workflow("sleeper", (Step("nap", Task("nap")),), (Entry("nap"),))


def branches(*steps: Step) -> Workflow:
    top = Step("top", Compute(), (Route(tuple(step.id for step in steps)),))
    return Workflow("test", (top, *steps), (Entry("top"),))


def test_what_one_commit_both_opens_and_closes_is_closed() -> None:
    # The cancellation is in the inbox when the execution begins, so both are decided in one go.
    world = World(compile_value, Fixed({"nap": TaskAnswer(60_000)}))
    world.store.save(SLEEPER)
    workflow = branches(
        Step("ask", Approval(k({}))), Step("kid", Child(k("sleeper"))), Step("wait", EventWait(k("tick")))
    )
    digest = world.store.save(workflow)
    world.store.commit([s.Create(pending(Start(world.now, "main"), "test", digest))])
    world.cancel("main")
    world.run()
    assert violations(world) == []
    assert {row.record.status for row in world.store.rows.values()} == {"cancelled"}
    assert [approval.status for approval in world.store.approvals.values()] == ["closed"]


def test_an_execution_that_kills_its_workers_is_parked() -> None:
    def dies(point: Point) -> None:
        if point == "after perform":
            raise Crash

    world = World(compile_value, Fixed(), dies, crashes_max=3)
    world.start(Workflow("bomb", (Step("boom", Task("boom")),), (Entry("boom"),)))
    world.run()
    row = world.store.rows["main"]
    assert world.store.is_parked(row)
    assert row.record.live
    assert world.crashes == 3


def test_the_same_key_starts_one_execution() -> None:
    world = World(compile_value, Fixed())
    workflow = Workflow("test", (Step("a", Task("t")),), (Entry("a"),))
    digest = world.store.save(workflow)
    for number in range(5):
        start = Start(world.now, f"try-{number}")
        world.workers[0].inputs.append(ports.Request(number, digest, "test", start, key="order-17"))
    world.run()
    assert list(world.store.rows) == ["try-0"]
    assert world.acknowledged == ["try-0"] * 5


def test_votes_are_counted_and_the_one_that_settles_it_is_the_decision() -> None:
    world = World(compile_value, Fixed(approvals={"ask": ApprovalAnswer(10, "approve", ("ann", "ann", "bob", "cyd"))}))
    world.start(Workflow("test", (Step("ask", Approval(k({}), votes_required=2)),), (Entry("ask"),)))
    world.run()
    (approval,) = world.store.approvals.values()
    assert approval.votes == (("ann", "approve"), ("bob", "approve"))
    assert approval.decided_by == "bob"
    assert isinstance(world.store.commit([s.Decide(approval.id, 0, "dan", "approve")])[0], s.Duplicate)
    assert isinstance(world.store.commit([s.Decide(approval.id, 0, "dan", "reject")])[0], s.GuardFailed)
    assert isinstance(world.store.commit([s.Decide("none", 0, "dan", "reject")])[0], s.Refused)


def test_mail_for_what_is_not_there_or_over_is_refused() -> None:
    world = World(compile_value, Fixed())
    assert isinstance(world.cancel("nobody"), s.Refused)
    world.start(Workflow("test", (Step("a", Task("t")),), (Entry("a"),)))
    world.run()
    assert isinstance(world.cancel("main"), s.Refused)
    assert isinstance(world.retry("main"), s.Committed)
    world.run()
    assert world.store.rows["main"].record.status == "completed"
    assert violations(world) == []


def test_the_same_mail_twice_is_one_message() -> None:
    world = World(compile_value, Fixed({"a": TaskAnswer(50)}))
    world.start(Workflow("test", (Step("a", Task("t")),), (Entry("a"),)))
    world.step()
    world.step()
    event = e.CancelRequested(world.now)
    assert isinstance(world.deliver("main", event, "c1"), s.Committed)
    assert isinstance(world.deliver("main", event, "c1"), s.Duplicate)


def test_a_snapshot_and_the_facts_after_it_are_the_state() -> None:
    steps = (
        Step("a", Task("t", retry=Retry(2)), (Route(("a",), when=x("output.n < 700")), Route(("ask",)))),
        Step("ask", Approval(k({})), (Route(("end",)),)),
        Step("end", Task("t")),
    )

    class Counting(Fixed):
        def task(self, place: Place, given: Json) -> TaskAnswer:
            del given
            return TaskAnswer(1, {"n": place.run})

    world = World(compile_value, Counting())
    world.start(Workflow("test", steps, (Entry("a"),)))
    world.run()
    row = world.store.rows["main"]
    assert row.record.status == "completed"
    assert row.snapshot is not None
    assert row.snapshot[0] > 1_000
    assert violations(world) == []


def test_a_worker_that_dies_while_it_retries_loses_no_failure() -> None:
    script = Fixed({"a": [TaskAnswer(error=Failure("no")), TaskAnswer(error=Failure("no")), TaskAnswer(output="yes")]})
    world = World(compile_value, script, CrashAt(3, 5))
    world.start(Workflow("test", (Step("a", Task("t", retry=Retry(3))),), (Entry("a"),)))
    world.run()
    assert world.store.rows["main"].record.output == "yes"
    assert sum(isinstance(fact, f.StepRetrying) for fact in world.store.rows["main"].facts) == 2


def _approval_beside_a_task(answer: TaskAnswer) -> World:
    workflow = branches(Step("ask", Approval(k({}))), Step("work", Task("work")))
    world = World(compile_value, Fixed({"work": answer}, approvals={"ask": None}))
    world.start(workflow)
    return world


def _decide(world: World) -> None:
    (approval,) = world.store.approvals
    (outcome,) = world.store.commit([s.Decide(approval, world.now, "ann", "approve")])
    assert isinstance(outcome, s.Committed)


def test_an_approval_that_is_decided_after_a_cancel_was_accepted_stays_decided_and_changes_nothing() -> None:
    world = _approval_beside_a_task(TaskAnswer(60_000))

    def both() -> None:
        assert isinstance(world.cancel("main"), s.Committed)
        _decide(world)

    world.at(world.now + 5_000, both)
    world.run()
    assert world.store.rows["main"].record.status == "cancelled"
    assert [approval.status for approval in world.store.approvals.values()] == ["approved"]
    assert violations(world) == []


def test_a_step_may_fail_in_the_moment_in_which_an_approval_beside_it_is_decided() -> None:
    world = _approval_beside_a_task(TaskAnswer(5_000, error=Failure("no", retriable=False)))
    world.at(world.now + 5_000, partial(_decide, world))
    world.run()
    assert world.store.rows["main"].record.status == "failed"
    assert violations(world) == []


def test_a_decision_that_was_there_first_beats_the_due_date() -> None:
    """The worker does not know of it yet when the time is over: its commit is refused, and the decision comes first."""
    verdicts: tuple[Literal["fail", "reject"], ...] = ("fail", "reject")
    for on_timeout in verdicts:
        ask = Approval(k({}), due_at=x("now + 5000"), on_timeout=on_timeout)
        world = World(compile_value, Fixed(approvals={"ask": None}))
        world.start(Workflow("test", (Step("ask", ask),), (Entry("ask"),)))
        world.at(world.now + 5_000, partial(_decide, world))
        world.run()
        assert world.store.rows["main"].record.status == "completed"
        assert [approval.status for approval in world.store.approvals.values()] == ["approved"]
        assert violations(world) == []


def test_what_comes_after_an_event_that_waits_for_a_model_waits_too_if_it_is_of_the_same_source() -> None:
    engine = Engine("worker", compile_value)

    def happened(id_: str, source: str, *workflows: tuple[str, int, str]) -> s.Candidates:
        return s.Candidates(EventRecord(id_, "order.paid", 1, source=source), ("main",), workflows)

    events = (happened("a", "shop", ("d1", 0, "orders")), happened("b", "shop"), happened("c", "bank"))
    out = engine.turn(1, [s.Polled((), (), events)])
    assert [item.event.id for item in out.commits if isinstance(item, s.Route)] == ["c"]
    assert out.queries == (ports.FetchModel("d1"),)
