"""What control carries along: variables, and the loops that it is in, where paths fork, meet, fail and come back."""

from __future__ import annotations

import pytest

from core.drive import T0, Drive, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.state import EachScope, LoopScope, is_final
from perdure.model.failure import Failure
from perdure.model.records import EventRecord
from perdure.model.steps import Compute, Condition, EventWait, ForEach, Loop, Route, SetVariables, Step, Task, Timer
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)


def test_variables_are_set_in_order_and_a_later_one_sees_the_earlier() -> None:
    step = Step("set", SetVariables((("a", x("input.n")), ("b", x("vars.a + 1")), ("none", x("input.nothing")))))
    drive = Drive(flow(step, output=x("vars")), {"n": 1})
    assert drive.output == {"a": 1, "b": 2}


def test_one_variable_is_read_without_the_others() -> None:
    steps = (
        Step("one", SetVariables((("a", k(1)),)), (Route(("two",)),)),
        Step("two", SetVariables((("b", k(2)), ("c", x("vars")))), (Route(("use",)),)),
        Step("use", Task("t", obj(a=x("vars.a"), none=x("vars.zzz")))),
    )
    drive = Drive(flow(*steps))
    assert drive.command(c.PerformTask).input == {"a": 1}


@pytest.mark.parametrize("first_done", ["left", "right"])
def test_where_paths_meet_the_last_writer_in_topological_order_wins(first_done: str) -> None:
    def node(step_id: str, *to: str) -> Step:
        return Step(step_id, Task("t"), (Route(to),) if to else (), assign=x("output.set"), unassign=x("output.unset"))

    steps = (node("top", "left", "right"), node("left", "end"), node("right", "end"), Step("end", Compute(x("vars"))))
    drive = Drive(flow(*steps, variables="flowing"))
    drive.done("top", {"set": {"x": 0, "y": 0, "z": 0}})
    answers = {
        "left": {"set": {"x": "left", "l": 1}, "unset": ["z"]},
        "right": {"set": {"x": "right", "r": 1}},
    }
    second = "right" if first_done == "left" else "left"
    history = drive.done(first_done, answers[first_done]).history
    drive.done(second, answers[second])
    assert drive.output == {"x": "right", "y": 0, "l": 1, "r": 1}
    warnings = [fact.message for fact in history if isinstance(fact, f.Warned)]
    assert len(warnings) == 1
    assert "'x'" in warnings[0]
    assert "what 'right' wrote is kept" in warnings[0]


def test_branches_see_the_writes_of_their_ancestors_only() -> None:
    steps = (
        Step("top", Compute(), (Route(("a", "b")),)),
        Step("a", SetVariables((("x", k(1)),)), (Route(("c",)),)),
        Step("b", Task("t", x("vars"))),
        Step("c", Task("t", x("vars"))),
    )
    drive = Drive(flow(*steps, variables="flowing", output=x("vars"), initial=k({"start": True})))
    inputs = {command.step: command.input for command in drive.commands if isinstance(command, c.PerformTask)}
    assert inputs == {"b": {"start": True}, "c": {"start": True, "x": 1}}
    assert drive.done("c").done("b").output == {"start": True, "x": 1}


def test_around_a_cycle_the_later_write_wins() -> None:
    steps = (
        Step("a", Task("t"), (Route(("b", "c")),), assign=x("output")),
        Step("b", Task("t"), (Route(("d",)),), assign=x("output")),
        Step("c", Task("t"), (Route(("d",)),)),
        Step("d", Condition(x("vars.n < 3")), (Route(("a",), port="true"),)),
    )
    drive = Drive(flow(*steps, variables="flowing", output=x("vars")))
    for n in (1, 2, 3):
        drive.done("a", {"n": n}).done("b", {"m": n}).done("c")
    assert drive.output == {"n": 3, "m": 3}


def test_paths_that_end_leave_their_variables_to_the_output() -> None:
    steps = (
        Step("a", Compute(), (Route(("b", "c")),)),
        Step("b", Task("t"), assign=x("output")),
        Step("c", Task("t"), assign=x("output")),
    )
    drive = (
        Drive(flow(*steps, variables="flowing", output=x("vars"))).done("c", {"v": "c", "w": 1}).done("b", {"v": "b"})
    )
    assert drive.output == {"v": "c", "w": 1}


def test_paths_meet_after_a_pause_too() -> None:
    steps = (
        Step("a", Compute(), (Route(("b", "c")),)),
        Step("b", Task("t"), (Route(("d",)),), assign=x("output.set"), pause_until=x("output.until")),
        Step("c", Task("t"), (Route(("d",)),), assign=x("output.set")),
        Step("d", Compute(x("vars"))),
    )
    drive = Drive(flow(*steps, variables="flowing"))
    drive.done("b", {"set": {"v": "b"}, "until": T0 + 9}).done("c", {"set": {"v": "c"}})
    assert drive.after(9).output == {"v": "c"}
    assert drive.fact(f.Warned)


def test_paths_meet_over_a_handled_failure_too() -> None:
    steps = (
        Step("a", Compute(), (Route(("b", "c")),)),
        Step("b", SetVariables((("v", k(1)),)), (Route(("e",)),)),
        Step("e", Task("t"), (Route(("d",)),), on_error=(Route(("d",)),)),
        Step("c", Task("t"), (Route(("d",)),), assign=x("output")),
        Step("d", Compute(x("vars"))),
    )
    drive = Drive(flow(*steps, variables="flowing")).done("c", {"v": 2}).failed("e", FINAL)
    assert drive.output == {"v": 2}


# Corners where loops, branches and joins meet.


def test_branches_of_a_body_meet_in_their_loop() -> None:
    steps = (
        Step("loop", Loop(k([1, 2])), (Route(("a", "b"), port="loop"),)),
        Step("a", Task("t", x("loop.item")), (Route(("meet",)),)),
        Step("b", Task("t", x("loop.item")), (Route(("meet",)),)),
        Step("meet", Task("t", x("loop.item")), (Route(("loop",)),)),
    )
    drive = Drive(flow(*steps))
    for item in (1, 2):
        drive.done("a").done("b")
        assert drive.command(c.PerformTask).input == item
        drive.done("meet")
    assert drive.state.status == "completed"


def test_where_paths_of_different_loops_meet_they_are_in_the_loop_around_both() -> None:
    steps = (
        Step("outer", Loop(k(["o"])), (Route(("one", "two"), port="loop"),)),
        Step("one", Loop(k([1])), (Route(("a",), port="loop"),)),
        Step("two", Loop(k([2])), (Route(("b",), port="loop"),)),
        Step("a", Task("t"), (Route(("meet",)),)),
        Step("b", Task("t"), (Route(("meet",)),)),
        Step("meet", Task("t", x("loop.owner"))),
    )
    drive = Drive(flow(*steps)).done("a").done("b")
    assert drive.command(c.PerformTask).input == "outer"
    apart = (
        Step("top", Compute(), (Route(("one", "b")),)),
        Step("one", Loop(k([1])), (Route(("a",), port="loop"),)),
        Step("a", Task("t"), (Route(("meet",)),)),
        Step("b", Task("t"), (Route(("meet",)),)),
        Step("meet", Task("t", obj(owner=x("loop.owner")))),
    )
    assert Drive(flow(*apart)).done("b").done("a").command(c.PerformTask).input == {}


def test_a_step_that_is_activated_again_while_it_runs_runs_once_more_after_it() -> None:
    # x does not wait for its cycle to be quiet, so it leads to v while v is still open.
    steps = (
        Step("x", Task("t"), (Route(("v", "w"), port="both"), Route(("v",))), join="any"),
        Step("v", Task("t"), (Route(("x",), port="never"),)),
        Step("w", Task("t"), (Route(("x",)),)),
    )
    drive = Drive(flow(*steps)).done("x", port="both").done("w").done("x")
    assert drive.open_steps == {"v"}
    assert drive.done("v").open_steps == {"v"}
    assert drive.done("v").state.runs[1] == 2


def test_an_edge_back_to_a_step_that_control_already_stands_before_adds_nothing() -> None:
    steps = (
        Step("top", Compute(), (Route(("slow", "x", "b")),)),
        Step("slow", Task("t"), (Route(("a",)),)),
        Step("x", Task("t"), (Route(("a",)),)),
        Step("a", Task("t"), (Route(("b",)),)),
        Step("b", Task("t"), (Route(("a",), port="back"),), join="any"),
    )
    drive = Drive(flow(*steps)).done("x").done("b", port="back").done("slow")
    assert drive.open_steps == {"a"}
    drive.done("a").done("b")
    assert drive.state.status == "completed"
    assert drive.state.runs[3] == 1


def test_a_path_that_outlives_its_loop_is_in_the_loop_around_it() -> None:
    steps = (
        Step("outer", Loop(k([1, 2]), continue_on_error=True), (Route(("inner",), port="loop"),), join="any"),
        Step("inner", Loop(k([1])), (Route(("a", "b"), port="loop"), Route(("outer",), port="done")), join="any"),
        Step("a", Task("t"), (Route(("inner",)),)),
        Step("b", Task("t"), (Route(("inner",)),)),
    )
    drive = Drive(flow(*steps)).done("a").failed("b", FINAL)
    assert drive.state.status == "running"
    assert drive.fact(f.StepFailed).loop == 2
    assert not is_final(Drive(flow(*steps)).done("a").done("b").state)


def test_a_path_that_is_left_behind_in_an_inner_loop_still_ends_the_outer() -> None:
    steps = (
        Step("outer", Loop(k([0, 1])), (Route(("inner",), port="loop"),)),
        Step("inner", Loop(k([0])), (Route(("inner", "outer"), port="loop"),)),
    )
    drive = Drive(flow(*steps, steps_max=50))
    assert drive.state.status == "completed"
    assert dict(drive.state.runs) == {0: 3, 1: 4}


def test_every_trace_of_a_loop_that_is_left_leads_outward() -> None:
    """Whatever a path does when the loop around it ends: it works, pauses, repeats for items, or is in one more loop."""
    steps = (
        Step("outer", Loop(k(["o"])), (Route(("inner",), port="loop"),), join="any"),
        Step(
            "inner",
            Loop(k([0])),
            (Route(("fast", "each", "held", "deep"), port="loop"), Route(("last",), port="done")),
            join="any",
        ),
        Step("fast", Task("t"), (Route(("inner",)),)),
        Step("each", Task("t", x("item")), (Route(("inner",)),), each=ForEach(k([1]))),
        Step("held", Compute(), (Route(("inner",)),), pause_until=k(T0 + 10)),
        Step("deep", Loop(k([0])), (Route(("slow",), port="loop"), Route(("inner",), port="done"))),
        Step("slow", Task("t"), (Route(("deep",)),)),
        Step("last", Task("t", x("loop.owner")), (Route(("outer",)),), join="any"),
    )
    drive = Drive(flow(*steps))
    assert drive.open_steps == {"fast", "each", "held", "slow"}
    drive.done("fast")
    assert drive.command(c.PerformTask).input == "outer"
    state, outer = drive.state, 2
    (repeated,) = (scope for scope in state.scopes.values() if isinstance(scope, EachScope))
    (deep,) = (scope for scope in state.scopes.values() if isinstance(scope, LoopScope) and scope.step == 5)
    assert repeated.token.frame == deep.parent == outer
    assert {op.token.frame for op in state.ops.values() if op.token is not None} <= {*state.scopes}


def test_a_path_that_waits_outside_of_a_loop_stays_where_it_is_when_the_loop_ends() -> None:
    steps = (
        Step("top", Compute(), (Route(("outer", "other")),)),
        Step("outer", Loop(k([0])), (Route(("inner",), port="loop"), Route(("meet",), port="done"))),
        Step("inner", Loop(k([0])), (Route(("outer",), port="done"),)),
        Step("other", Compute(), (Route(("meet",)),)),
        Step("meet", Task("t", obj(loop=x("loop.owner"), came=x("came")))),
    )
    assert Drive(flow(*steps)).command(c.PerformTask).input == {"came": ["other", "outer"]}


def test_a_finished_loop_stays_for_the_paths_that_see_it_and_goes_with_the_last() -> None:
    steps = (
        Step("first", Loop(k([0, 1])), (Route(("again", "see"), port="done"),)),
        Step("again", Loop(k([0])), (Route(("third",), port="done"),)),
        Step("see", Task("t", x("loop.state.totalItems")), (Route(("third",)),)),
        Step("third", Loop(k([0])), (Route(("rest",), port="loop"),)),
        Step("rest", Task("t")),
    )
    drive = Drive(flow(*steps))
    assert drive.command(c.PerformTask).input == 2
    assert len(drive.state.scopes) == 2
    assert len(drive.done("see").state.scopes) == 1


def test_a_tick_ends_when_all_of_its_branches_have_though_one_failed() -> None:
    """Also if nothing leads back from the body to the loop, or the loop is not where control enters the cycle."""
    for back in ("loop", "top", None):
        routes = () if back is None else (Route((back,)),)
        steps = (
            Step("top", Compute(), (Route(("loop",)),)),
            Step("loop", Loop(k([0, 1]), continue_on_error=True), (Route(("a", "b"), port="loop"), Route(("end",)))),
            Step("a", Task("t"), routes),
            Step("b", Task("t"), routes),
            Step("end", Compute()),
        )
        drive = Drive(flow(*steps)).failed("a", FINAL)
        assert drive.open_steps == {"b"}, back
        drive.done("b")
        assert drive.state.runs[1] == 2, back
        assert drive.open_steps == {"a", "b"}, back


def test_a_loop_that_takes_control_back_may_lie_ahead_of_the_step_that_failed() -> None:
    """Control entered the cycle by the step, so the way back from it to the loop is a way forward."""
    steps = (
        Step("step", Task("t"), (Route(("loop",)),)),
        Step("loop", Loop(k([0, 1]), continue_on_error=True), (Route(("step",), port="loop"),)),
    )
    drive = Drive(flow(*steps)).done("step").failed("step", FINAL)
    assert drive.fact(f.StepFailed).next == (1,)
    assert drive.done("step").state.status == "completed"


def test_ways_back_to_a_loop_do_not_decide_what_lies_ahead() -> None:
    """Whichever of a loop and a step of its body is named first: the step comes after the loop that leads to it."""
    for targets in (("x", "loop"), ("loop", "x")):
        steps = (
            Step("top", Compute(), (Route(targets),)),
            Step("loop", Loop(k([0, 1]), continue_on_error=True), (Route(("x",)),)),
            Step("x", Compute()),
        )
        assert Drive(flow(*steps)).state.runs[2] == 1, targets
    beside = (
        Step("top", Compute(), (Route(("x",), port="never"), Route(("loop",)))),
        Step("loop", Loop(k([0, 1, 2]), continue_on_error=True), (Route(("a", "x"), port="loop"),)),
        Step("a", Compute(), (Route(("loop",)),)),
        Step("x", Compute()),
    )
    assert dict(Drive(flow(*beside)).state.runs) == {0: 1, 1: 4, 2: 3, 3: 3}


def test_a_failing_path_brings_what_it_has_seen_back_to_its_loop_and_nothing_older() -> None:
    steps = (
        Step("loop", Loop(k([0]), continue_on_error=True), (Route(("a", "b"), port="loop"),)),
        Step("a", Task("t"), (Route(("loop",)),)),
        Step("b", Task("t"), (Route(("loop",)),), assign=x("output")),
    )
    workflow = flow(*steps, variables="flowing", initial=obj(v=k("first")), output=x("vars.v"))
    assert Drive(workflow).done("b", {"v": "of b"}).failed("a", FINAL).output == "of b"
    assert Drive(workflow).failed("a", FINAL).done("b", {"v": "of b"}).output == "of b"


def test_what_is_put_back_before_a_step_does_not_undo_what_was_written_since() -> None:
    steps = (
        Step("top", Compute(), (Route(("p", "q", "bad")),)),
        Step("p", Task("t"), (Route(("s",)),), assign=x("output")),
        Step("q", Task("t"), (Route(("s",)),)),
        Step("s", Timer(k(5_000)), assign=obj(seen=x("vars.v")), join="any"),
        Step("bad", Task("t")),
    )
    for first, second in (("p", "q"), ("q", "p")):
        drive = Drive(flow(*steps, variables="flowing", initial=obj(v=k("first")), output=x("vars.seen")))
        drive.done(first, {"v": "of p"}).done(second, {"v": "of p"}).failed("bad", FINAL)
        assert drive.state.status == "failed"
        drive.send(e.RetryRequested(T0, "ann")).done("bad")
        assert drive.after(5_000).output == "of p", first


def test_loops_that_no_path_is_in_any_more_are_forgotten() -> None:
    """Also those that were left where paths meet, without having been done."""
    steps = (
        Step("top", Compute(), (Route(("one", "two")),)),
        Step("one", Loop(k([1, 2])), (Route(("meet",), port="loop"),)),
        Step("two", Loop(k([1, 2])), (Route(("meet",), port="loop"),)),
        Step("meet", Task("t"), (Route(("top",)),)),
    )
    drive = Drive(flow(*steps))
    sizes = set()
    for _ in range(20):
        drive.done("meet")
        sizes.add(len(drive.state.scopes))
    assert max(sizes) <= 4


def test_variables_that_were_dropped_leave_nothing_behind() -> None:
    steps = (
        Step("a", Task("t"), (Route(("a",)),), assign=x("output.set"), unassign=x("output.drop")),
        Step("b", Compute()),
    )
    drive = Drive(flow(*steps))
    for number in range(20):
        drive.done("a", {"set": {f"v{number}": 1}, "drop": [f"v{number - 1}"] if number else []})
    assert set(drive.state.vars) == {"v19"}


def test_a_token_that_is_put_back_is_where_it_was() -> None:
    """Forward, though only a way back had led to its step since."""
    steps = (
        Step("top", Compute(), (Route(("head", "bad")),)),
        Step("head", EventWait(k("tick")), (Route(("tail",)),), join="any"),
        Step("tail", Task("t"), (Route(("head",)),)),
        Step("bad", Task("t")),
    )
    drive = Drive(flow(*steps, on_failure="drain"))
    drive.failed("bad", FINAL)
    drive.send(e.EventArrived(T0, EventRecord("e1", "tick", T0)))
    assert drive.state.status == "failed"


def test_routes_of_a_loop_see_the_tick_that_they_lead_to() -> None:
    steps = (
        Step(
            "loop",
            Loop(k([0, 7, 0])),
            (Route(("zero",), port="loop", when=x("loop.item == 0")), Route(("other",), port="loop")),
        ),
        Step("zero", Compute(), (Route(("loop",)),)),
        Step("other", Compute(), (Route(("loop",)),)),
    )
    drive = Drive(flow(*steps))
    assert dict(drive.state.runs) == {0: 4, 1: 2, 2: 1}
    odd = (
        Step("loop", Loop(k(["a"])), (Route((), port="loop", when=x("output.item.toFixed() > 0")), Route(("end",)))),
        Step("end", Compute()),
    )
    assert "counts as false" in Drive(flow(*odd)).fact(f.Warned).message
