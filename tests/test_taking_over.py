"""The engine where ownership changes hands: what is read first, what is not done again, and what is not read at all."""

from __future__ import annotations

from collections.abc import Collection

from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.model.failure import Failure
from perdure.model.records import EventRecord
from perdure.model.steps import Child, EventWait, Loop, Route, Step, Task, Timer
from perdure.model.workflow import Compensation, Entry, EventCancel, EventStart, Workflow
from perdure.runtime import ports
from perdure.runtime.engine import SNAPSHOT_FACTS, Engine
from perdure.runtime.routing import route
from perdure.runtime.writes import pending
from perdure.store import port as s
from perdure.store.memory import MemoryStore
from perdure.testing import Fixed, TaskAnswer, World, compile_value, violations
from perdure.testing.words import k, x
from perdure.testing.world import Worker

LONG = TaskAnswer(60_000)
SAGA = Workflow(
    "saga",
    (
        Step("first", Task("first"), (Route(("charge",)),)),
        Step("charge", Task("charge")),
        Step("refund", Task("refund")),
    ),
    (Entry("first"),),
    compensations=(Compensation("charge", "refund"),),
)


class Watched(World):
    """Notes the status that the execution had when a task was called."""

    def __init__(self, script: Fixed) -> None:
        super().__init__(compile_value, script)
        self.called: list[tuple[str, str]] = []

    def _perform(self, worker: Worker, perform: ports.Perform) -> None:
        if isinstance(perform.command, c.PerformTask):
            status = self.store.rows[perform.execution].record.status
            self.called.append((perform.command.step, status))
        super()._perform(worker, perform)

    def until_called(self, step: str) -> None:
        while not any(called == step for called, _ in self.called):
            assert self.step()


def history(world: World) -> list[str]:
    return [type(fact).__name__ for fact in world.store.rows["main"].facts]


def routed(world: World) -> None:
    """Somebody else routes what has been published."""
    for candidates in world.store.poll("another", now=world.now, limit=16).events:
        world.store.commit([route(candidates, {}, world.now)[0]])


def test_an_event_that_came_in_time_is_not_too_late_because_nobody_looked() -> None:
    wait = Step("wait", EventWait(k("paid"), timeout_ms=k(10_000)))
    world = World(compile_value, Fixed(events={"wait": None}))
    world.start(Workflow("test", (wait,), (Entry("wait"),)))
    while "main" not in world.store.rows or world.store.rows["main"].owner is not None:
        assert world.step()
    world.now += 5_000
    world.publish("paid", {"n": 1})
    routed(world)
    world.now += 6_000
    world.run()
    assert world.store.rows["main"].record.output == {"n": 1}
    assert violations(world) == []


def test_what_was_cancelled_while_its_worker_was_dead_is_not_called_again() -> None:
    world = Watched(Fixed({"charge": LONG}))
    world.start(SAGA)
    world.until_called("charge")
    world.cancel("main")
    world.kill(world.workers[0])
    world.run()
    assert world.called == [("first", "running"), ("charge", "running")]
    assert history(world)[-4:] == ["ExecutionCancelled", "StepLost", "CompensationPlanned", "CompensationFinished"]
    assert violations(world) == []


def test_an_attempt_is_not_made_again_before_its_loss_is_recorded() -> None:
    """The inbox holds an event that fits and one for which something has to be loaded: the first commit is not yet of the loss."""
    paid, shipped = Step("paid", EventWait(k("paid"))), Step("shipped", EventWait(k("shipped")), (Route(("kid",)),))
    call, kid = Step("call", Task("call")), Step("kid", Child(k("kid")))
    begin = Step("begin", Timer(k(1)), (Route(("paid", "shipped", "call")),))
    world = Watched(Fixed({"call": LONG}, events={"paid": None, "shipped": None}))
    world.store.save(Workflow("kid", (Step("rest", Timer(k(1))),), (Entry("rest"),)))
    world.start(Workflow("test", (begin, paid, shipped, call, kid), (Entry("begin"),)))
    world.until_called("call")
    world.publish("paid", {}, "one")
    world.publish("shipped", {}, "two")
    routed(world)
    world.kill(world.workers[0])
    world.run()
    (key, _), *_ = world.effects
    assert world.effects == {(key, 1): 1, (key, 2): 1}
    assert violations(world) == []


def test_a_step_that_is_scheduled_and_cancelled_in_one_commit_is_never_called() -> None:
    world = Watched(Fixed({"first": LONG, "charge": LONG}))
    world.start(SAGA)
    world.until_called("first")
    (worker,) = world.workers
    (op,) = worker.engine.held["main"].state.ops
    worker.inputs.append(ports.Report("main", e.TaskCompleted(world.now, op, 1, "done")))
    world.cancel("main")
    worker.inputs.append(world.store.poll(worker.name, now=world.now, limit=9))
    world.run()
    assert world.called == [("first", "running")]
    failed = next(fact for fact in world.store.rows["main"].facts if isinstance(fact, f.StepFailed))
    assert failed.error.code == "NEVER_CALLED"
    assert history(world)[-2:] == ["CompensationPlanned", "CompensationFinished"]


def test_an_event_cancels_an_execution_that_has_not_begun() -> None:
    workflow = Workflow("test", (Step("a", Task("t")),), (Entry("a"),), cancels=(EventCancel("order.cancelled"),))
    world = World(compile_value, Fixed({"a": LONG}))
    digest = world.store.save(workflow)
    world.store.commit([s.Create(pending(Start(world.now, "main"), "test", digest))])
    world.publish("order.cancelled")
    routed(world)
    world.run()
    assert world.store.rows["main"].record.status == "cancelled"


def test_what_wakes_often_is_not_folded_from_its_beginning_each_time() -> None:
    loop = Step("loop", Loop(x("input")), (Route(("nap",), port="loop"),))
    workflow = Workflow("test", (loop, Step("nap", Timer(k(1_000)), (Route(("loop",)),))), (Entry("loop"),))
    world = World(compile_value, Fixed())
    folded: list[int] = []
    claim = world.store.claim

    def noting(worker: str, *, now: int, limit: int, form: int = 1, but_not: Collection[str] = ()) -> list[s.Claim]:
        claims = claim(worker, now=now, limit=limit, form=form, but_not=but_not)
        folded.extend(len(made.facts) for made in claims)
        return claims

    world.store.claim = noting  # type: ignore[method-assign]
    world.start(workflow, list(range(200)))
    world.run()
    assert world.store.rows["main"].record.status == "completed"
    assert len(folded) >= 200
    assert max(folded) <= SNAPSHOT_FACTS // 5
    assert violations(world) == []


def test_a_snapshot_of_another_form_is_not_read() -> None:
    world = World(compile_value, Fixed())
    world.start(Workflow("test", (Step("nap", Timer(k(1_000))),), (Entry("nap"),)))
    while "main" not in world.store.rows or world.store.rows["main"].owner is not None:
        assert world.step()
    row = world.store.rows["main"]
    row.snapshot = (2, b"of another time", 0)
    world.run()
    assert row.record.status == "completed"


class Shell:
    """One engine and one store, by hand."""

    def __init__(self, workflow: Workflow) -> None:
        self.store = MemoryStore()
        self.digest = self.store.save(workflow)
        self.store.commit([s.Beat("worker", 1 << 60)])
        self.engine = Engine("worker", compile_value)

    def request(self, *tickets: int) -> ports.Output:
        requests = [ports.Request(ticket, self.digest, "test", Start(1, "main")) for ticket in tickets]
        self.engine.turn(1, requests)
        return self.engine.turn(1, [ports.ModelFetched(self.digest, self.store.model(self.digest))])


PLAIN = Workflow("test", (Step("a", Task("t")),), (Entry("a"),))


def test_a_commit_whose_answer_was_lost_can_be_sent_again() -> None:
    shell = Shell(PLAIN)
    decided = shell.request(1)
    shell.store.commit(decided.commits)
    assert shell.store.commit(decided.commits[1:]) == [s.Committed()]
    performed = shell.engine.turn(1, [ports.Answer(decided.commits, (s.Committed(), s.Committed()))])
    assert [perform.command.op for perform in performed.performs] == [2]
    stale = s.Advance("main", "worker", 1, 9, (), shell.store.rows["main"].record)
    assert shell.store.commit([stale]) == [s.Fenced()]


def test_of_those_who_ask_for_the_same_start_one_has_created_it() -> None:
    shell = Shell(PLAIN)
    decided = shell.request(1, 2)
    answered = shell.engine.turn(1, [ports.Answer(decided.commits, tuple(shell.store.commit(decided.commits)))])
    assert [(reply.ticket, reply.created) for reply in answered.replies] == [(1, True), (2, False)]


def test_values_that_an_earlier_owner_asked_for_are_not_lent_to_the_next() -> None:
    shell = Shell(PLAIN)
    shell.request(1)
    shell.engine.turn(1, [ports.Fetched("main", 7, {1: "stale"})])
    assert shell.engine.held["main"].values.get(1) != "stale"


def test_a_model_that_cannot_be_read_keeps_nobody_else_from_their_turn() -> None:
    shell = Shell(PLAIN)
    newer = b'{"name": "newer", "format": 99}'
    claim = s.Claim(pending(Start(1, "other"), "newer", "d9").record, 1, Start(1, "other"), None, ())
    asked = shell.engine.turn(1, [ports.Request(1, "d9", "newer", Start(1, "x")), ports.Claimed((claim,))])
    assert asked.queries == (ports.FetchModel("d9"),)
    mixed = shell.engine.turn(
        1, [ports.ModelFetched("d9", newer), ports.Request(2, shell.digest, "test", Start(1, "main"))]
    )
    (refused,) = mixed.replies
    assert refused.ticket == 1
    assert "upgrade Perdure" in (refused.refused or "")
    assert mixed.queries == (ports.FetchModel(shell.digest),)
    assert shell.engine.turn(1, [ports.Claimed((claim,))]).queries == ()
    candidates = s.Candidates(EventRecord("e1", "tick", 1), (), (("d9", 0, "newer"),))
    assert shell.engine.turn(1, [s.Polled((), (), (candidates,))]).commits == ()


def test_what_is_of_a_model_that_cannot_be_read_is_given_back_at_once_and_told() -> None:
    shell = Shell(PLAIN)
    claims = [
        s.Claim(pending(Start(1, name), "newer", "d9").record, 3, Start(1, name), None, ()) for name in ("e1", "e2")
    ]
    shell.engine.turn(1, [ports.Claimed((claims[0],))])
    first = shell.engine.turn(1, [ports.ModelFetched("d9", b'{"name": "newer", "format": 99}')])
    second = shell.engine.turn(1, [ports.Claimed((claims[1],))])
    assert first.commits + second.commits == tuple(s.HandOver(name, "worker", 3, "version") for name in ("e1", "e2"))
    ((told, why),) = first.unreadable
    assert told == "e1"
    assert "upgrade Perdure" in why
    assert shell.engine.hand_over() == ()


def test_a_model_that_can_be_read_after_all_is_read() -> None:
    shell = Shell(PLAIN)
    claim = s.Claim(pending(Start(1, "main"), "test", shell.digest).record, 1, Start(1, "main"), None, ())
    shell.engine.turn(1, [ports.Claimed((claim,)), ports.ModelFetched(shell.digest, b"")])
    shell.request(1)
    assert shell.engine.turn(1, [ports.Claimed((claim,))]).unreadable == ()


def test_an_execution_that_cannot_be_read_is_given_back_and_told() -> None:
    shell = Shell(PLAIN)
    record = pending(Start(1, "main"), "test", shell.digest).record
    unreadable = s.Claim(record, 2, None, None, (), unreadable="its fact 7")
    damaged = s.Claim(record, 2, None, b"no snapshot", ())
    shell.request(1)
    for claim, why in ((unreadable, "its fact 7"), (damaged, "its snapshot")):
        given_back = shell.engine.turn(1, [ports.Claimed((claim,))])
        assert given_back.commits == (s.HandOver("main", "worker", 2, "execution"),)
        assert why in given_back.unreadable[0][1]


def test_what_comes_to_be_unreadable_is_given_back_and_its_calls_are_let_go() -> None:
    newer = s.Unreadable("from the future")
    for given in (ports.Fetched("main", 1, {1: newer}), s.Polled((("main", newer),), (), ())):
        shell = Shell(PLAIN)
        decided = shell.request(1)
        shell.engine.turn(1, [ports.Answer(decided.commits, (s.Committed(), s.Committed()))])
        given_back = shell.engine.turn(1, [given])
        assert given_back.commits == (s.HandOver("main", "worker", 1, "execution"),)
        assert given_back.performs == (ports.Perform("main", c.AbandonTask(2)),)
        assert given_back.unreadable == (("main", "from the future"),)
        assert shell.engine.held == {}


def test_the_times_of_an_execution_that_keep_moving_are_not_hoarded() -> None:
    step = Step("a", Task("t"), (Route(("a",)),))
    world = World(compile_value, Fixed())
    world.start(Workflow("test", (step,), (Entry("a"),), deadline_ms=86_400_000, steps_max=300))
    largest = 0
    while world.step() and world.store.rows.get("main") is not None:
        largest = max(largest, *(len(worker.engine._alarms) for worker in world.workers))
        if not world.store.rows["main"].record.live:
            break
    assert largest <= 2


def test_a_parked_execution_can_still_be_cancelled() -> None:
    world = World(compile_value, Fixed({"a": TaskAnswer(3_600_000)}), crashes_max=3)
    world.start(PLAIN)
    for _ in range(3):
        while not any(worker.tasks for worker in world.workers):
            assert world.step()
        world.kill(world.workers[0])
    for worker in list(world.workers):
        world.poll(worker)
    row = world.store.rows["main"]
    assert world.store.is_parked(row)
    world.cancel("main")
    world.run()
    assert row.record.status == "cancelled"


def test_a_start_by_event_that_cannot_be_made_leaves_its_reason() -> None:
    starts = (EventStart("tick", input=x("event.payload.toFixed()")),)
    world = World(compile_value, Fixed())
    world.store.save(Workflow("odd", (Step("a", Task("t")),), (Entry("a"),), starts=starts))
    world.publish("tick", "text", "e1")
    world.run()
    ((name, reason),) = world.store.declined["default", "e1"]
    assert name == "odd"
    assert "a text has no method" in reason


def test_an_event_from_outside_that_names_a_workflow_may_start_it() -> None:
    starts = (EventStart("workflow.*"),)
    world = World(compile_value, Fixed())
    world.store.save(Workflow("order", (Step("a", Task("t", k(1))),), (Entry("a"),), starts=starts))
    world.publish("workflow.requested", {"name": "order"}, "e1")
    world.run()
    assert [row.record.status for row in world.store.rows.values()] == ["completed"]


def test_a_late_failure_of_what_was_never_called_undoes_nothing() -> None:
    world = Watched(Fixed({"first": TaskAnswer(5_000, error=Failure("no", retriable=False))}))
    world.start(SAGA)
    world.until_called("first")
    world.cancel("main")
    world.run()
    assert [step for step, _ in world.called] == ["first"]
    assert world.store.rows["main"].record.status == "cancelled"
