"""Cancelling, and undoing what was done."""

from __future__ import annotations

import pytest

from core.drive import T0, Drive, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.outstanding import in_flight
from perdure.core.state import EachScope, is_live
from perdure.expressions.times import LAST_MS
from perdure.ids import derived
from perdure.model.failure import Failure
from perdure.model.steps import (
    Approval,
    Child,
    Compute,
    Condition,
    EventWait,
    ForEach,
    Retry,
    Route,
    Step,
    Task,
)
from perdure.model.workflow import Compensation, EventCancel
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)
CANCEL = e.CancelRequested(T0, "called off", "ann", "USER")
RETRY = e.RetryRequested(T0, "ann")


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
    assert drive.fact(f.CompensationFinished).failed == (0, 1)
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


def test_an_attempt_settles_while_instants_can_be_written() -> None:
    assert saga(settle_ms=LAST_MS).send(CANCEL).wake_at == LAST_MS


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
    broken = plan("''.repeat(-1)")
    assert broken.fact(f.CompensationPlanned).plan == ()
    assert broken.fact(f.Warned)


def test_a_compensation_whose_input_cannot_be_computed_fails_and_the_rest_still_runs() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b",)),)),
        Step("b", Task("t"), (Route(("c",)),)),
        Step("c", Approval(k({}))),
        Step("undo_a", Task("u")),
        Step("undo_b", Task("u", x("''.repeat(-1)"))),
    )
    compensations = (Compensation("a", "undo_a"), Compensation("b", "undo_b"))
    drive = Drive(flow(*steps, compensations=compensations)).done("a").done("b").send(CANCEL)
    assert drive.open_steps == {"undo_a"}
    assert drive.done("undo_a").fact(f.CompensationFinished).failed == (0,)


def test_one_step_that_undoes_two_others_may_fail_once() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b",)),)),
        Step("b", Task("t"), (Route(("c",)),)),
        Step("c", Approval(k({}))),
        Step("undo", Task("u", x("undone.step"))),
    )
    both = (Compensation("a", "undo"), Compensation("b", "undo"))
    drive = Drive(flow(*steps, compensations=both)).done("a").done("b").send(CANCEL)
    assert drive.command(c.PerformTask).input == "b"
    told = drive.failed("undo", FINAL).done("undo").command(c.PublishEvent)
    assert told.of_itself
    assert (told.data["completed"], told.data["failed"]) == (["undo"], ["undo"])


def test_what_a_compensation_is_given_is_not_undefined() -> None:
    undo = Step("undo", Task("u", obj(was=x("undone.output"), why=x("undone.nothing"))), warn_undefined=True)
    drive = Drive(
        flow(
            Step("a", Task("t"), (Route(("b",)),)),
            Step("b", Approval(k({}))),
            undo,
            compensations=(Compensation("a", "undo"),),
        )
    )
    assert drive.done("a", 1).send(CANCEL).fact(f.Warned).message == "undefined in its input: undone.nothing"


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


def test_a_call_that_was_not_made_when_the_execution_ended_is_not_made_and_not_waited_for() -> None:
    """The backoff and the deadline are over in the same moment."""
    steps = (
        Step("a", Task("t", retry=Retry(3, delay_ms=1_000, jitter=0))),
        Step("undo", Task("u")),
    )
    more = {"compensations": (Compensation("a", "undo"),), "compensate_on_failure": True}
    drive = Drive(flow(*steps, deadline_ms=1_500, **more)).failed("a").after(2_000)
    assert drive.fact(f.ExecutionFailed).settling == ()
    assert [command for command in drive.commands if isinstance(command, c.PerformTask | c.AbandonTask)] == []
    assert drive.fact(f.CompensationFinished)


def test_what_an_attempt_before_the_one_that_was_not_made_has_done_is_unknown() -> None:
    """It was given up when the execution was to retry itself; then the retry and the deadline are due together."""
    steps = (
        Step("top", Compute(), (Route(("a", "bad")),)),
        Step("a", Task("t")),
        Step("bad", Task("t")),
        Step("undo", Task("u")),
    )
    more = {"compensations": (Compensation("a", "undo"),), "compensate_on_failure": True}
    drive = Drive(flow(*steps, deadline_ms=6_000, **more), retries_max=1).failed("bad").after(7_000)
    op = drive.fact(f.ExecutionFailed).settling[0][0]
    assert drive.history[op - 1].step == 1
    assert drive.wake_at == drive.now
    assert drive.after(0).fact(f.CompensationPlanned).unknown == (1, 2)


def test_items_that_were_handed_out_and_given_up_in_one_go_are_not_called() -> None:
    steps = (
        Step("top", Compute(), (Route(("each", "bad")),)),
        Step("each", Task("t", x("item")), each=ForEach(k([1, 2]), concurrency=2)),
        Step("bad", Condition(k(7))),
    )
    assert [type(command) for command in Drive(flow(*steps)).commands] == [c.Finish]
