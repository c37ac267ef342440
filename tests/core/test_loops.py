"""Loops with bodies, nested and entered again; forEach with its items."""

from __future__ import annotations

from typing import Any

from core.drive import T0, Drive, flow
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.state import LoopScope, is_final
from perdure.expressions.protocol import UNDEFINED, truthy
from perdure.model.failure import Failure
from perdure.model.steps import (
    Child,
    Compute,
    Condition,
    EventWait,
    ForEach,
    Loop,
    Retry,
    Route,
    SetVariables,
    Step,
    Task,
    Timer,
)
from perdure.model.values import Value
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)


def loop(items: Value, *body: Step, **more: object) -> Drive:
    """A loop over `items` whose body begins with the first of `body`."""
    step = Step(
        "loop",
        Loop(items, **more),  # type: ignore[arg-type]
        (Route((body[0].id,) if body else ("loop",), port="loop"), Route(("end",), port="done")),
    )
    return Drive(flow(step, *body, Step("end", Compute(x("steps.loop")))), {"items": [1, 2, 3, 4, 5]})


def test_a_loop_hands_out_batches_and_is_done_after_the_last() -> None:
    drive = loop(x("input.items"), Step("body", Task("t", x("loop")), (Route(("loop",)),)), batch_size=2)
    seen = []
    while drive.open_steps == {"body"}:
        seen.append(drive.command(c.PerformTask).input)
        drive.done("body")
    assert [view["batch"]["items"] for view in seen] == [[1, 2], [3, 4], [5]]
    assert [view["state"]["currentIndex"] for view in seen] == [0, 2, 4]
    assert [view["state"]["iterations"] for view in seen] == [0, 1, 2]
    assert [view["batch"]["endIndex"] for view in seen] == [1, 3, 4]
    assert seen[2]["batch"] == {"index": 2, "size": 1, "items": [5], "startIndex": 4, "endIndex": 4}
    assert "item" not in seen[0]
    assert seen[0]["items"] == [1, 2, 3, 4, 5]
    assert drive.output["output"] == {
        "state": {
            "currentIndex": 5,
            "totalItems": 5,
            "iterations": 3,
            "batchesProcessed": 3,
            "isComplete": True,
        },
        "batch": None,
    }
    assert drive.output["port"] == "done"
    assert drive.state.runs[0] == 4


def test_a_batch_of_one_has_an_item_and_an_index() -> None:
    drive = loop(x("input.items"), Step("body", Task("t", arr_of("loop.item", "loop.index")), (Route(("loop",)),)))
    drive.done("body")
    assert drive.command(c.PerformTask).input == [2, 1]


def arr_of(*sources: str) -> Value:
    return x(f"[{', '.join(sources)}]")


def test_a_loop_without_a_body_ticks_by_itself_and_lets_others_have_a_turn() -> None:
    drive = loop(k(list(range(600))))
    turns = 1
    while drive.state.status == "running":
        assert c.Continue() in drive.commands
        drive.send(e.Continued(T0))
        turns += 1
    assert turns == 3
    assert sum(isinstance(fact, f.LoopTicked) for fact in drive.history) == 600
    routed = Drive(flow(Step("loop", Loop(k([1, 2])), (Route((), port="done"),))))
    assert routed.state.status == "completed"


def test_an_empty_loop_is_done_at_once_and_only_an_array_can_be_looped_over() -> None:
    assert loop(k([])).output["port"] == "done"
    for items, name in ((k("text"), "a text"), (x("input.nothing"), "undefined")):
        error = loop(items).fact(f.StepFailed).error
        assert error.code == "NOT_AN_ARRAY"
        assert name in error.message


def test_too_many_batches_are_refused_at_entry_with_both_numbers() -> None:
    error = loop(x("input.items"), batch_size=2, iterations_max=2).fact(f.StepFailed).error
    assert "3 batches" in error.message
    assert "limit is 2" in error.message
    assert loop(x("input.items"), batch_size=2, iterations_max=3).state.status == "completed"


def nested(**more: object) -> Drive:
    steps = (
        Step("outer", Loop(k([1, 2]), **more), (Route(("inner",), port="loop"), Route(("end",), port="done"))),  # type: ignore[arg-type]
        Step("inner", Loop(k(["a", "b"])), (Route(("body",), port="loop"), Route(("outer",), port="done"))),
        Step(
            "body",
            Task("t", arr_of("loop.parent.item", "loop.item", "loop.owner")),
            (Route(("outer",), port="break"), Route(("inner",))),
        ),
        Step("end", Compute(x("loop"))),
    )
    return Drive(flow(*steps))


def test_nested_loops_see_their_parent_and_give_way_to_it() -> None:
    drive = nested()
    seen = []
    while drive.open_steps == {"body"}:
        seen.append(drive.command(c.PerformTask).input)
        drive.done("body")
    assert seen == [[1, "a", "inner"], [1, "b", "inner"], [2, "a", "inner"], [2, "b", "inner"]]
    assert drive.output["owner"] == "outer"
    assert drive.output["state"]["isComplete"] is True


def test_control_that_returns_to_the_outer_loop_leaves_the_inner_one() -> None:
    drive = nested().done("body", port="break")
    assert drive.fact(f.LoopsLeft)
    assert drive.command(c.PerformTask).input == [2, "a", "inner"]
    assert sum(isinstance(scope, LoopScope) for scope in drive.state.scopes.values()) == 2


def test_a_failing_step_of_the_body_ends_the_tick_of_a_loop_that_goes_on() -> None:
    drive = loop(
        x("input.items"),
        Step("body", Task("t", x("loop.item")), (Route(("loop",)),)),
        continue_on_error=True,
    )
    for item in (1, 2, 3, 4, 5):
        assert drive.command(c.PerformTask).input == item
        if item % 2:
            drive.done("body")
        else:
            drive.failed("body", Failure(f"item {item}", retriable=False))
    assert [error["message"] for error in drive.output["meta"]["errors"]] == ["item 2", "item 4"]


def test_the_loop_that_goes_on_may_be_further_out() -> None:
    drive = nested(continue_on_error=True).failed("body", FINAL)
    assert drive.command(c.PerformTask).input == [2, "a", "inner"]
    assert nested().failed("body", FINAL).state.status == "failed"


def test_errors_of_a_loop_can_be_read_while_it_runs() -> None:
    body = Step("body", Task("t", x("loop.errors")), (Route(("loop",)),))
    drive = loop(x("input.items"), body, continue_on_error=True).failed("body", FINAL)
    assert drive.command(c.PerformTask).input[0]["message"] == "no"


def test_a_completed_loop_that_is_entered_again_begins_anew() -> None:
    steps = (
        Step("page", Task("fetch"), (Route(("loop",)),)),
        Step(
            "loop", Loop(x("steps.page.output.items")), (Route(("body",), port="loop"), Route(("more",), port="done"))
        ),
        Step("body", Task("t", x("loop.item")), (Route(("loop",)),)),
        Step("more", Condition(x("steps.page.output.more")), (Route(("page",), port="true"),)),
    )
    drive = Drive(flow(*steps))
    seen = []
    for page in (1, 2):
        drive.done("page", {"items": [page * 10, page * 10 + 1], "more": page == 1})
        while drive.open_steps == {"body"}:
            seen.append(drive.command(c.PerformTask).input)
            drive.done("body")
    assert seen == [10, 11, 20, 21]
    assert drive.state.status == "completed"
    assert len(drive.state.scopes) == 0


def test_another_loop_replaces_one_that_has_ended() -> None:
    steps = (
        Step("one", Loop(k([1])), (Route(("one",), port="loop"), Route(("two",), port="done"))),
        Step("two", Loop(k([2])), (Route(("body",), port="loop"), Route(("one",), port="done"))),
        Step("body", Task("t", x("loop")), (Route(("two",)),)),
    )
    drive = Drive(flow(*steps))
    for _ in range(5):
        assert drive.command(c.PerformTask).input["owner"] == "two"
        assert "parent" not in drive.command(c.PerformTask).input
        drive.done("body")
    assert len(drive.state.scopes) <= 3


def test_the_output_of_a_loop_can_be_read_while_it_is_out() -> None:
    drive = loop(x("input.items"), Step("body", Task("t", x("steps.loop")), (Route(("loop",)),)))
    seen = drive.command(c.PerformTask).input
    assert seen["status"] == "running"
    assert seen["output"]["item"] == 1


def test_the_last_tick_of_a_loop_can_fail_over_its_own_mapping_and_be_retried() -> None:
    step = Step("loop", Loop(k([1])), (Route(("loop",), port="loop"),), assign=x("input.bad"))
    drive = Drive(flow(step), {"bad": 7})
    assert drive.state.status == "failed"
    assert drive.send(e.RetryRequested(T0, "ann")).state.status == "failed"


# forEach.


def each(
    work: object | None = None, items: object = (1, 2, 3), routes: tuple[Route, ...] = (), **more: object
) -> Drive:
    step = Step(
        "each",
        work or Task("t", x("item")),  # type: ignore[arg-type]
        (Route(("end",)),),
        on_error=routes,
        each=ForEach(x("input.items"), **more),  # type: ignore[arg-type]
    )
    given = list(items) if isinstance(items, tuple) else items
    return Drive(
        flow(step, Step("end", Compute(x("steps.each.output"))), Step("oops", Compute(x("steps.each.error.message")))),
        {"items": given},
    )


def test_items_are_handed_out_one_after_the_other_unless_more_are_allowed() -> None:
    drive = each()
    assert [op.item for op in drive.state.ops.values()] == [0]
    assert drive.done("each", "a", item=0).op("each", 1)
    drive.done("each", "b", item=1).done("each", "c", item=2)
    assert drive.output == ["a", "b", "c"]
    assert sorted(op.item for op in each(concurrency=2).state.ops.values()) == [0, 1]


def test_an_empty_array_is_an_empty_output_and_anything_else_fails() -> None:
    assert each(items=()).output == []
    for items in ("text", None, {"a": 1}):
        assert each(items=items).fact(f.StepFailed).error.code == "NOT_AN_ARRAY"
    assert (
        "undefined"
        in Drive(flow(Step("a", Task("t"), each=ForEach(x("input.x")))), {}).fact(f.StepFailed).error.message
    )
    assert (
        Drive(flow(Step("a", Task("t"), each=ForEach(x("''.repeat(-1)")))), {}).fact(f.StepFailed).error.code
        == "EXPRESSION"
    )


def test_more_items_than_allowed_fail_before_the_first() -> None:
    error = each(items_max=2).fact(f.StepFailed).error
    assert "3 items" in error.message
    assert "limit is 2" in error.message
    assert each(items_max=3).state.status == "running"


def test_an_item_that_fails_is_null_where_the_others_go_on() -> None:
    drive = each(on_error="continue", concurrency=3)
    drive.done("each", "a", item=0).failed("each", FINAL, item=1).done("each", "c", item=2)
    assert drive.output == ["a", None, "c"]


def test_an_item_that_fails_stops_the_handing_out_and_the_step_fails_when_the_others_have_ended() -> None:
    drive = each(items=tuple(range(9)), concurrency=3, routes=(Route(("oops",)),))
    drive.failed("each", FINAL, item=1)
    assert sorted(op.item for op in drive.state.ops.values()) == [0, 2]
    drive.done("each", item=0).done("each", item=2)
    assert drive.output == "item 1: no"
    assert not drive.state.scopes
    assert not drive.state.stopped


def test_items_in_flight_can_be_abandoned() -> None:
    drive = each(concurrency=3, in_flight="abandon", routes=(Route(("oops",)),)).failed("each", FINAL, item=1)
    assert sum(isinstance(command, c.AbandonTask) for command in drive.commands) == 2
    assert drive.output == "item 1: no"
    assert not drive.state.ops
    assert drive.state.busy == 0


def test_a_failed_for_each_is_retried_with_the_items_that_are_missing_under_the_same_keys() -> None:
    drive = each(items=(1, 2, 3, 4), concurrency=2).done("each", "a", item=0).failed("each", FINAL, item=1)
    keys = {op.item: op.op for op in (*drive.state.ops.values(), *drive.state.stopped.values())}
    drive.failed("each", FINAL, item=2)
    assert drive.state.status == "failed"
    drive.send(e.RetryRequested(T0, "ann"))
    performed = [command for command in drive.commands if isinstance(command, c.PerformTask)]
    assert {command.op for command in performed} == {keys[1], keys[2]}
    assert {command.attempt for command in performed} == {2}
    drive.done("each", "b", item=1).done("each", "c", item=2).done("each", "d", item=3)
    assert drive.output == ["a", "b", "c", "d"]


def test_an_abandoned_for_each_is_retried_with_all_that_was_under_way() -> None:
    drive = each(concurrency=3, in_flight="abandon").failed("each", FINAL, item=1)
    assert drive.state.status == "failed"
    drive.send(e.RetryRequested(T0, "ann"))
    for item in (0, 1, 2):
        drive.done("each", item, item=item)
    assert drive.output == [0, 1, 2]


def test_items_are_retried_each_by_the_policy_of_the_step() -> None:
    drive = each(Task("t", x("item"), Retry(2, jitter=0)))
    assert drive.failed("each", item=0).fact(f.StepRetrying)
    assert drive.after(1_000).done("each", "a", item=0).op("each", 1)


def test_items_that_take_no_time_are_handed_out_in_turns() -> None:
    drive = each(Timer(k(0)), items=tuple(range(600)))
    assert c.Continue() in drive.commands
    while drive.state.status == "running":
        drive.send(e.Continued(T0))
    assert len(drive.output) == 600


def test_items_whose_input_cannot_be_computed_fail_as_items() -> None:
    work = Task("t", x("item.toFixed(0)"))
    assert each(work, items=(1, "x"), on_error="continue", concurrency=2).done("each", "a", item=0).output == [
        "a",
        None,
    ]
    drive = each(work, items=(1, "x", 3), concurrency=2, routes=(Route(("oops",)),)).done("each", "a", item=0)
    assert "item 1" in drive.output
    stopped = each(work, items=("x", 2))
    assert stopped.state.status == "failed"
    assert stopped.send(e.RetryRequested(T0, "ann")).state.status == "failed"


def test_waits_of_a_for_each_that_failed_are_opened_anew_by_a_retry() -> None:
    child = Child(k("other"), x("item"))
    drive = each(child, concurrency=2, in_flight="abandon")
    first = drive.op("each", 0)
    drive.send(e.ChildEnded(T0, first, "c", error=FINAL))
    assert drive.state.status == "failed"
    assert sum(isinstance(command, c.CancelChild) for command in drive.commands) == 1
    drive.send(e.RetryRequested(T0, "ann"))
    started = [command for command in drive.commands if isinstance(command, c.StartChild)]
    assert len(started) == 2
    assert all(command.op > first for command in started)


def test_a_child_of_an_item_that_is_not_waited_for_completes_the_item() -> None:
    assert len(each(Child(k("other"), x("item"), wait=False)).output) == 3


# Variables.


def test_a_for_each_that_has_stopped_hands_out_nothing_while_others_drain() -> None:
    steps = (
        Step("top", Compute(), (Route(("bad", "one", "two")),)),
        Step("bad", Task("t", x("item.toFixed(0)")), each=ForEach(k(["x"]))),
        Step("one", Timer(k(0)), each=ForEach(k([0] * 300))),
        Step("two", Timer(k(0)), each=ForEach(k([0] * 300))),
    )
    drive = Drive(flow(*steps, on_failure="drain"))
    while not is_final(drive.state):
        assert drive.commands.count(c.Continue()) == 1
        drive.send(e.Continued(T0))
    assert drive.fact(f.ExecutionFailed).steps == (1,)


def test_two_for_each_that_both_have_items_left_ask_for_one_more_turn() -> None:
    steps = (
        Step("top", Compute(), (Route(("one", "two")),)),
        Step("one", Timer(k(0)), each=ForEach(k([0] * 300))),
        Step("two", Timer(k(0)), each=ForEach(k([0] * 700))),
    )
    drive = Drive(flow(*steps))
    turns = 1
    while drive.state.status == "running":
        assert drive.commands.count(c.Continue()) == 1
        drive.send(e.Continued(T0))
        turns += 1
    assert turns == 4


def test_waits_of_items_that_end_together_are_abandoned_by_the_first() -> None:
    wait = EventWait(k("tick"), timeout_ms=k(5))
    drive = each(wait, concurrency=3, in_flight="abandon", routes=(Route(("oops",)),)).after(5)
    assert drive.state.status == "completed"
    assert "item 0" in drive.output


def test_what_items_and_handled_failures_used_is_paid_for() -> None:
    used = (("tokens", 7),)
    drive = each(on_error="continue").done("each", item=0, usage=used).failed("each", FINAL, item=1, usage=used)
    assert dict(drive.state.spent) == {"tokens": 14}
    step = Step("a", Task("t"), on_error=(Route(("b",)),))
    assert dict(Drive(flow(step, Step("b", Compute()))).failed("a", FINAL, usage=used).state.spent) == {"tokens": 7}
    assert dict(Drive(flow(Step("a", Task("t")))).failed("a", FINAL, usage=used).state.spent) == {"tokens": 7}


def test_a_pause_goes_on_after_a_retry() -> None:
    steps = (
        Step("top", Compute(), (Route(("a", "bad")),)),
        Step("a", Task("t"), (Route(("end",)),), pause_until=x("output")),
        Step("bad", Task("t")),
        Step("end", Task("t")),
    )
    drive = Drive(flow(*steps)).done("a", T0 + 50).failed("bad", FINAL)
    assert drive.state.status == "failed"
    assert drive.send(e.RetryRequested(T0, "ann")).wake_at == T0 + 50
    assert drive.after(50).open_steps == {"bad", "end"}


def test_the_start_is_loaded_when_a_later_step_reads_of_it() -> None:
    values = obj(by=x("trigger.type"), id=x("execution.id"), n=x("input.n"), v=x("vars.v"))
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t", values)))
    drive = Drive(flow(*steps, initial=k({"v": 2})), {"n": 1}).done("a")
    assert drive.asked == {1}
    assert drive.command(c.PerformTask).input == {"by": "manual", "id": "main", "n": 1, "v": 2}


def test_truth_is_as_in_javascript() -> None:
    true: tuple[Any, ...] = ([], {}, "0", 1, -1, True)
    false: tuple[Any, ...] = (None, UNDEFINED, False, 0, "", float("nan"))
    assert all(truthy(value) for value in true)
    assert not any(truthy(value) for value in false)


# What a step sees of itself.


def test_the_routes_of_a_step_see_what_it_has_just_assigned_and_dropped() -> None:
    step = Step(
        "a",
        Task("t"),
        (Route(("yes",), when=x("vars.n == 5 && !vars.old && Object.keys(vars).length == 1")), Route(("no",))),
        assign=obj(n=x("output.n")),
        unassign=k(["old"]),
    )
    for variables in ("shared", "flowing"):
        ends = (Step("yes", Compute(k("yes"))), Step("no", Compute(k("no"))))
        drive = Drive(flow(step, *ends, variables=variables, initial=k({"old": 1})))
        assert drive.done("a", {"n": 5}).output == "yes"


def test_a_step_that_sets_variables_may_assign_more() -> None:
    step = Step(
        "set", SetVariables((("a", k(1)), ("b", k(2)))), assign=obj(b=x("output.b + 1"), c=x("steps.set.status"))
    )
    assert Drive(flow(step, output=x("vars"))).output == {"a": 1, "b": 3, "c": "completed"}


def test_a_for_each_sees_its_own_results() -> None:
    step = Step("a", Task("t"), assign=obj(first=x("output[0]")), each=ForEach(k([1, 2])), keep_output=False)
    drive = Drive(flow(step, output=obj(v=x("vars"), o=x("steps.a.output")))).done("a", 7, item=0).done("a", 8, item=1)
    assert drive.output == {"v": {"first": 7}, "o": None}


def test_a_loop_sees_that_it_is_done() -> None:
    step = Step("loop", Loop(k([1, 2])), (Route(("loop",), port="loop"),), assign=x("loop.state"))
    drive = Drive(flow(step, output=x("vars.currentIndex")))
    assert drive.output == 2
    empty = Step("loop", Loop(k([])), assign=obj(owner=x("loop.owner"), complete=x("loop.state.isComplete")))
    assert Drive(flow(empty, output=x("vars"))).output == {"owner": "loop", "complete": True}


def test_error_routes_see_the_failure_of_their_step() -> None:
    step = Step("a", Task("t"), on_error=(Route(("b",), when=x("steps.a.error.message == 'no'")),))
    assert Drive(flow(step, Step("b", Compute(k("handled"))))).failed("a", FINAL).output == "handled"
