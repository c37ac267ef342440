"""Timers, pauses, events, approvals and children: what an execution waits for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from core.drive import T0, Drive, branches, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.patterns import beginning, is_wild, matches, why_nothing_fits
from perdure.core.standing import standing
from perdure.core.values import Consumed
from perdure.ids import derived
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord, Waiting
from perdure.model.steps import Approval, Child, Compute, EventWait, ForEach, Publish, Retry, Route, Step, Task, Timer
from perdure.model.values import Value
from perdure.model.workflow import EventCancel
from perdure.testing.words import k, obj, x


def event(event_type: str, data: object = None, event_id: str = "e1") -> e.EventArrived:
    return e.EventArrived(T0, EventRecord(event_id, event_type, T0, data))


# Timers and pauses.


def test_a_timer_fires_when_it_is_due_and_not_before() -> None:
    drive = Drive(flow(Step("nap", Timer(k(30_000)))))
    assert drive.facts[1] == f.TimerOpened(T0, 0, T0 + 30_000)
    assert drive.wake_at == T0 + 30_000
    assert drive.after(29_999).facts == ()
    assert drive.after(1).output == {"slept": True, "ms": 30_000}


def test_until_beats_the_delay_and_the_past_is_no_wait() -> None:
    assert Drive(flow(Step("nap", Timer(k(1), k(T0 + 5))))).wake_at == T0 + 5
    assert Drive(flow(Step("nap", Timer(k(5), x("input.when")))), {}).wake_at == T0 + 5
    assert Drive(flow(Step("nap", Timer(until=k(T0 - 1))))).output == {"slept": True, "ms": 0}
    assert Drive(flow(Step("nap", Timer(k(0))))).output == {"slept": True, "ms": 0}


@pytest.mark.parametrize("delay", [x("input.nothing"), k("soon"), k(True), k(1e300)])
def test_a_timer_without_a_time_fails(delay: Value) -> None:
    drive = Drive(flow(Step("nap", Timer(delay))), {})
    assert drive.state.status == "failed"
    assert drive.fact(f.StepFailed).error.code == "EXPRESSION"


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (EventWait(x("input.odd")), "the pattern of an event contains a NUL character"),
        (EventWait(x("'x'.repeat(501)")), "the pattern of an event has 501 characters; shorten it to at most 500"),
        (Publish(x("'x'.repeat(501)")), "the type of an event has 501 characters; shorten it to at most 500"),
        (Publish(x("'日'.repeat(400)")), "the type of an event takes 1200 bytes as UTF-8; shorten it to at most 1000"),
        (Child(x("'x'.repeat(501)")), "the workflow to start has 501 characters"),
        (Approval(k("ok?"), role=x("'x'.repeat(501)")), "approverRole has 501 characters"),
        (Approval(k("ok?"), details=x("({resourceId: 'x'.repeat(501)})")), "resourceId has 501 characters"),
        (Publish(x("input.odd")), "the type of an event contains a NUL character"),
        (Child(x("input.odd")), "the workflow to start contains a NUL character"),
        (Approval(k({}), member=x("input.odd")), "approverMemberId contains a NUL character"),
        (Approval(k({}), details=obj(resourceId=x("input.odd"))), "resourceId contains a NUL character"),
    ],
)
def test_a_name_that_is_read_from_an_older_value_with_nul_fails_the_step(work: Any, said: str) -> None:
    drive = Drive(flow(Step("a", work)), {"odd": "a\0b"})
    assert said in drive.fact(f.StepFailed).error.message


UNBOUNDED = ["1 / input.zero", "-1 / input.zero", "0 / input.zero", "nowMs + 1e308 * 10", "Number('x')"]


@pytest.mark.parametrize("source", UNBOUNDED)
@pytest.mark.parametrize(
    "step",
    [
        lambda time: Step("a", Timer(time)),
        lambda time: Step("a", Timer(k(5), until=time)),
        lambda time: Step("a", EventWait(k("tick"), timeout_ms=time)),
        lambda time: Step("a", Approval(k({}), due_at=time)),
        lambda time: Step("a", Compute(k(1)), pause_until=time),
    ],
    ids=["delay", "until", "timeout", "dueDate", "pause_until"],
)
def test_a_computed_time_that_is_not_finite_fails_the_step(step: Callable[[Value], Step], source: str) -> None:
    drive = Drive(flow(step(x(source))), {"zero": 0})
    assert drive.state.status == "failed"
    (error,) = (fact.error for fact in drive.history if isinstance(fact, f.StepFailed))
    assert error.code == "EXPRESSION"
    assert "not a finite number" in error.message


@pytest.mark.parametrize("time", [k(None), x("input.none"), x("null"), x("[][0] ?? null"), obj(a=x("1/0"))])
def test_a_time_that_is_null_is_not_taken_for_one_that_is_not_finite(time: Value) -> None:
    drive = Drive(flow(Step("a", EventWait(k("tick"), timeout_ms=time))), {"none": None})
    assert all(
        "not a finite number" not in fact.error.message for fact in drive.history if isinstance(fact, f.StepFailed)
    )


def test_a_timer_without_a_time_says_what_it_was_to_wait_for() -> None:
    drive = Drive(flow(Step("nap", Timer(x("input.for"), k(None)))), {})
    (error,) = (fact.error for fact in drive.history if isinstance(fact, f.StepFailed))
    assert "'until' is null and 'delay' is undefined (input.for)" in error.message


def test_a_pause_says_what_it_waits_for() -> None:
    for label, shown in ((x("output.label"), "the bank"), (x("output.nothing"), None)):
        drive = Drive(flow(Step("a", Task("t"), pause_until=k(T0 + 9), pause_label=label)))
        drive.done("a", {"label": "the bank"})
        assert standing(drive.program, drive.state) == ("waiting", Waiting("timer", "a", T0, T0 + 9, shown))
    past = Drive(flow(Step("a", Task("t"), pause_until=k(T0), pause_label=x("output.label"))))
    assert past.done("a", {"label": "the bank"}).fact(f.StepCompleted).label is None


def test_control_is_held_after_a_step_that_pauses() -> None:
    steps = (Step("a", Task("t"), (Route(("b",)),), pause_until=x("output.until")), Step("b", Task("t")))
    drive = Drive(flow(*steps)).done("a", {"until": T0 + 60_000})
    assert drive.facts == (f.StepCompleted(T0, 0, 2, {"until": T0 + 60_000}, next=(1,), hold_until=T0 + 60_000),)
    assert standing(drive.program, drive.state) == ("waiting", Waiting("timer", "a", T0, T0 + 60_000))
    assert drive.after(60_000).open_steps == {"b"}
    past = Drive(flow(*steps)).done("a", {"until": T0 - 1})
    assert past.open_steps == {"b"}


# Events.


def test_an_event_that_fits_ends_the_wait_and_is_its_output() -> None:
    drive = Drive(flow(Step("paid", EventWait(k("order.paid")))))
    assert drive.commands == (c.OpenWait(2, "order.paid", look_back=True),)
    assert standing(drive.program, drive.state) == ("waiting", Waiting("event", "paid", T0, on="order.paid"))
    drive.send(event("order.paid", {"amount": 5}))
    assert drive.asked == {Consumed("e1")}
    assert drive.fact(f.StepCompleted).event_id == "e1"
    assert list(drive.commands) == [c.CloseWait(2), c.Finish("completed", {"amount": 5})]


def test_an_event_that_does_not_fit_is_declined() -> None:
    wait = EventWait(k("order.paid"), x("event.payload.id == input.id"), lookback=False)
    drive = Drive(flow(Step("paid", wait)), {"id": 7})
    assert drive.commands == (c.OpenWait(2, "order.paid", place="/payload/id", key="number 7"),)
    assert drive.send(event("order.sent")).facts == ()
    assert drive.send(event("order.paid", {"id": 8})).facts == ()
    assert drive.send(event("order.paid", {"id": 7})).state.status == "completed"


def test_an_event_is_consumed_once_by_an_execution() -> None:
    steps = (Step("a", EventWait(k("tick")), (Route(("b",)),)), Step("b", EventWait(k("tick"))))
    drive = Drive(flow(*steps)).send(event("tick"))
    assert drive.open_steps == {"b"}
    assert drive.send(event("tick")).facts == ()
    assert drive.send(event("tick", event_id="e2")).state.status == "completed"
    started = Drive(flow(Step("b", EventWait(k("tick")))), event_id="e1")
    assert started.send(event("tick")).facts == ()


def test_an_event_over_which_a_step_breaks_is_consumed_all_the_same() -> None:
    unrouted = {"routes": (Route((), port="never"),), "unrouted": "fail"}
    for more in (unrouted, {"assign": obj(n=x("[1].map(output.n)"))}):
        step = Step("a", EventWait(k("tick")), on_error=(Route(("a",)),), **more)
        drive = Drive(flow(step)).send(event("tick"))
        assert drive.state.runs[0] == 2
        assert drive.send(event("tick")).facts == ()


def test_an_old_event_is_for_waits_that_look_back_and_cancels_nothing() -> None:
    steps = (
        Step("a", Compute(), (Route(("new", "any")),)),
        Step("new", EventWait(k("tick"), lookback=False)),
        Step("any", EventWait(k("tick"))),
    )
    drive = Drive(flow(*steps, cancels=(EventCancel("*"),)))
    assert drive.send(replace(event("tick"), found_by=drive.op("any"))).open_steps == {"new"}
    assert drive.send(replace(event("tick", event_id="e2"), found_by=9)).facts == ()
    assert drive.send(event("tick", event_id="e3")).state.status == "cancelled"


def test_an_event_that_came_before_the_execution_began_still_cancels_it() -> None:
    drive = Drive(flow(Step("a", Task("t")), cancels=(EventCancel("tick"),)))
    assert drive.commands[0] == c.OpenWait(-1, "tick", look_back=True)
    assert drive.send(replace(event("tick"), found_by=-1)).state.status == "cancelled"


def test_of_two_waits_the_older_takes_the_event() -> None:
    steps = (
        Step("a", Compute(), (Route(("b", "c")),)),
        Step("b", EventWait(k("tick"))),
        Step("c", EventWait(k("tick"))),
    )
    drive = Drive(flow(*steps)).send(event("tick"))
    assert drive.open_steps == {"c"}


def test_a_condition_on_an_event_that_cannot_be_computed_is_false_and_a_warning() -> None:
    drive = Drive(flow(Step("a", EventWait(k("tick"), x("event.payload.n.toFixed() > 1"))))).send(
        event("tick", {"n": "x"})
    )
    assert drive.state.status == "running"
    assert "counts as false" in drive.fact(f.Warned).message


def test_a_wait_computes_its_output_from_the_event() -> None:
    drive = Drive(flow(Step("a", EventWait(k("tick"), output=obj(n=x("event.payload.n")))))).send(
        event("tick", {"n": 3})
    )
    assert drive.output == {"n": 3}
    broken = Drive(flow(Step("a", EventWait(k("tick"), output=x("event.payload.n.trim()"))))).send(
        event("tick", {"n": 5})
    )
    assert broken.state.status == "failed"


def test_a_wait_that_nothing_ends_in_time_fails_with_timeout() -> None:
    steps = (
        Step("a", EventWait(k("tick"), timeout_ms=k(5_000)), on_error=(Route(("late",), port="TIMEOUT"),)),
        Step("late", Compute(x("steps.a.error.code"))),
    )
    drive = Drive(flow(*steps)).after(5_000)
    assert drive.commands[0] == c.CloseWait(2)
    assert drive.output == "TIMEOUT"
    told = "step 'a' waited for an event 'tick' and none that fits came within its timeout of 5000 ms"
    assert drive.fact(f.StepFailed).error.message == told
    forever = Drive(flow(Step("a", EventWait(k("tick"), timeout_ms=x("input.nothing")))), {})
    assert forever.wake_at is None


def test_a_pattern_must_be_text() -> None:
    drive = Drive(flow(Step("a", EventWait(x("input.pattern")))), {"pattern": ""})
    assert "not empty" in drive.fact(f.StepFailed).error.message


@pytest.mark.parametrize(
    ("pattern", "fits", "does_not"),
    [
        ("order.paid", ["order.paid"], ["order", "order.paid.x", "order.sent"]),
        ("*.created", ["a.created"], ["created", "a.b.created"]),
        ("finance.*.approved", ["finance.x.approved"], ["finance.approved", "finance.x.y.approved"]),
        ("bookings.*", ["bookings.a", "bookings.a.b"], ["bookings", "other.a"]),
        ("**", ["a", "a.b"], []),
        ("a.#.d", ["a.d", "a.b.d", "a.b.c.d"], ["a", "a.b.c"]),
        ("a.**", ["a", "a.b"], ["b"]),
        ("*", ["a"], ["a.b"]),
        ("**.x.**.y", ["x.y", "a.x.b.x.y"], ["x", "y.x"]),
    ],
)
def test_patterns_of_events(pattern: str, fits: list[str], does_not: list[str]) -> None:
    assert all(matches(pattern, event_type) for event_type in fits)
    assert not any(matches(pattern, event_type) for event_type in does_not)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("order..paid", "empty word"),
        ("", "empty word"),
        ("order. paid", "a blank"),
        ("order.pa*", "'pa*'"),
        ("order.#id", "'#id'"),
        ("a.*.#.**.b/c", ""),
    ],
)
def test_a_pattern_that_no_type_can_fit_says_why(pattern: str, why: str) -> None:
    assert why in (why_nothing_fits(pattern) or "")
    assert (why_nothing_fits(pattern) is None) == (why == "")


def test_a_hostile_pattern_is_matched_in_no_time() -> None:
    assert not matches(".".join(["**", "a"] * 40) + ".b", ".".join(["a"] * 400))


def test_an_event_is_published_with_the_step() -> None:
    drive = Drive(
        flow(
            Step(
                "tell",
                Publish(
                    k("order.made"),
                    obj(n=x("input.n")),
                ),
            )
        ),
        {"n": 1},
    )
    command = drive.command(c.PublishEvent)
    assert command == c.PublishEvent(derived("main", "event", 2), "order.made", {"n": 1})
    assert drive.output == {"eventId": command.id, "type": "order.made"}
    assert Drive(flow(Step("tell", Publish(k("x"), x("input.n")))), {}).command(c.PublishEvent).data is None


def test_a_step_that_fails_publishes_nothing() -> None:
    step = Step("tell", Publish(k("order.made")), (Route((), port="never"),), unrouted="fail")
    drive = Drive(flow(step))
    assert drive.state.status == "failed"
    assert [command for command in drive.commands if isinstance(command, c.PublishEvent)] == []


# Approvals.


def approval(**more: object) -> Drive:
    return Drive(flow(Step("ask", Approval(obj(what=x("input.what")), **more))), {"what": "pay"})  # type: ignore[arg-type]


def test_an_approval_asks_and_answers_on_the_port_of_its_decision() -> None:
    drive = approval(votes_required=2)
    opened = drive.command(c.OpenApproval)
    assert opened == c.OpenApproval(2, derived("main", "approval", 2), "ask", {"what": "pay"}, None, 2)
    assert standing(drive.program, drive.state) == ("waiting", Waiting("approval", "ask", T0))
    drive.send(e.ApprovalDecided(T0, 2, "reject", "ann", "too much", {"what": "less"}))
    assert drive.fact(f.StepCompleted).port == "rejected"
    assert drive.output == {
        "approvalId": opened.id,
        "status": "rejected",
        "decision": "reject",
        "decidedBy": "ann",
        "comments": "too much",
        "submittedData": {"what": "pay"},
        "modifiedData": {"what": "less"},
    }


def test_a_second_decision_changes_nothing() -> None:
    drive = approval().send(e.ApprovalDecided(T0, 2, "approve", "ann"))
    assert drive.send(e.ApprovalDecided(T0, 2, "reject", "bob")).facts == ()


def test_an_approval_that_nobody_decides_in_time() -> None:
    due = {"due_at": x("now + 60000")}
    stays = approval(**due).after(60_000)
    assert stays.facts == (f.ApprovalOverdue(T0 + 60_000, 2),)
    assert stays.commands == (c.EscalateApproval(2),)
    assert stays.wake_at is None
    handed_on = approval(**due, on_timeout="escalate", escalate_to=x("input.what")).after(60_000)
    assert handed_on.commands == (c.EscalateApproval(2, "pay"),)
    assert handed_on.send(e.ApprovalDecided(T0, 2, "approve", "boss")).state.status == "completed"
    for decision, status in (("approve", "approved"), ("reject", "rejected")):
        settled = approval(**due, on_timeout=decision).after(60_000)
        assert settled.commands[0] == c.SettleApproval(2, decision)  # type: ignore[arg-type]
        assert settled.output["status"] == status
        assert settled.output["decidedBy"] == "system"
    failed = approval(**due, on_timeout="fail").after(60_000)
    assert failed.commands[0] == c.SettleApproval(2)
    assert failed.fact(f.StepFailed).error.category == Category.TIMEOUT


def test_an_escalation_that_cannot_be_told_goes_to_nobody_and_the_approval_stays() -> None:
    for to in (x("''.repeat(-1)"), x("input.nobody")):
        drive = approval(due_at=k(T0 + 5), on_timeout="escalate", escalate_to=to).after(5)
        assert drive.command(c.EscalateApproval) == c.EscalateApproval(2)
        assert drive.open_steps == {"ask"}
    assert approval(due_at=x("input.nothing")).wake_at is None


def test_a_request_that_is_undefined_is_null() -> None:
    assert Drive(flow(Step("ask", Approval(x("input.nothing")))), {}).command(c.OpenApproval).request is None


# Children.


def test_a_child_is_started_once_and_its_output_is_that_of_the_step() -> None:
    drive = Drive(flow(Step("sub", Child(k("other"), obj(n=x("input.n")), deadline_ms=9, retries_max=2))), {"n": 1})
    child = derived("main", "child", 2)
    assert drive.commands == (c.StartChild(2, child, "other", "digest of other", {"n": 1}, 1, 9, 2),)
    assert standing(drive.program, drive.state) == ("running", None)
    drive.send(e.ChildEnded(T0, 2, child, {"done": True}))
    assert drive.output == {"done": True}


def test_a_child_that_fails_fails_the_step() -> None:
    drive = Drive(flow(Step("sub", Child(k("other")))))
    error = Failure("it broke", Category.BUSINESS, "BROKE")
    drive.send(e.ChildEnded(T0, 2, "c", error=error))
    found = drive.fact(f.StepFailed).error
    assert found == replace(error, retriable=False, origin=derived("main", "child", 2))


def test_a_failure_is_passed_up_unchanged_from_the_execution_that_it_arose_in() -> None:
    error = Failure("it broke", Category.BUSINESS, "BROKE", retriable=False, details={"n": 1}, origin="deep")
    for step in (
        Step("sub", Child(k("other"))),
        Step("sub", Child(k("other")), each=ForEach(k([1]))),
    ):
        for names_failed in (False, True):
            drive = Drive(flow(step, names_failed=names_failed))
            drive.send(e.ChildEnded(T0, next(iter(drive.state.ops)), "c", error=error))
            assert drive.fact(f.StepFailed).error == error
            assert drive.command(c.Finish).error == error


def test_expressions_read_which_execution_a_failure_arose_in() -> None:
    steps = (
        Step("sub", Child(k("other")), on_error=(Route(("told",)),)),
        Step("told", Compute(x("steps.sub.error.executionId"))),
    )
    drive = Drive(flow(*steps))
    drive.send(e.ChildEnded(T0, 2, "c", error=Failure("it broke", origin="deep")))
    assert drive.output == "deep"


def test_failures_of_many_steps_are_told_in_a_bounded_message() -> None:
    steps = [Step(f"s{number}", Child(k("other"))) for number in range(30)]
    drive = Drive(branches(*steps, on_failure="drain"))
    for step, op in [(step.id, drive.op(step.id)) for step in steps]:
        drive.send(e.ChildEnded(T0, op, "c", error=Failure("long " * 100, origin=step)))
    error = drive.command(c.Finish).error
    assert error is not None
    assert (len(error.message), error.message[-1], error.origin) == (4_000, "…", "s0")


def test_a_child_that_is_not_waited_for_completes_the_step_at_once() -> None:
    drive = Drive(flow(Step("sub", Child(k("other"), x("input.nothing"), wait=False))), {})
    assert drive.output == derived("main", "child", 2)
    assert drive.command(c.StartChild).op == 0
    assert drive.command(c.StartChild).input is None


def test_a_child_that_names_nothing_fails_the_step() -> None:
    for wait in (True, False):
        error = Drive(flow(Step("sub", Child(k("nobody"), wait=wait)))).fact(f.StepFailed).error
        assert error.code == "UNKNOWN_WORKFLOW"
        assert "'nobody'" in error.message


def test_a_child_beyond_the_depth_limit_fails_the_step_that_waits_for_it() -> None:
    drive = Drive(flow(Step("sub", Child(k("other"))), depth_max=3), depth=3)
    error = drive.fact(f.StepFailed).error
    assert (drive.state.status, error.code, error.retriable) == ("failed", "DEPTH", False)
    assert "'other'" in error.message
    assert "limit of 3" in error.message
    assert not any(isinstance(command, c.StartChild) for command in drive.commands)


def test_each_item_beyond_the_depth_limit_fails() -> None:
    each = ForEach(k([1, 2]), on_error="continue")
    drive = Drive(flow(Step("sub", Child(k("other")), each=each), depth_max=3), depth=3)
    assert [fact.error.code for fact in drive.history if isinstance(fact, f.ItemFailed)] == ["DEPTH", "DEPTH"]
    assert drive.output == [None, None]


def test_a_child_beyond_the_depth_limit_that_is_not_waited_for_is_skipped_and_recorded() -> None:
    drive = Drive(flow(Step("sub", Child(k("other"), wait=False)), depth_max=3), depth=3)
    assert (drive.state.status, drive.output) == ("completed", None)
    assert "limit of 3" in drive.fact(f.ChainSkipped).reason
    assert not any(isinstance(command, c.StartChild) for command in drive.commands)


def test_a_start_that_an_older_version_has_skipped_stays_completed() -> None:
    drive = Drive(flow(Step("sub", Child(k("other"))), depth_max=3), depth=3)
    facts = [
        *drive.history[:1],
        f.ChainSkipped(T0, "'other' was not started", step=0),
        f.StepCompleted(T0, 0),
        f.ExecutionCompleted(T0),
    ]
    assert fold(facts).status == "completed"


# How it stands.


def test_of_several_waits_the_one_that_wakes_first_is_named() -> None:
    steps = (
        Step("a", Compute(), (Route(("b", "c", "d")),)),
        Step("b", Approval(k({}))),
        Step("c", Timer(k(9_000))),
        Step("d", Timer(k(5_000))),
    )
    drive = Drive(flow(*steps))
    assert standing(drive.program, drive.state) == ("waiting", Waiting("timer", "d", T0, T0 + 5_000))


def test_a_backoff_counts_as_running_and_a_for_each_that_has_items_to_hand_out() -> None:
    drive = Drive(flow(Step("a", Task("t", retry=Retry(2))))).failed("a")
    assert standing(drive.program, drive.state) == ("running", None)
    for_each = Drive(flow(Step("a", Timer(x("item")), each=ForEach(k([0] * 300)))))
    assert standing(for_each.program, for_each.state) == ("running", None)


def test_waits_can_be_repeated_for_each_item() -> None:
    for work in (Timer(x("item")), EventWait(k("tick")), Approval(x("item")), Child(k("other"), x("item"))):
        drive = Drive(flow(Step("a", work, each=ForEach(k([1, 2]), concurrency=2))))
        assert sorted(op.item for op in drive.state.ops.values()) == [0, 1]


def test_an_event_that_fits_a_cancellation_cancels_before_it_resumes() -> None:
    cancel = EventCancel("order.*", x("event.payload.id == input.id"), "called off", compensate=False)
    drive = Drive(flow(Step("a", EventWait(k("order.**"))), cancels=(cancel,)), {"id": 1})
    assert drive.commands[0] == c.OpenWait(-1, "order.*", look_back=True, place="/payload/id", key="number 1")
    assert drive.send(event("order.gone", {"id": 1})).state.status == "cancelled"
    assert drive.fact(f.ExecutionCancelled).event_id == "e1"
    assert drive.fact(f.ExecutionCancelled).source == "EVENT"
    assert {command.op for command in drive.commands if isinstance(command, c.CloseWait)} == {2, -1}
    assert drive.send(event("order.gone", {"id": 1}, "e2")).facts == ()
    other = Drive(flow(Step("a", EventWait(k("order.**"))), cancels=(cancel,)), {"id": 2})
    assert other.send(event("order.gone", {"id": 1})).state.status == "completed"


def test_a_time_is_a_number_a_duration_or_an_instant() -> None:
    def due(step: Step, **given: Any) -> int | None:
        return Drive(flow(step), given).wake_at

    until, delay = Step("nap", Timer(k(1), x("input.t"))), Step("nap", Timer(x("input.t")))
    instant = T0 + 90_000
    assert due(until, t=instant) == due(until, t="1970-01-01T00:18:10Z") == due(until, t="PT1M30S") == instant
    assert due(delay, t=90_000) == due(delay, t="1970-01-01T00:18:10Z") == due(delay, t="PT1M30S") == instant
    wait = Step("wait", EventWait(k("tick"), timeout_ms=x("input.t")))
    assert due(wait, t=90_000) == due(wait, t="PT1M30S") == instant
    ask = Step("ask", Approval(k({}), due_at=x("input.t")))
    assert due(ask, t=instant) == due(ask, t="1970-01-01T00:18:10Z") == due(ask, t="PT1M30S") == instant
    bad: Any
    for bad in (True, {}, "soon", [5]):
        failed = Drive(flow(delay), {"t": bad}).fact(f.StepFailed).error
        assert failed.message.startswith("step 'nap': delay: "), failed


@pytest.mark.parametrize(
    ("condition", "place", "key"),
    [
        (None, "", ""),
        (k(True), "", ""),
        (x("event.payload.n > 3"), "", ""),
        (x("event.payload.id == input.id"), "/payload/id", "number 7"),
        (x("event.correlationId === 'c-' + input.id && event.payload.n > 3"), "/correlationId", "text c-7"),
        (x("event.payload.kind == 'paid' && event.payload.id == input.id"), "/payload/id", "number 7"),
        (x("event.payload.kind == 'paid'"), "/payload/kind", "text paid"),
        (x("event.payload.id == vars.id"), "", ""),
        (x("event.payload.id == 'a'.repeat(-input.id)"), "", ""),
    ],
)
def test_a_wait_says_by_what_it_can_be_found(condition: Any, place: str, key: str) -> None:
    drive = Drive(flow(Step("paid", EventWait(k("order.paid"), condition))), {"id": 7})
    assert drive.commands == (c.OpenWait(2, "order.paid", look_back=True, place=place, key=key),)


def test_what_else_a_sender_says_of_an_event_can_be_read() -> None:
    wait = EventWait(k("order.paid"), output=x("event.metadata.subject"))
    drive = Drive(flow(Step("paid", wait)))
    arrived = e.EventArrived(T0, EventRecord("ev", "order.paid", T0, metadata={"subject": "order 17"}))
    assert drive.send(arrived).output == "order 17"


@pytest.mark.parametrize(
    ("pattern", "begins"),
    [("order.paid", "order.paid"), ("order.*", "order."), ("a.b.**", "a.b."), ("#", ""), ("a*.b", "")],
)
def test_what_fits_a_pattern_begins_alike(pattern: str, begins: str) -> None:
    assert beginning(pattern) == begins
    assert is_wild(pattern) == (pattern != begins)
