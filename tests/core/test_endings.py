"""How executions end: completed, failed, cancelled, undone; and how they are taken up again."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from core.drive import T0, Drive, branches, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.readiness import has_ready
from perdure.core.standing import standing
from perdure.core.state import is_final, is_live
from perdure.expressions.times import LAST_MS
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
    Timer,
)
from perdure.model.workflow import Entry, EventCancel
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)
CANCEL = e.CancelRequested(T0, "called off", "ann", "USER")
RETRY = e.RetryRequested(T0, "ann")


# Completing.


def test_no_steps_completes_at_once() -> None:
    assert Drive(flow()).state.status == "completed"
    assert Drive(flow(initial=k({"a": 1}), output=x("vars"))).output == {"a": 1}


def test_the_output_is_that_of_the_step_that_completed_last_or_is_computed() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t")))
    assert Drive(flow(*steps)).done("a", 1).done("b", 2).output == 2
    assert Drive(flow(*steps, output=x("steps.a.output"))).done("a", 1).done("b", 2).output == 1
    assert Drive(flow(*steps, output=x("steps.zzz.output"))).done("a", 1).done("b", 2).output is None
    broken = Drive(flow(*steps, output=x("steps.a.output.trim()"))).done("a", 1).done("b", 2)
    assert broken.fact(f.ExecutionFailed).error.code == "EXPRESSION"


def test_the_output_of_a_last_step_that_is_not_at_hand_is_asked_for() -> None:
    steps = (Step("a", Task("t"), pause_until=x("output.until")),)
    drive = Drive(flow(*steps)).done("a", {"until": T0 + 5}).after(5)
    assert drive.asked == {3}
    assert drive.output == {"until": T0 + 5}


def test_what_cannot_begin_with_its_input_is_there_and_has_failed() -> None:
    step = Step("a", Task("t"))
    cancels = (EventCancel("order.stopped"),)
    drive = Drive(flow(step, initial=x("input.trim()"), cancels=cancels), {"n": 1}, unfit=FINAL, retries_max=3)
    assert [type(fact) for fact in drive.history] == [f.ExecutionStarted, f.ExecutionFailed]
    assert drive.fact(f.ExecutionFailed).error == FINAL
    assert drive.command(c.Finish) == c.Finish("failed", error=FINAL)
    assert drive.history[0].input == {"n": 1}  # type: ignore[union-attr]
    assert not drive.send(RETRY).facts
    assert drive.state.status == "failed"
    plain = Drive(flow(step), None, unfit=FINAL)
    assert plain.fact(f.ExecutionFailed).error == FINAL


def test_the_entry_is_chosen_by_what_started_it() -> None:
    steps = (Step("a", Compute(k("a"))), Step("b", Compute(k("b"))))
    entries = (Entry("a", "manual"), Entry("b", "schedule"))
    assert Drive(flow(*steps, entries=entries), trigger="schedule").output == "b"
    assert Drive(flow(*steps, entries=entries), trigger="webhook").output == "a"


def test_names_that_are_reserved_are_left_out_of_the_first_variables_with_a_warning() -> None:
    step = Step("a", Compute(obj(vars=x("vars"), input=x("input"))))
    given = {"n": 1, "_wait": None, "_branch": "b"}
    drive = Drive(flow(step, initial=x("input"), reserved=("_branch", "_wait", "_other")), given)
    assert drive.output == {"vars": {"n": 1}, "input": {"n": 1, "_wait": None, "_branch": "b"}}
    warned = [fact for fact in drive.history if isinstance(fact, f.Warned)]
    assert [(fact.step, "'_branch'" in fact.message) for fact in warned] == [(-1, True), (-1, False)]
    assert Drive(flow(step, initial=x("input"), reserved=("_branch",)), None).output == {"vars": {}, "input": None}


def test_an_entry_may_look_at_what_started_the_execution() -> None:
    steps = (Step("a", Compute(k("a"))), Step("b", Compute(k("b"))), Step("c", Compute(k("c"))))
    broken = Entry("c", when=x("input.n.toFixed() == '9'"))
    entries = (Entry("a"), broken, Entry("b", "event", x("input.n > 1 && trigger.data.type == 'tick'")))
    event = {"trigger": "event", "trigger_data": {"type": "tick"}}
    assert Drive(flow(*steps, entries=entries), {"n": 2}, **event).output == "b"
    assert Drive(flow(*steps, entries=entries), {"n": 1}, **event).output == "a"
    assert Drive(flow(*steps, entries=entries), {"n": "no number"}, **event).output == "a"
    assert Drive(flow(*steps, entries=entries), {"n": 2}).output == "a"


def test_first_variables_are_computed_from_the_start() -> None:
    steps = (Step("a", Compute(x("vars"))),)
    assert Drive(flow(*steps, initial=obj(n=x("input.n"), by=x("trigger.type"))), {"n": 1}).output == {
        "n": 1,
        "by": "manual",
    }
    assert Drive(flow(*steps, initial=x("input.none")), {}).output == {}
    for value, code in ((x("''.repeat(input.n)"), "EXPRESSION"), (k([1]), "EXPRESSION")):
        failed = Drive(flow(*steps, initial=value), {"n": -1})
        assert failed.fact(f.ExecutionFailed).error.code == code


def test_expressions_read_what_is_known_of_the_execution() -> None:
    values = obj(
        id=x("execution.id"),
        depth=x("execution.depth"),
        correlation=x("execution.correlationId"),
        trigger=x("trigger.data"),
        now=x("nowMs"),
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


def test_an_execution_that_was_about_to_retry_itself_may_run_out_of_time_instead() -> None:
    """Both are due when it is woken, and it has one end."""
    late = Drive(flow(Step("a", Task("t"))), retries_max=9, deadline_ms=5_000).failed("a").after(9_000)
    assert [type(fact) for fact in late.facts] == [f.ExecutionFailed]
    assert late.state.status == "failed"
    first = Drive(flow(Step("a", Task("t"))), retries_max=9, deadline_ms=7_000).failed("a").after(9_000)
    assert [type(fact) for fact in first.facts] == [f.ExecutionRetried, f.ExecutionFailed]
    assert first.state.status == "failed"


def test_a_failure_keeps_its_names_wherever_it_comes_from() -> None:
    raised = Failure("no", retriable=False, exception="KeyError", stack="line 1")
    each = Step("a", Task("t"), each=ForEach(k([1])), on_error=(Route(("b",), port="KeyError"),))
    assert Drive(flow(each, Step("b", Task("t")))).failed("a", raised, item=0).open_steps == {"b"}
    both = Drive(branches(Step("a", Task("t")), Step("b", Task("t")), on_failure="drain"))
    error = both.failed("a", raised).failed("b", FINAL).fact(f.ExecutionFailed).error
    assert (error.exception, error.stack) == ("KeyError", "line 1")
    parent = Drive(flow(Step("a", Child(k("x")), on_error=(Route(("b",), port="KeyError"),)), Step("b", Task("t"))))
    assert parent.send(e.ChildEnded(T0, parent.op("a"), "kid", None, raised)).open_steps == {"b"}


@pytest.mark.parametrize(("names_failed", "told"), [(True, "a: {}"), (False, "{}")])
def test_a_step_that_fails_alone_is_named_where_that_is_wanted(names_failed: bool, told: str) -> None:
    drive = Drive(flow(Step("a", Task("t")), names_failed=names_failed))
    error = drive.failed("a", FINAL).fact(f.ExecutionFailed).error
    assert error == replace(FINAL, message=told.format(FINAL.message))


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


def test_what_is_undefined_is_told_as_its_author_wrote_it() -> None:
    step = Step("a", Task("t", obj(m=x("input.m"))), warn_undefined=True)
    warned = Drive(flow(step, written=(("input.m", "@input.m"),))).fact(f.Warned)
    assert warned.message == "undefined in its input: @input.m"


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
    error = drive.fact(f.ExecutionFailed).error
    assert (error.code, error.message) == ("TIMEOUT", "the execution took longer than its timeout of 60000 ms")
    assert drive.commands[0] == c.AbandonTask(2)
    drive.send(e.RetryRequested(drive.now, "ann"))
    assert drive.wake_at == drive.now + 60_000


def test_a_deadline_that_moves_is_an_instant_that_can_be_written() -> None:
    """The first one follows from what is stored of the start, and stays what older versions made of that."""
    steps = (Step("ask", Approval(k({})), (Route(("a",)),)), Step("a", Task("t")))
    drive = Drive(flow(Step("a", Task("t")), deadline_ms=LAST_MS))
    assert drive.wake_at == T0 + LAST_MS
    drive.failed("a", FINAL).send(RETRY)
    assert drive.fact(f.ExecutionRetried).deadline_at == LAST_MS
    paused = Drive(flow(*steps, deadline_ms=LAST_MS, deadline_pauses=True))
    paused.now += 1_000_000
    paused.send(e.ApprovalDecided(paused.now, 2, "approve", "ann"))
    assert paused.fact(f.DeadlineMoved).due_at == LAST_MS


def test_the_deadline_of_a_start_beats_that_of_the_workflow() -> None:
    drive = Drive(flow(Step("a", Task("t")), deadline_ms=60_000), deadline_ms=5)
    assert drive.wake_at == T0 + 5
    assert drive.after(5).fact(f.ExecutionFailed).error.message.endswith("its timeout of 5 ms")


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


# Asked for a version.


def test_a_cancellation_of_the_version_that_it_names_has_its_effect_in_the_next_fact() -> None:
    drive = Drive(flow(Step("a", Task("t"))))
    before = drive.state.seq
    drive.send(e.CancelRequested(T0, "called off", "ann", "USER", version=before))
    assert drive.state.status == "cancelled"
    assert isinstance(drive.history[before], f.ExecutionCancelled)


def test_a_cancellation_of_another_version_changes_nothing_and_is_told() -> None:
    drive = Drive(flow(Step("a", Task("t"))))
    before = drive.state.seq
    for version in (0, before - 1, before + 9, before + 8):
        drive.send(e.CancelRequested(T0, "called off", "ann", "USER", version=version))
        assert drive.commands == ()
        (warned,) = drive.facts
        assert isinstance(warned, f.Warned)
        at = drive.state.seq - 1
        assert warned.message == (
            f"a cancellation by ann was asked for version {version}, and came at version {at}: it changed nothing"
        )
    assert drive.done("a", 1).output == 1


def test_a_retry_of_the_version_that_it_names_has_its_effect_and_of_another_has_none() -> None:
    drive = Drive(flow(Step("a", Task("t")))).failed("a", FINAL)
    before = drive.state.seq
    (warned,) = drive.send(e.RetryRequested(T0, "ann", before - 1)).facts
    assert isinstance(warned, f.Warned)
    said = f"a retry by ann was asked for version {before - 1}, and came at version {before}: it changed nothing"
    assert warned.message == said
    drive.send(e.RetryRequested(T0, "ann", before + 1))
    assert drive.state.status == "running"
    assert isinstance(drive.history[before + 1], f.ExecutionRetried)


def test_after_a_completion_nothing_is_told_of_what_was_asked_for_another_version() -> None:
    drive = Drive(flow(Step("a", Task("t")))).done("a", 1)
    for event in (e.CancelRequested(T0, version=1), e.RetryRequested(T0, "ann", 1)):
        assert drive.send(event).facts == ()
