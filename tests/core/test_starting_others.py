"""What an execution starts: chains when it completes, and others by its events; and who takes it over or forks it."""

from __future__ import annotations

import pytest

from core.drive import T0, Drive, branches, flow
from core.test_undoing import saga
from perdure.core import NeedValues, Program, Start, advance, fold, outstanding, start
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.fork import Edits, fork
from perdure.core.readiness import has_ready
from perdure.core.state import is_live
from perdure.core.triggers import Declined, meant_by, started_by
from perdure.core.values import Ref
from perdure.expressions.language import compile_value
from perdure.ids import derived
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord
from perdure.model.steps import (
    Approval,
    Compute,
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
from perdure.model.workflow import Chain, EventCancel, EventStart, Meaning
from perdure.testing.words import k, obj, x

FINAL = Failure("no", retriable=False)
CANCEL = e.CancelRequested(T0, "called off", "ann", "USER")
RETRY = e.RetryRequested(T0, "ann")


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
    broken = Chain("next", items=x("''.repeat(-1)"))
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


def test_what_a_workflow_does_not_take_is_not_started_and_fails_its_chain() -> None:
    drive = chained(Chain("next", obj(n=x("output"))), output=1)
    drive.takes = {"required": ["q"]}
    drive.send(e.ChainDue(T0, 0))
    assert drive.commands == ()
    failed = drive.fact(f.ChainFailed).error
    assert (failed.code, failed.retriable) == ("INVALID_INPUT", False)
    assert failed.message.startswith("workflow 'next' was not started: the input does not fit: ")
    assert not is_live(drive.state)
    drive.takes = None
    drive.send(e.ChainRequested(T0, 0)).send(e.ChainDue(T0, 0))
    assert drive.command(c.StartChild).input == {"n": 1}
    assert drive.facts == (f.ChainAdvanced(T0, 0, 1),)


@pytest.mark.parametrize("unfit", [(3,), (3, 7, 150), (150, 170), (249,), (3, 120, 249)])
def test_of_many_items_those_that_fit_are_started_and_the_chain_fails_in_the_end(unfit: tuple[int, ...]) -> None:
    items = ["text" if place in unfit else place for place in range(250)]
    drive = chained(Chain("next", x("item"), x("output")), output=items)
    drive.takes = {"type": "number"}
    started = 0
    for _ in range(3):
        drive.send(e.ChainDue(T0, 0))
        started += sum(isinstance(each, c.StartChild) for each in drive.commands)
    assert started == 250 - len(unfit)
    assert tuple(place for fact in drive.history if isinstance(fact, f.ChainAdvanced) for place in fact.unfit) == unfit
    message = (
        f"workflow 'next' was not started for {len(unfit)} of 250 items; item {unfit[0]}: the input does not fit: "
    )
    assert drive.fact(f.ChainFailed).error.message.startswith(message)
    assert drive.state.chains[0].failed


def test_a_chain_whose_item_cannot_be_computed_fails() -> None:
    drive = chained(Chain("next", obj(n=x("item.toFixed(0)")), x("output")), output=[1, "x"]).send(e.ChainDue(T0, 0))
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
    assert [type(command) for command in found] == [c.PerformTask]
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
        found = started_by(program, number, event, execution="x", at=T0)
        assert not isinstance(found, Declined)
        return found

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
    throwing = Program(flow(Step("a", Compute()), starts=(EventStart("e", x("''.repeat(-1)")),)), compile_value)
    declined = started_by(throwing, 0, EventRecord("e", "e", T0), execution="x", at=T0)
    assert isinstance(declined, Declined)
    assert "repeat needs a number of times" in declined.reason
    long = Program(
        flow(Step("a", Compute()), starts=(EventStart("e", correlation=x("'x'.repeat(501)")),)), compile_value
    )
    declined = started_by(long, 0, EventRecord("e", "e", T0), execution="x", at=T0)
    assert isinstance(declined, Declined)
    assert "the correlation id has 501 characters; shorten it to at most 500" in declined.reason
    undefined = Program(
        flow(Step("a", Compute()), starts=(EventStart("e", input=x("event.payload.x")),)), compile_value
    )
    nothing = started_by(undefined, 0, EventRecord("e", "e", T0, {}), execution="x", at=T0)
    assert isinstance(nothing, Start)
    assert nothing.input is None


def test_a_nul_in_an_event_of_an_older_version_is_in_no_name() -> None:
    keyed = EventStart("e", correlation=x("event.payload.key"), means=Meaning(x("event.payload.key")))
    program = Program(flow(Step("a", Compute()), starts=(keyed, EventStart("e"))), compile_value)
    event = EventRecord("e", "e", T0, {"key": "a\0b"}, correlation_id="c\0")
    found = [started_by(program, number, event, execution="x", at=T0) for number in (0, 1)]
    assert [each.correlation_id for each in found if isinstance(each, Start)] == ["a\ufffdb", "c\ufffd"]
    assert meant_by(program, 0, event, at=T0) == ("a\ufffdb", None)


def test_a_start_may_rely_on_what_a_text_means() -> None:
    def meant(means: Meaning | None, data: object) -> tuple[str, str | None] | None:
        program = Program(flow(Step("a", Compute()), starts=(EventStart("e", means=means),)), compile_value)
        return meant_by(program, 0, EventRecord("e", "e", T0, data), at=T0)

    named = Meaning(x("event.payload.of"))
    assert meant(None, {}) is None
    assert meant(named, {"of": "orders"}) == ("orders", None)
    assert meant(Meaning(k("orders"), x("event.payload.of")), {"of": "wf_1"}) == ("orders", "wf_1")
    assert meant(Meaning(k("orders"), x("event.payload.of")), {"of": 7}) is None
    assert meant(named, {}) is None
    assert meant(Meaning(x("''.repeat(-1)")), {}) is None


def test_executions_that_start_each_other_by_event_end_at_the_depth_limit() -> None:
    program = Program(flow(Step("a", Compute()), starts=(EventStart("e"),), depth_max=3), compile_value)
    deep = started_by(program, 0, EventRecord("e", "e", T0, source="parent", depth=2), execution="x", at=T0)
    assert isinstance(deep, Start)
    assert (deep.depth, deep.parent) == (3, "parent")
    declined = started_by(program, 0, EventRecord("e", "e", T0, depth=3), execution="x", at=T0)
    assert declined == Declined("the depth of 3 has reached the limit of 3")


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


def test_where_variables_flow_a_fork_changes_those_of_every_path() -> None:
    steps = (
        Step("a", SetVariables((("v", k(1)),)), (Route(("run", "each", "pause", "meet")),)),
        Step("run", Task("t"), (Route(("meet",)),)),
        Step("each", Task("t"), (Route(("meet",)),), each=ForEach(k([1]))),
        Step("pause", Compute(), (Route(("meet",)),), pause_until=k(T0 + 5)),
        Step("meet", Compute(x("vars.v"))),
    )
    drive = Drive(flow(*steps, variables="flowing"))
    copy = forked(drive, len(drive.history), variables={"v": 99})
    copy.done("run").done("each", item=0)
    assert copy.after(5).output == 99
    drive.done("run").done("each", item=0).after(5)
    ended = forked(drive, len(drive.history), variables={"v": 99}, steps=("run", "each"))
    assert all(op.token.vars is not None for op in ended.state.ops.values() if op.token is not None)
    assert ended.done("run").done("each", item=0).output == 99


def test_a_fork_inside_of_a_loop_is_in_that_loop() -> None:
    steps = (
        Step("loop", Loop(k([5, 6])), (Route(("body",), port="loop"),)),
        Step("body", Task("t", obj(item=x("loop.item"), v=x("vars.v"))), (Route(("loop",)),)),
    )
    drive = Drive(flow(*steps, variables="flowing")).done("body")
    copy = forked(drive, len(drive.history), variables={"v": 99})
    assert copy.command(c.PerformTask).input == {"item": 6, "v": 99}
    assert copy.done("body").state.status == "completed"


def test_a_fork_does_not_undo_what_its_origin_did() -> None:
    drive = saga()
    copy = forked(drive, len(drive.history)).done("ship").send(CANCEL)
    assert copy.open_steps == {"unship"}
    assert copy.done("unship").fact(f.CompensationFinished)


def test_a_fork_is_of_who_started_its_origin_or_of_who_has_changed_it() -> None:
    drive = Drive(flow(Step("ask", Approval(k(1), apart=True))), by="ann")
    assert forked(drive, len(drive.history)).command(c.OpenApproval).asked.started_by == "ann"
    changed = forked(drive, len(drive.history), input=(2,), by="bob")
    assert changed.command(c.OpenApproval).asked.started_by == "bob"


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


def test_an_event_may_say_how_deep_it_is() -> None:
    trigger = EventStart("e", depth=x("event.payload.depth"))
    program = Program(flow(Step("a", Compute()), starts=(trigger,), depth_max=3), compile_value)
    for said, source, depth in ((2, None, 2), (0, 1, 2), (1e300, None, 3), ("3", None, 0), (True, 0, 1), (-5, None, 0)):
        event = EventRecord("e", "e", T0, {"depth": said}, depth=source)
        found = started_by(program, 0, event, execution="x", at=T0)
        assert isinstance(found, Start)
        assert found.depth == depth
