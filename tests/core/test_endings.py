"""How executions end: completed, failed, cancelled, undone; and how they are taken up again."""

from __future__ import annotations

import pytest

from core.drive import T0, Drive, flow
from perdure.core import NeedValues, Program, Start, advance, fold, outstanding, start
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.fork import Edits, fork
from perdure.core.outstanding import in_flight
from perdure.core.readiness import has_ready
from perdure.core.standing import standing
from perdure.core.state import EachScope, is_final, is_live
from perdure.core.triggers import started_by
from perdure.core.values import Ref
from perdure.ids import derived
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord
from perdure.model.steps import (
    Approval,
    Child,
    Compute,
    Condition,
    EventWait,
    ForEach,
    Loop,
    Retry,
    Route,
    Step,
    Task,
    Timer,
)
from perdure.model.workflow import Chain, Compensation, Entry, EventCancel, EventStart, Workflow
from perdure.testing.expressions import compile_value
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)
CANCEL = e.CancelRequested(T0, "called off", "ann", "USER")
RETRY = e.RetryRequested(T0, "ann")


def branches(*steps: Step, **more: object) -> Workflow:
    """A step that leads to all of the others at once."""
    top = Step("top", Compute(), (Route(tuple(step.id for step in steps)),))
    return flow(top, *steps, **more)


# Completing.


def test_no_steps_completes_at_once() -> None:
    assert Drive(flow()).state.status == "completed"
    assert Drive(flow(initial=k({"a": 1}), output=x("vars"))).output == {"a": 1}


def test_the_output_is_that_of_the_step_that_completed_last_or_is_computed() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t")))
    assert Drive(flow(*steps)).done("a", 1).done("b", 2).output == 2
    assert Drive(flow(*steps, output=x("steps.a.output"))).done("a", 1).done("b", 2).output == 1
    assert Drive(flow(*steps, output=x("steps.zzz.output"))).done("a", 1).done("b", 2).output is None
    broken = Drive(flow(*steps, output=x("steps.a.output + 'x'"))).done("a", 1).done("b", 2)
    assert broken.fact(f.ExecutionFailed).error.code == "EXPRESSION"


def test_the_output_of_a_last_step_that_is_not_at_hand_is_asked_for() -> None:
    steps = (Step("a", Task("t"), pause_until=x("output.until")),)
    drive = Drive(flow(*steps)).done("a", {"until": T0 + 5}).after(5)
    assert drive.asked == {3}
    assert drive.output == {"until": T0 + 5}


def test_the_entry_is_chosen_by_what_started_it() -> None:
    steps = (Step("a", Compute(k("a"))), Step("b", Compute(k("b"))))
    entries = (Entry("a", "manual"), Entry("b", "schedule"))
    assert Drive(flow(*steps, entries=entries), trigger="schedule").output == "b"
    assert Drive(flow(*steps, entries=entries), trigger="webhook").output == "a"


def test_first_variables_are_computed_from_the_start() -> None:
    steps = (Step("a", Compute(x("vars"))),)
    assert Drive(flow(*steps, initial=obj(n=x("input.n"), by=x("trigger.type"))), {"n": 1}).output == {
        "n": 1,
        "by": "manual",
    }
    assert Drive(flow(*steps, initial=x("input.none")), {}).output == {}
    for value, code in ((x("input.n + 1"), "EXPRESSION"), (k([1]), "EXPRESSION")):
        failed = Drive(flow(*steps, initial=value), {"n": None})
        assert failed.fact(f.ExecutionFailed).error.code == code


def test_expressions_read_what_is_known_of_the_execution() -> None:
    values = obj(
        id=x("execution.id"),
        depth=x("execution.depth"),
        correlation=x("execution.correlationId"),
        trigger=x("trigger.data"),
        now=x("now"),
        came=x("came"),
        last=x("last.step"),
        all=x("steps"),
        nothing=x("unknown.root"),
        loop=x("loop.item"),
        item=x("item"),
        index=x("index"),
        local=x("local.x"),
        cancelled=x("cancellation.reason"),
        unknown_step=x("steps.zzz.output"),
    )
    steps = (Step("a", Compute(k(1)), (Route(("b",)),)), Step("b", Task("t", values)))
    drive = Drive(flow(*steps), trigger_data={"by": "hand"}, correlation_id="c1", depth=2)
    found = drive.command(c.PerformTask).input
    assert found.pop("all")["a"]["output"] == 1
    assert found == {
        "id": "main",
        "depth": 2,
        "correlation": "c1",
        "trigger": {"by": "hand"},
        "now": T0,
        "came": ["a"],
        "last": "a",
    }


def test_the_output_of_the_execution_reads_the_last_step_too() -> None:
    drive = Drive(flow(Step("a", Task("t")), output=obj(last=x("last.step"), came=x("came"), loop=x("loop")))).done(
        "a", 1
    )
    assert drive.output == {"last": "a", "came": []}
    assert Drive(flow(output=x("last"))).output is None


# Failing.


def test_a_failure_that_nobody_handles_abandons_what_runs() -> None:
    child = Step("kid", Child(k("other")))
    wait = Step("wait", EventWait(k("tick")))
    ask = Step("ask", Approval(k({})))
    nap = Step("nap", Timer(k(99)))
    slow = Step("slow", Task("t", retry=Retry(2)))
    drive = Drive(branches(Step("bad", Task("t")), Step("run", Task("t")), slow, child, wait, ask, nap)).failed("slow")
    drive.failed("bad", FINAL)
    kinds = [type(command) for command in drive.commands]
    assert kinds.count(c.AbandonTask) == 1
    assert {c.CancelChild, c.CloseWait, c.CloseApproval, c.Finish} <= set(kinds)
    assert drive.state.status == "failed"
    assert not is_live(drive.state)
    assert drive.state.busy == drive.state.asking == 0
    drive.send(RETRY)
    assert drive.open_steps == {"bad", "run", "slow", "kid", "wait", "ask", "nap"}


def test_a_failure_lets_what_runs_end_first_where_it_drains() -> None:
    steps = (
        Step("a", Task("t"), (Route(("after",)),)),
        Step("b", Task("t"), (Route(("after",)),)),
        Step("c", Task("t"), (Route(("after",)),)),
        Step("after", Task("t")),
    )
    top = Step("top", Compute(), (Route(("a", "b", "c")),))
    drive = Drive(flow(top, *steps, on_failure="drain"))
    drive.failed("b", Failure("B broke", retriable=False)).done("a", 1)
    assert drive.open_steps == {"c"}
    drive.failed("c", Failure("C broke", retriable=False))
    assert drive.fact(f.ExecutionFailed).error.message == "b: B broke; c: C broke"
    assert drive.fact(f.ExecutionFailed).steps == (2, 3)
    drive.send(RETRY)
    assert drive.open_steps == {"b", "c"}
    assert drive.done("b", 2).done("c", 3).open_steps == {"after"}


def test_a_step_that_fails_on_the_spot_can_be_retried() -> None:
    drive = Drive(flow(Step("check", Condition(k("text"))))).send(RETRY)
    assert [type(fact) for fact in drive.facts] == [f.ExecutionRetried, f.StepFailed, f.ExecutionFailed]
    assert drive.state.runs[0] == 2


def test_a_retry_goes_on_under_the_same_key_with_a_fresh_count_of_failures() -> None:
    drive = Drive(flow(Step("a", Task("t", retry=Retry(2, jitter=0))))).failed("a").after(1_000).failed("a")
    assert drive.state.status == "failed"
    drive.send(RETRY)
    assert drive.command(c.PerformTask).key == "main:2"
    assert drive.command(c.PerformTask).attempt == 3
    drive.failed("a").after(1_000)
    assert drive.done("a", "ok").output == "ok"


def test_only_a_failed_execution_can_be_retried() -> None:
    assert Drive(flow(Step("a", Task("t")))).send(RETRY).facts == ()
    assert Drive(flow()).send(RETRY).facts == ()
    assert Drive(flow(Step("a", Task("t")))).send(CANCEL).send(RETRY).facts == ()


def test_reserved_budget_comes_back_with_a_retry() -> None:
    drive = Drive(flow(Step("a", Task("t", reserve=(("tokens", 5),))))).failed("a", FINAL)
    assert dict(drive.state.reserved) == {"tokens": 0}
    assert dict(drive.send(RETRY).state.reserved) == {"tokens": 5}


def test_an_execution_may_retry_itself() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t")))
    drive = Drive(flow(*steps), retries_max=2).done("a").failed("b")
    assert drive.fact(f.ExecutionRetrying).retry_at == T0 + 5_000
    assert not is_final(drive.state)
    assert drive.wake_at == T0 + 5_000
    assert standing(drive.program, drive.state) == ("running", None)
    assert not has_ready(drive.program, drive.state)
    assert drive.send(e.Continued(T0)).facts == ()
    drive.after(5_000)
    assert drive.fact(f.ExecutionRetried).by == "policy"
    assert drive.open_steps == {"b"}
    drive.failed("b")
    assert drive.fact(f.ExecutionRetrying).retry_at == drive.now + 10_000
    drive.after(10_000).failed("b")
    assert drive.state.status == "failed"
    assert Drive(flow(*steps), retries_max=2).done("a").failed("b", FINAL).state.status == "failed"


def test_an_execution_retries_itself_within_its_deadline() -> None:
    drive = Drive(flow(Step("a", Task("t"))), retries_max=9, deadline_ms=12_000)
    drive.failed("a").after(5_000).failed("a")
    assert drive.wake_at == T0 + 12_000
    drive.after(7_000)
    assert drive.fact(f.ExecutionFailed).error.code == "TIMEOUT"
    assert drive.wake_at is None


def test_steps_that_are_ready_together_start_together_even_if_one_fails_on_the_spot() -> None:
    drive = Drive(branches(Step("bad", Condition(k(7))), Step("good", Task("t")), on_failure="drain"))
    assert drive.open_steps == {"good"}
    assert drive.done("good").state.status == "failed"


def test_a_step_that_only_pauses_does_not_hold_up_a_failure() -> None:
    pause = Step("pause", Task("t"), pause_until=x("output"))
    drive = Drive(branches(pause, Step("bad", Task("t")), on_failure="drain")).done("pause", T0 + 99)
    assert drive.failed("bad", FINAL).state.status == "failed"
    assert drive.send(RETRY).wake_at == T0 + 99


def test_a_limit_drains_too() -> None:
    spin = Step("spin", Compute(), (Route(("spin",)),))
    drive = Drive(branches(spin, Step("slow", Task("t")), on_failure="drain", steps_max=20))
    assert drive.open_steps == {"slow"}
    drive.done("slow")
    assert drive.fact(f.ExecutionFailed).error.code == "LIMIT"
    assert drive.state.runs[1] == 18


def test_what_is_undefined_in_an_input_can_leave_a_warning() -> None:
    step = Step("a", Task("t", obj(n=x("input.n"), m=x("input.m"))), warn_undefined=True)
    assert "input.m" in Drive(flow(step), {"n": 1}).fact(f.Warned).message
    assert not any(isinstance(fact, f.Warned) for fact in Drive(flow(step), {"n": 1, "m": 2}).facts)


def test_steps_beyond_the_limit_fail_the_execution_and_a_retry_has_as_many_again() -> None:
    step = Step("a", Compute(), (Route(("a",)),))
    drive = Drive(flow(step, steps_max=50))
    assert "50 steps" in drive.fact(f.ExecutionFailed).error.message
    assert drive.state.runs[0] == 50
    assert drive.send(RETRY).state.runs[0] == 100


def test_only_so_many_steps_are_open_at_once_and_the_earliest_comes_first() -> None:
    drive = Drive(branches(Step("b", Task("t")), Step("a", Task("t")), Step("c", Task("t")), parallel_max=2))
    assert drive.open_steps == {"b", "a"}
    assert drive.done("a").open_steps == {"b", "c"}


# Deadlines.


def test_an_execution_that_takes_too_long_fails() -> None:
    drive = Drive(flow(Step("a", Task("t")), deadline_ms=60_000))
    assert drive.wake_at == T0 + 60_000
    assert drive.after(59_999).facts == ()
    drive.after(1)
    assert drive.fact(f.ExecutionFailed).error.code == "TIMEOUT"
    assert drive.commands[0] == c.AbandonTask(2)
    drive.send(e.RetryRequested(drive.now, "ann"))
    assert drive.wake_at == drive.now + 60_000


def test_the_deadline_of_a_start_beats_that_of_the_workflow() -> None:
    assert Drive(flow(Step("a", Task("t")), deadline_ms=60_000), deadline_ms=5).wake_at == T0 + 5


def test_what_was_due_before_the_deadline_has_its_turn_and_the_rest_has_not() -> None:
    steps = (Step("early", Timer(k(10))), Step("late", Timer(k(30))))
    drive = Drive(branches(*steps, deadline_ms=20)).after(1_000)
    assert [type(fact) for fact in drive.facts] == [f.StepCompleted, f.ExecutionFailed]


def test_waiting_for_people_and_events_does_not_count_where_the_deadline_pauses() -> None:
    steps = (Step("ask", Approval(k({})), (Route(("a",)),)), Step("a", Task("t")))
    drive = Drive(flow(*steps, deadline_ms=60_000, deadline_pauses=True))
    assert drive.fact(f.DeadlineMoved).left_ms == 60_000
    assert drive.wake_at is None
    drive.now += 1_000_000
    drive.send(e.ApprovalDecided(drive.now, 2, "approve", "ann"))
    assert drive.fact(f.DeadlineMoved).due_at == drive.now + 60_000
    counted = Drive(flow(*steps, deadline_ms=60_000))
    assert counted.wake_at == T0 + 60_000


# Cancelling and undoing.


def saga(*, on_failure: bool = False, settle_ms: int = 5_000) -> Drive:
    """Two steps that are undone, a third in flight, and what undoes them."""
    undo = obj(output=x("undone.output"), why=x("cancellation.reason"))
    steps = (
        Step("reserve", Task("t"), (Route(("charge",)),)),
        Step("charge", Task("t"), (Route(("ship",)),)),
        Step("ship", Task("t", timeout_ms=900 if settle_ms == 900 else None), (Route(("wait",)),)),
        Step("wait", EventWait(k("delivered"))),
        Step("unreserve", Task("u", undo)),
        Step("refund", Task("u", undo, Retry(2, jitter=0))),
        Step("unship", Task("u", undo)),
    )
    compensations = (
        Compensation("reserve", "unreserve"),
        Compensation("charge", "refund", x("undone.output.paid")),
        Compensation("ship", "unship"),
        Compensation("ship", "refund"),
    )
    workflow = flow(*steps, compensations=compensations, compensate_on_failure=on_failure, settle_ms=settle_ms)
    return Drive(workflow).done("reserve", {"id": 1}).done("charge", {"paid": True})


def test_a_cancelled_execution_is_undone_in_reverse_order() -> None:
    drive = saga().done("ship", {"box": 3}).send(CANCEL)
    assert drive.state.status == "cancelled"
    assert drive.command(c.Finish).status == "cancelled"
    assert drive.fact(f.CompensationPlanned).plan == ((6, 2), (5, 1), (4, 0))
    assert drive.command(c.PerformTask).input == {"output": {"box": 3}, "why": "called off"}
    assert is_live(drive.state)
    drive.done("unship").done("refund")
    assert drive.command(c.PerformTask).input["output"] == {"id": 1}
    drive.done("unreserve")
    assert drive.facts[-1] == f.CompensationFinished(T0)
    told = drive.command(c.PublishEvent)
    assert told.type == "workflow.compensation.completed"
    assert told.data["completed"] == ["unship", "refund", "unreserve"]
    assert not is_live(drive.state)


def test_a_step_that_fails_to_undo_is_recorded_and_the_rest_still_runs() -> None:
    drive = saga().done("ship").send(CANCEL).failed("unship", FINAL)
    assert drive.open_steps == {"refund"}
    drive.failed("refund").after(1_000).failed("refund", FINAL).done("unreserve")
    assert drive.fact(f.CompensationFinished).failed == (6, 5)
    assert drive.command(c.PublishEvent).data["status"] == "COMPLETED_WITH_ERRORS"


def test_an_attempt_in_flight_settles_first_and_its_late_success_is_undone() -> None:
    drive = saga().send(CANCEL)
    assert drive.commands[0] == c.AbandonTask(6)
    assert drive.state.status == "cancelled"
    assert drive.wake_at == T0 + 5_000
    assert in_flight(drive.state)[0].op == 6
    drive.send(e.TaskCompleted(T0, 6, 1, {"box": 9}))
    assert drive.fact(f.StepCompleted).next == ()
    assert drive.fact(f.CompensationPlanned).plan[0] == (6, 2)


def test_an_attempt_that_fails_while_it_settles_is_not_tried_again() -> None:
    drive = saga().send(CANCEL).send(e.TaskFailed(T0, 6, 1, Failure("stopped")))
    assert drive.fact(f.CompensationPlanned).plan == ((5, 1), (4, 0))


@pytest.mark.parametrize("lost", [True, False])
def test_an_attempt_whose_end_nobody_knows_is_listed_as_unknown(lost: bool) -> None:
    drive = saga(settle_ms=900).send(CANCEL)
    drive.send(e.AttemptLost(T0, 6, 1)) if lost else drive.after(900)
    assert drive.fact(f.StepLost).final
    assert drive.fact(f.CompensationPlanned).unknown == (2,)
    drive.done("refund").done("unreserve")
    assert drive.command(c.PublishEvent).data["unknown"] == ["ship"]


def test_an_attempt_to_undo_that_is_lost_is_made_again() -> None:
    drive = saga().done("ship").send(CANCEL)
    op = drive.op("unship")
    drive.send(e.AttemptLost(T0, op, 1))
    assert drive.command(c.PerformTask).attempt == 2


def test_without_compensation_it_is_over_at_once() -> None:
    drive = saga().send(e.CancelRequested(T0, "called off", compensate=False))
    assert not is_live(drive.state)
    assert drive.send(e.TaskCompleted(T0, 6, 1, "late")).facts == ()
    plain = Drive(flow(Step("a", Task("t")))).send(CANCEL)
    assert not is_live(plain.state)
    assert plain.send(CANCEL).facts == ()


def test_a_failed_execution_is_undone_where_it_asks_for_that() -> None:
    drive = saga(on_failure=True).failed("ship", FINAL)
    assert drive.state.status == "failed"
    assert drive.fact(f.CompensationPlanned).plan == ((5, 1), (4, 0))
    assert drive.send(RETRY).facts == ()
    drive.done("refund").done("unreserve")
    assert drive.send(RETRY).facts == ()


def test_conditions_of_a_compensation_are_judged_when_it_is_planned() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t")), Step("undo", Task("u")))

    def plan(when: str) -> Drive:
        drive = Drive(flow(*steps, compensations=(Compensation("a", "undo", x(when)),)))
        drive.done("a", {"n": 1}).send(CANCEL)
        return drive.send(e.TaskFailed(T0, 4, 1, FINAL))

    assert plan("undone.output.n == 1").fact(f.CompensationPlanned).plan == ((2, 0),)
    assert plan("undone.output.n == 2").fact(f.CompensationPlanned).plan == ()
    broken = plan("undone.output + 1")
    assert broken.fact(f.CompensationPlanned).plan == ()
    assert broken.fact(f.Warned)


def test_a_compensation_whose_input_cannot_be_computed_fails_and_the_rest_still_runs() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b",)),)),
        Step("b", Task("t"), (Route(("c",)),)),
        Step("c", Approval(k({}))),
        Step("undo_a", Task("u")),
        Step("undo_b", Task("u", x("undone.output + 1"))),
    )
    compensations = (Compensation("a", "undo_a"), Compensation("b", "undo_b"))
    drive = Drive(flow(*steps, compensations=compensations)).done("a").done("b").send(CANCEL)
    assert drive.open_steps == {"undo_a"}
    assert drive.done("undo_a").fact(f.CompensationFinished).failed == (4,)


def test_a_step_that_ran_twice_is_undone_once_with_its_last_output() -> None:
    steps = (
        Step("a", Task("t"), (Route(("a",), port="again"), Route(("b",)))),
        Step("b", Approval(k({}))),
        Step("undo", Task("u", x("undone.output"))),
    )
    drive = Drive(flow(*steps, compensations=(Compensation("a", "undo"),)))
    drive.done("a", 1, port="again").done("a", 2).send(CANCEL)
    assert drive.fact(f.CompensationPlanned).plan == ((2, 0),)
    assert drive.command(c.PerformTask).input == 2


def test_a_child_settles_too_and_an_item_of_a_for_each() -> None:
    top = Step("top", Compute(), (Route(("kid", "each")),))
    steps = (
        Step("kid", Child(k("other"))),
        Step("each", Task("t"), each=ForEach(k([1, 2]), concurrency=2)),
        Step("undo", Task("u")),
    )
    workflow = flow(top, *steps, compensations=(Compensation("kid", "undo"),))
    drive = Drive(workflow).send(CANCEL)
    assert c.CancelChild(3, derived("main", "child", 3)) in drive.commands
    drive.send(e.TaskCompleted(T0, drive.op("each", 0), 1, "a"))
    drive.send(e.TaskFailed(T0, drive.op("each", 1), 1, FINAL))
    assert any(isinstance(scope, EachScope) for scope in drive.state.scopes.values())
    settled = drive.send(e.ChildEnded(T0, 3, "kid", "done"))
    assert settled.fact(f.CompensationPlanned).plan == ((3, 1),)
    late = Drive(workflow).send(CANCEL).after(300_000)
    assert late.fact(f.CompensationPlanned).unknown == (1, 2)


def test_a_cancellation_reopens_with_a_retry() -> None:
    drive = Drive(flow(Step("a", Task("t")), cancels=(EventCancel("stop"),))).failed("a", FINAL)
    assert c.CloseWait(-1) in drive.commands
    assert c.OpenWait(-1, "stop") in drive.send(RETRY).commands


# Chains.


def chained(*chains: Chain, output: object = None, **more: object) -> Drive:
    return Drive(flow(Step("a", Task("t")), chains=chains), **more).done("a", output)


def test_a_chain_starts_a_workflow_when_the_execution_completes() -> None:
    drive = chained(Chain("next", obj(n=x("output.n")), deadline_ms=7, retries_max=1), output={"n": 1})
    assert drive.facts[-1] == f.ChainPlanned(T0, 0)
    assert c.FireChain(0) in drive.commands
    assert is_live(drive.state)
    drive.send(e.ChainDue(T0, 0))
    child = derived("main", "chain", 0, 0)
    assert drive.commands == (c.StartChild(0, child, "next", "digest of next", {"n": 1}, 1, 7, 1),)
    assert drive.facts == (f.ChainAdvanced(T0, 0, 1),)
    assert not is_live(drive.state)
    assert drive.send(e.ChainDue(T0, 0)).facts == ()


def test_a_chain_whose_values_are_undefined_is_skipped_and_null_is_a_value() -> None:
    chain = Chain("next", obj(deep=obj(n=x("output.n"))))
    assert "output.n" in chained(chain, output={}).fact(f.ChainSkipped).reason
    assert chained(chain, output={"n": None}).fact(f.ChainPlanned)


def test_a_chain_fans_out_over_an_array_in_chunks() -> None:
    drive = chained(
        Chain("next", obj(v=x("item"), i=x("index")), x("output.items")), output={"items": list(range(250))}
    )
    started: list[c.StartChild] = []
    rounds = 0
    while is_live(drive.state):
        drive.send(e.ChainDue(T0, 0))
        rounds += 1
        started += [command for command in drive.commands if isinstance(command, c.StartChild)]
    assert rounds == 3
    assert [command.input for command in started] == [{"v": i, "i": i} for i in range(250)]
    assert len({command.child for command in started}) == 250


def test_items_of_a_chain_that_lack_a_value_are_skipped_one_by_one() -> None:
    chain = Chain("next", obj(id=x("item.id"), batch=x("output.batch")), x("output.items"))
    drive = chained(chain, output={"items": [{"id": 1}, {}], "batch": 7}).send(e.ChainDue(T0, 0))
    assert drive.fact(f.ChainAdvanced).skipped == (1,)
    assert sum(isinstance(command, c.StartChild) for command in drive.commands) == 1
    whole = chained(chain, output={"items": [{"id": 1}]})
    assert "output.batch" in whole.fact(f.ChainSkipped).reason


def test_what_a_chain_cannot_fan_out_over() -> None:
    chain = Chain("next", items=x("output.items"))
    assert chained(chain, output={}).fact(f.ChainSkipped)
    assert chained(chain, output={"items": "x"}).fact(f.ChainFailed).error.code == "NOT_AN_ARRAY"
    empty = chained(chain, output={"items": []})
    assert empty.fact(f.ChainPlanned).total == 0
    assert not is_live(empty.state)
    broken = Chain("next", items=x("output.items + 1"))
    assert chained(broken, output={"items": None}).fact(f.ChainFailed).error.code == "EXPRESSION"


def test_a_chain_that_cannot_be_started_fails_and_can_be_fired_again() -> None:
    drive = chained(Chain("nobody"), output=1).send(e.ChainDue(T0, 0))
    assert drive.fact(f.ChainFailed).error.code == "UNKNOWN_WORKFLOW"
    assert drive.send(e.ChainDue(T0, 0)).facts == ()
    assert drive.state.status == "completed"
    assert not is_live(drive.state)
    drive.send(e.ChainRequested(T0, 0))
    assert drive.facts == (f.ChainPlanned(T0, 0),)
    assert drive.commands == (c.FireChain(0),)
    assert drive.send(e.ChainRequested(T0, 0)).facts == ()


def test_a_chain_whose_item_cannot_be_computed_fails() -> None:
    drive = chained(Chain("next", obj(n=x("item + 1")), x("output")), output=[1, None]).send(e.ChainDue(T0, 0))
    assert drive.fact(f.ChainFailed).error.code == "EXPRESSION"
    assert drive.commands == ()


def test_a_chain_beyond_the_depth_limit_is_skipped() -> None:
    drive = chained(Chain("next"), depth=10)
    assert "limit of 10" in drive.fact(f.ChainSkipped).reason
    assert drive.state.status == "completed"


def test_a_chain_reads_a_computed_output_too() -> None:
    workflow = flow(Step("a", Task("t")), output=obj(n=x("steps.a.output")), chains=(Chain("next", x("output.n")),))
    drive = Drive(workflow).done("a", 5).send(e.ChainDue(T0, 0))
    assert drive.command(c.StartChild).input == 5


# Taking over, starting by event, forking.


def test_outstanding_is_what_a_process_that_takes_over_has_to_perform() -> None:
    steps = (
        Step("run", Task("t", k(1))),
        Step("slow", Task("t", retry=Retry(2))),
        Step("wait", EventWait(k("tick"))),
        Step("blind", EventWait(k("tock"), lookback=False)),
        Step("nap", Timer(k(5))),
    )
    drive = Drive(branches(*steps)).failed("slow")
    assert outstanding(drive.program, drive.state) == NeedValues(frozenset({drive.op("run")}))
    values: dict[Ref, object] = {drive.op("run"): drive.history[drive.op("run") - 1]}
    found = outstanding(drive.program, drive.state, values)
    assert not isinstance(found, NeedValues)
    assert [type(command) for command in found] == [c.PerformTask, c.LookBack]
    assert not has_ready(drive.program, drive.state)


def test_outstanding_knows_of_steps_items_and_chains_that_are_ready() -> None:
    loop = Drive(flow(Step("loop", Loop(k(list(range(300)))), (Route(("loop",), port="loop"),))))
    assert outstanding(loop.program, loop.state) == (c.Continue(),)
    each = Drive(flow(Step("each", Timer(k(0)), each=ForEach(k([0] * 300)))))
    assert outstanding(each.program, each.state) == (c.Continue(),)
    chain = chained(Chain("nobody"), Chain("b"), output=1).send(e.ChainDue(T0, 0))
    assert outstanding(chain.program, chain.state) == (c.FireChain(1),)


def test_an_event_starts_an_execution() -> None:
    trigger = EventStart("order.*", x("event.payload.big"), obj(id=x("event.payload.id")), x("event.payload.ref"))
    workflow = flow(Step("a", Compute(x("input"))), starts=(trigger, EventStart("order.*")))
    program = Program(workflow, compile_value)

    def by(number: int, data: object, event_type: str = "order.made") -> Start | None:
        event = EventRecord("e1", event_type, T0, data, correlation_id="c9")
        return started_by(program, number, event, execution="x", at=T0)

    found = by(0, {"big": True, "id": 7, "ref": 12})
    assert found is not None
    assert (found.input, found.correlation_id, found.event_id, found.trigger) == ({"id": 7}, "12", "e1", "event")
    begun = start(program, found)
    assert not isinstance(begun, NeedValues)
    assert begun.state.status == "completed"
    assert by(0, {"big": False}) is None
    assert by(0, {"big": True}, "other") is None
    plain = by(1, {"n": 1})
    assert plain is not None
    assert (plain.input, plain.correlation_id) == ({"n": 1}, "c9")
    unnamed = by(0, {"big": True})
    assert unnamed is not None
    assert unnamed.correlation_id is None
    throwing = Program(flow(Step("a", Compute()), starts=(EventStart("e", x("event.payload + 1")),)), compile_value)
    assert started_by(throwing, 0, EventRecord("e", "e", T0), execution="x", at=T0) is None
    undefined = Program(
        flow(Step("a", Compute()), starts=(EventStart("e", input=x("event.payload.x")),)), compile_value
    )
    nothing = started_by(undefined, 0, EventRecord("e", "e", T0, {}), execution="x", at=T0)
    assert nothing is not None
    assert nothing.input is None


def test_executions_that_start_each_other_by_event_end_at_the_depth_limit() -> None:
    program = Program(flow(Step("a", Compute()), starts=(EventStart("e"),), depth_max=3), compile_value)
    deep = started_by(program, 0, EventRecord("e", "e", T0, source="parent", depth=2), execution="x", at=T0)
    assert deep is not None
    assert (deep.depth, deep.parent) == (3, "parent")
    assert started_by(program, 0, EventRecord("e", "e", T0, depth=3), execution="x", at=T0) is None


def forked(drive: Drive, at: int, **edits: object) -> Drive:
    """The fork of `drive` at fact `at`, as a drive of its own."""
    made = Drive.__new__(Drive)
    made.program, made.now, made.history = drive.program, drive.now, drive.history[:at]
    values: dict[Ref, object] = {}
    changes = Edits(T0, "fork", **edits)  # type: ignore[arg-type]
    while isinstance(transition := fork(made.program, fold(made.history), changes, values), NeedValues):
        values.update({ref: made.value(ref) for ref in transition.refs})
    made._take(transition)
    return made


def test_a_fork_goes_on_from_where_its_origin_stood_under_its_own_name() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b",)),)),
        Step("b", Task("t", obj(a=x("steps.a.output"), n=x("input.n"), v=x("vars.v")))),
    )
    drive = Drive(flow(*steps, cancels=(EventCancel("stop"),), deadline_ms=9_000), {"n": 1}).done("a", 1).done("b", 2)
    copy = forked(drive, 3, outputs={"a": 100}, input=({"n": 5},), variables={"v": 6})
    assert copy.command(c.PerformTask).input == {"a": 100, "n": 5, "v": 6}
    assert copy.command(c.PerformTask).key.startswith("fork:")
    assert copy.command(c.OpenWait) == c.OpenWait(-1, "stop")
    assert copy.wake_at == T0 + 9_000
    assert copy.done("b", 9).output == 9
    plain = forked(drive, 2)
    assert plain.command(c.PerformTask).key == "fork:4"
    assert plain.done("a", 3).command(c.PerformTask).input == {"a": 3, "n": 1}


def test_a_fork_can_go_on_at_another_step() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t", x("steps.a.output"))))
    drive = Drive(flow(*steps)).done("a", 1).done("b", 2)
    copy = forked(drive, len(drive.history), steps=("b",))
    assert copy.open_steps == {"b"}
    assert copy.command(c.PerformTask).input == 1


def test_a_fork_opens_anew_what_was_open() -> None:
    steps = (
        Step("run", Task("t")),
        Step("each", Task("t", x("item")), each=ForEach(k([1, 2]), concurrency=2)),
        Step("wait", EventWait(k("tick"))),
        Step("pause", Task("t"), (Route(("end",)),), pause_until=x("output")),
        Step("end", Compute()),
    )
    drive = Drive(branches(*steps)).done("pause", T0 + 50).done("each", "a", item=0)
    copy = forked(drive, len(drive.history))
    assert copy.open_steps == {"run", "each", "wait", "pause"}
    assert [op.item for op in copy.state.ops.values() if op.step == 2] == [1]
    assert all(op.op > len(drive.history) for op in copy.state.ops.values() if op.step != 4)
    copy.done("run").done("each", "b", item=1)
    copy.send(e.EventArrived(T0, EventRecord("e1", "tick", T0)))
    assert copy.after(50).state.status == "completed"


def test_a_fork_of_a_failed_execution_goes_on_at_what_had_failed() -> None:
    drive = Drive(flow(Step("a", Task("t")))).failed("a", FINAL)
    assert forked(drive, len(drive.history)).done("a", 1).output == 1
    undone = saga().done("ship").send(CANCEL)
    assert forked(undone, len(undone.history)).state.status == "completed"


def test_a_fork_asks_for_what_it_needs() -> None:
    drive = Drive(flow(Step("a", Task("t"))))
    assert isinstance(fork(drive.program, drive.state, Edits(T0, "fork")), NeedValues)


def test_time_never_runs_backwards() -> None:
    drive = Drive(flow(Step("a", Task("t"))))
    drive.send(e.TaskCompleted(T0 - 500, 2, 1, "early"))
    assert {fact.at for fact in drive.facts} == {T0}


def test_an_event_that_is_not_about_anything_open_changes_nothing() -> None:
    drive = Drive(flow())
    for event in (
        e.TimeReached(T0),
        e.Continued(T0),
        e.ChainDue(T0, 0),
        e.ChainRequested(T0, 0),
        e.CancelRequested(T0),
        e.EventArrived(T0, EventRecord("e", "tick", T0)),
    ):
        assert drive.send(event).facts == ()
        assert drive.commands == ()


def test_a_category_is_a_name_of_a_failure() -> None:
    assert Failure("x", Category.TIMEOUT).names == ("TIMEOUT",)
    assert Failure("x", Category.TIMEOUT, "T1").names == ("T1", "TIMEOUT")


def test_advance_answers_what_it_needs_and_has_done_nothing() -> None:
    drive = Drive(flow(Step("wait", EventWait(k("tick")))))
    arrived = e.EventArrived(T0, EventRecord("e", "tick", T0))
    assert isinstance(advance(drive.program, drive.state, arrived), NeedValues)
