"""Tasks: attempts, retries, checkpoints, budgets, and what comes too late."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from core.drive import T0, Drive, flow
from perdure.core import NeedValues, advance, outstanding
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.steps.task import RETRY_AFTER_MAX_MS, delay_ms
from perdure.core.values import Chunk, Ref, Within
from perdure.errors import InvalidWorkflow
from perdure.expressions.times import LAST_MS, iso
from perdure.model.failure import Category, Failure
from perdure.model.steps import Compute, Fail, ForEach, Retry, Route, Step, Task
from perdure.model.values import Expression, Text, Value
from perdure.model.workflow import Workflow
from perdure.testing.words import k, obj, x

DECLINED = Failure("card declined", Category.BUSINESS, "DECLINED")
RETRY = Retry(attempts_max=3, delay_ms=5_000, jitter=0)


def one_task(**more: object) -> Drive:
    return Drive(flow(Step("charge", Task("charge", obj(amount=x("input.amount")), **more))), {"amount": 10})  # type: ignore[arg-type]


def test_a_started_execution_schedules_its_first_task_with_its_rendered_input() -> None:
    drive = one_task(timeout_ms=900)
    assert drive.facts[1] == f.StepScheduled(T0, 0, {"amount": 10})
    assert drive.commands == (c.PerformTask(2, 1, "charge", "charge", {"amount": 10}, "main:2", 900),)
    assert drive.wake_at is None


def test_what_a_task_is_set_up_with_comes_with_every_attempt_and_stands_in_no_fact() -> None:
    drive = one_task(setup={"code": "x => x"}, retry=RETRY)
    assert drive.command(c.PerformTask).setup == {"code": "x => x"}
    assert drive.fact(f.StepScheduled) == f.StepScheduled(T0, 0, {"amount": 10})
    drive.failed("charge", DECLINED).after(5_000)
    assert (drive.command(c.PerformTask).attempt, drive.command(c.PerformTask).setup) == (2, {"code": "x => x"})


def test_a_completed_task_is_recorded_once_and_ends_the_execution() -> None:
    drive = one_task().done("charge", {"id": 7})
    assert drive.facts[0] == f.StepCompleted(T0, 0, 2, {"id": 7})
    assert drive.command(c.Finish) == c.Finish("completed", {"id": 7})
    assert drive.state.status == "completed"


def test_a_failed_task_is_retried_after_its_backoff() -> None:
    drive = one_task(retry=RETRY).failed("charge", DECLINED)
    assert drive.facts == (f.StepRetrying(T0, 2, 2, T0 + 5_000, DECLINED),)
    assert drive.commands == ()
    assert drive.wake_at == T0 + 5_000
    assert drive.after(4_999).facts == ()
    assert drive.after(1).facts == (f.StepAttempted(T0 + 5_000, 2, 2),)
    assert drive.command(c.PerformTask).key == "main:2"
    assert drive.command(c.PerformTask).attempt == 2


@pytest.mark.parametrize(
    ("asked_for", "wait"), [(1_000, 5_000), (60_000, 60_000), (RETRY_AFTER_MAX_MS + 1, RETRY_AFTER_MAX_MS)]
)
def test_who_was_called_may_ask_for_a_longer_wait_within_reason(asked_for: int, wait: int) -> None:
    busy = Failure("too many requests", Category.TRANSIENT, "HTTP_429", retry_after_ms=asked_for)
    drive = one_task(retry=RETRY).failed("charge", busy)
    assert drive.fact(f.StepRetrying).due_at == T0 + wait


def test_a_task_that_has_used_its_attempts_fails_the_execution() -> None:
    drive = one_task(retry=Retry(2, jitter=0)).failed("charge", DECLINED).after(1_000).failed("charge", DECLINED)
    assert [type(fact) for fact in drive.facts] == [f.StepFailed, f.ExecutionFailed]
    assert drive.command(c.Finish) == c.Finish("failed", error=DECLINED)


def test_a_late_or_doubled_answer_changes_nothing() -> None:
    drive = one_task(retry=RETRY).failed("charge", DECLINED)
    before = drive.state
    for event in (
        e.TaskCompleted(T0, 2, 1, "late"),
        e.TaskFailed(T0, 2, 1, DECLINED),
        e.TaskCompleted(T0, 2, 2, "not yet under way"),
        e.AttemptLost(T0, 2, 1),
        e.TaskCheckpointed(T0, 2, 1, "a", 0, 1),
        e.TaskCompleted(T0, 99, 1, "unknown"),
        e.ApprovalDecided(T0, 2, "approve", "ann"),
        e.ChildEnded(T0, 2, "child"),
    ):
        drive.send(event)
        assert drive.facts == ()
        assert drive.commands == ()
        assert drive.state is before


def test_an_earlier_attempt_cannot_answer_for_the_one_that_is_under_way() -> None:
    drive = one_task(retry=RETRY).failed("charge", DECLINED).after(5_000)
    for event in (e.TaskCompleted(T0, 2, 1, "late"), e.TaskFailed(T0, 2, 1, DECLINED), e.AttemptLost(T0, 2, 1)):
        assert drive.send(event).facts == ()
    assert drive.send(e.TaskCompleted(T0, 2, 2, "now")).output == "now"


def test_an_attempt_that_was_lost_is_made_again_at_once_and_does_not_count_as_a_failure() -> None:
    drive = one_task(retry=Retry(2, jitter=0))
    for attempt in (1, 2, 3):
        drive.send(e.AttemptLost(T0, 2, attempt))
        assert drive.fact(f.StepLost) == f.StepLost(T0, 2, attempt)
        assert drive.command(c.PerformTask).attempt == attempt + 1
    drive.failed("charge", DECLINED)
    assert drive.fact(f.StepRetrying).attempt == 5


def test_errors_choose_whether_they_are_retried() -> None:
    only = Retry(3, only=("TRANSIENT",), jitter=0)
    never = Retry(3, never=("DECLINED",), jitter=0)
    assert one_task(retry=only).failed("charge", DECLINED).state.status == "failed"
    assert one_task(retry=only).failed("charge", Failure("x", Category.TRANSIENT)).state.status == "running"
    assert one_task(retry=never).failed("charge", DECLINED).state.status == "failed"
    assert one_task(retry=never).failed("charge", Failure("x")).state.status == "running"
    assert one_task(retry=RETRY).failed("charge", Failure("x", retriable=False)).state.status == "failed"


def test_backoff_doubles_up_to_its_cap_and_spreads_by_its_operation() -> None:
    plain = Retry(9, delay_ms=1_000, jitter=0, delay_max_ms=6_000)
    assert [delay_ms(plain, n) for n in (1, 2, 3, 4, 400)] == [1_000, 2_000, 4_000, 6_000, 6_000]
    spread = {delay_ms(Retry(9), 1, "main", op, 2) for op in range(50)}
    assert len(spread) > 30
    assert all(1_000 <= delay < 1_100 for delay in spread)


@pytest.mark.parametrize("multiplier", [1e160, 1e300, 70_000.0, 1e6])
def test_however_large_the_multiplier_is_the_delay_has_its_maximum(multiplier: float) -> None:
    retry = Retry(500, delay_ms=10, multiplier=multiplier, jitter=0, delay_max_ms=6_000)
    assert [delay_ms(retry, n) for n in (1, 4, 67, 499)] == [10, 6_000, 6_000, 6_000]
    assert delay_ms(replace(retry, delay_ms=0), 499) == 0


def test_a_small_multiplier_comes_to_the_maximum_too() -> None:
    assert delay_ms(Retry(500, delay_ms=1_000, multiplier=1.01, jitter=0, delay_max_ms=60_000), 499) == 60_000


def test_a_retry_is_due_while_instants_can_be_written() -> None:
    retry = Retry(3, delay_ms=LAST_MS, jitter=0, delay_max_ms=LAST_MS)
    drive = one_task(retry=retry).failed("charge", DECLINED)
    assert drive.fact(f.StepRetrying).due_at == drive.wake_at == LAST_MS


def test_checkpoints_are_kept_across_attempts_and_their_first_value_stays() -> None:
    drive = one_task(retry=RETRY)
    drive.send(e.TaskCheckpointed(T0, 2, 1, "fetch", 0, {"page": 1}))
    assert drive.facts == (f.StepCheckpointed(T0, 2, "fetch", 0, {"page": 1}),)
    assert drive.send(e.TaskCheckpointed(T0, 2, 1, "fetch", 0, "other")).facts == ()
    drive.send(e.TaskCheckpointed(T0, 2, 1, "fetch", 1, {"page": 2}))
    drive.failed("charge").after(5_000)
    assert drive.command(c.PerformTask).checkpoints == (("fetch", 0, {"page": 1}), ("fetch", 1, {"page": 2}))
    assert drive.asked == {2, 3, 4}


def test_values_that_are_not_at_hand_are_asked_for_all_at_once() -> None:
    drive = one_task(retry=RETRY).failed("charge")
    answer = advance(drive.program, drive.state, e.TimeReached(T0 + 5_000))
    assert answer == NeedValues(frozenset({2}))


def test_an_input_that_cannot_be_computed_breaks_the_step_by_name() -> None:
    drive = Drive(flow(Step("charge", Task("charge", x("input.amount.trim()")))), {"amount": 5})
    assert drive.state.status == "failed"
    error = drive.fact(f.StepFailed).error
    assert error.code == "EXPRESSION"
    assert "'charge'" in error.message
    assert not error.retriable


def test_an_undefined_input_is_null() -> None:
    drive = Drive(flow(Step("charge", Task("charge", x("input.nothing")))), {})
    assert drive.command(c.PerformTask).input is None


def test_secrets_are_sealed_beside_the_input() -> None:
    drive = Drive(flow(Step("call", Task("http", obj(token=x("secrets.API"), url="u")))))
    command = drive.command(c.PerformTask)
    assert command.input == {"token": "***", "url": "u"}
    assert command.sealed == {"/token": [{"secret": "API"}]}
    drive.send(e.AttemptLost(T0, 2, 1))
    assert drive.command(c.PerformTask).sealed == command.sealed


def test_no_fact_holds_a_secret_input_and_each_attempt_is_given_the_same() -> None:
    work = Task("seal", obj(token=x("'tok-' + input.part + now")), Retry(3, delay_ms=1), secret_input=True)
    drive = Drive(flow(Step("keep", work)), {"part": "p4rt"})
    command = drive.command(c.PerformTask)
    assert command.input == {"token": f"tok-p4rt{iso(T0)}"}
    assert command.secret_input
    assert drive.fact(f.StepScheduled).input == {"token": "***"}
    drive.send(e.AttemptLost(T0 + 5, 2, 1))
    assert drive.command(c.PerformTask) == replace(command, attempt=2)
    drive.failed("keep").after(10)
    assert drive.command(c.PerformTask) == replace(command, attempt=3)
    values: dict[Ref, Any] = {ref: drive.value(ref) for ref in range(1, len(drive.history) + 1)}
    assert outstanding(drive.program, drive.state, values) == (replace(command, attempt=3),)
    assert not any("tok-" in repr(fact) for fact in drive.history)


def test_each_attempt_with_a_secret_input_has_the_same_local_names() -> None:
    work = Task("seal", obj(token=x("'tok-' + local.at")), Retry(2, delay_ms=1), secret_input=True)
    drive = Drive(flow(Step("keep", work, locals=obj(at=x("now")))))
    command = drive.command(c.PerformTask)
    drive.send(e.AttemptLost(T0 + 5, drive.op("keep"), 1))
    assert drive.command(c.PerformTask) == replace(command, attempt=2)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (x("('tok-' + input.part)|isoDate"), "\"('tok-' + input.part)|isoDate\""),
        (x("('tok-' + input.part)|parseDate"), "'as its author wrote it'"),
        (Text((x("input.many"), x("input.many"))), "the value"),
    ],
)
def test_an_error_of_a_secret_input_has_no_values(value: Value, told: str) -> None:
    source = value.source if isinstance(value, Expression) else ""
    step = Step("keep/seal-1", Task("seal", obj(token=value), secret_input=True), part_of="keep")
    written = ((source, "as its author wrote it"),) if told.startswith("'as") else ()
    drive = Drive(flow(step, Step("keep", Compute(k(1))), written=written), {"part": "p4rt", "many": "y" * 600_000})
    error = drive.fact(f.StepFailed).error
    assert error.code == "EXPRESSION"
    assert error.message.startswith(f"step 'keep': {told} could not be computed; the cause is left out")
    assert not any("tok-p4rt" in repr(fact) or "yyy" in repr(fact) for fact in drive.history[1:])


def test_a_secret_input_that_is_no_object_is_masked_whole() -> None:
    drive = Drive(flow(Step("keep", Task("seal", x("input"), secret_input=True))), "tok")
    assert drive.fact(f.StepScheduled).input == "***"
    assert drive.command(c.PerformTask).input == "tok"


def _sealing(*steps: Step, **more: Any) -> Workflow:
    seal = Step("seal", Task("seal"), (Route((steps[0].id,)),), assign=obj(**{"secrets/API": x("output.API")}))
    return flow(seal, *steps, **{"reserved": ("API", "secrets/API"), **more})


CALL = Step("call", Task("http", obj(token=x("'Bearer ' + secrets.API"), other=x("secrets.OTHER"))))


def test_a_sealed_variable_is_pinned_beside_the_secret_that_it_is() -> None:
    drive = Drive(_sealing(CALL)).done("seal", {"API": "pse1.x"})
    command = drive.command(c.PerformTask)
    assert command.input == {"token": "Bearer ***", "other": "***"}
    assert command.sealed == {
        "/token": ["Bearer ", {"secret": "API", "envelope": "pse1.x"}],
        "/other": [{"secret": "OTHER"}],
    }
    assert drive.fact(f.StepScheduled).sealed == command.sealed
    drive.send(e.AttemptLost(T0, drive.op("call"), 1))
    assert drive.command(c.PerformTask).sealed == command.sealed


def test_what_is_not_sealed_yet_or_not_any_more_is_a_secret_of_the_organization() -> None:
    early = Drive(flow(CALL, reserved=("API", "secrets/API")))
    assert early.command(c.PerformTask).sealed["/token"] == ["Bearer ", {"secret": "API"}]
    forget = Step("forget", Compute(), (Route(("call",)),), unassign=x("['secrets/API']"))
    late = Drive(_sealing(forget, CALL)).done("seal", {"API": "pse1.x"})
    assert late.command(c.PerformTask).sealed["/token"] == ["Bearer ", {"secret": "API"}]


def test_a_variable_that_the_workflow_does_not_reserve_is_no_secret() -> None:
    drive = Drive(_sealing(CALL, reserved=("other",))).done("seal", {"API": "pse1.forged"})
    assert drive.command(c.PerformTask).sealed["/token"] == ["Bearer ", {"secret": "API"}]


def test_a_sealed_variable_flows_with_its_path() -> None:
    drive = Drive(_sealing(CALL, variables="flowing")).done("seal", {"API": "pse1.x"})
    assert drive.command(c.PerformTask).sealed["/token"][1] == {"secret": "API", "envelope": "pse1.x"}


def test_the_port_and_the_ports_computed_from_the_output_choose_the_route() -> None:
    steps = (
        Step(
            "ask",
            Task("ask"),
            (Route(("a",), port="vip"), Route(("b",), when=x("output.n.toFixed() > 3")), Route(("c",))),
            ports=(x("output.outcome"), x("output.status")),
        ),
        Step("a", Compute(k("a"))),
        Step("b", Compute(k("b"))),
        Step("c", Compute(k("c"))),
    )
    assert Drive(flow(*steps)).done("ask", {"outcome": "vip", "n": 9}).output == "a"
    assert Drive(flow(*steps)).done("ask", {"status": "vip"}).output == "a"
    assert Drive(flow(*steps)).done("ask", {}, port="vip").output == "a"
    assert Drive(flow(*steps)).done("ask", {"n": 9}).output == "b"
    assert Drive(flow(*steps)).done("ask", {"n": 1}).output == "c"
    warned = Drive(flow(*steps)).done("ask", {"n": "many"})
    assert warned.output == "c"
    assert "counts as false" in warned.fact(f.Warned).message


def test_an_outcome_that_no_route_fits_ends_the_path_warns_or_fails() -> None:
    def answer(unrouted: str) -> Drive:
        step = Step("ask", Task("ask"), (Route(("b",), port="yes"),), unrouted=unrouted)  # type: ignore[arg-type]
        return Drive(flow(step, Step("b", Compute()))).done("ask", port="maybe")

    assert answer("end").state.status == "completed"
    warned = answer("warn")
    assert warned.state.status == "completed"
    assert "'maybe'" in warned.fact(f.Warned).message
    failed = answer("fail")
    assert failed.state.status == "failed"
    assert failed.fact(f.StepFailed).error.code == "UNROUTED"
    assert "'yes'" in failed.fact(f.StepFailed).error.message


def test_a_step_without_routes_ends_its_path_whatever_it_answers() -> None:
    drive = Drive(flow(Step("ask", Task("ask"), unrouted="fail"))).done("ask", port="any")
    assert drive.state.status == "completed"


def test_failures_are_routed_by_code_then_category_then_error() -> None:
    def handled(error: Failure) -> str:
        step = Step(
            "charge",
            Task("charge"),
            on_error=(
                Route(("a",), port="DECLINED"),
                Route(("b",), port="TIMEOUT"),
                Route(("c",), port="error", when=x("error.message == 'odd'")),
            ),
        )
        ends = (
            Step("a", Compute(k("a"))),
            Step("b", Compute(k("b"))),
            Step("c", Compute(x("steps.charge.error.message"))),
        )
        drive = Drive(flow(step, *ends)).failed("charge", error)
        return str(drive.command(c.Finish).output)

    assert handled(DECLINED) == "a"
    assert handled(Failure("late", Category.TIMEOUT)) == "b"
    assert handled(Failure("odd")) == "odd"
    assert handled(Failure("other")) == "None"


def test_a_step_can_fail_on_purpose() -> None:
    drive = Drive(flow(Step("stop", Fail(Text((k("no "), x("input.what"))), "NO_MATCH"))), {"what": "way"})
    assert drive.fact(f.StepFailed).error == Failure("no way", Category.BUSINESS, "NO_MATCH", retriable=False)


def test_budgets_are_reserved_before_the_call_and_paid_after_it() -> None:
    llm = Task("llm", reserve=(("tokens", 100),))
    steps = (
        Step("a", llm, (Route(("b",)),)),
        Step("b", llm, on_error=(Route(("c",), port="BUDGET"),)),
        Step("c", Compute(k("poor"))),
    )
    drive = Drive(flow(*steps, budget=(("tokens", 150),)))
    assert dict(drive.state.reserved) == {"tokens": 100}
    drive.done("a", usage=(("tokens", 60),))
    assert drive.output == "poor"
    assert dict(drive.state.reserved) == {"tokens": 0}
    assert dict(drive.state.spent) == {"tokens": 60}
    rich = Drive(flow(*steps, budget=(("tokens", 160),))).done("a", usage=(("tokens", 60),))
    assert rich.open_steps == {"b"}


def test_a_retry_must_fit_the_budget_too() -> None:
    llm = Task("llm", retry=RETRY, reserve=(("tokens", 100),), budget=(("tokens", 250),))
    used = (("tokens", 90),)
    drive = Drive(flow(Step("a", llm), budget=(("tokens", 1_000),)))
    drive.failed("a", usage=used)
    assert dict(drive.state.spent) == {"tokens": 90}
    drive.after(5_000).failed("a", usage=used)
    assert drive.state.status == "failed"
    assert drive.fact(f.StepFailed).error.code == "BUDGET"
    assert "the step" in drive.fact(f.StepFailed).error.message
    tight = Drive(flow(Step("a", Task("llm", retry=RETRY, reserve=(("tokens", 100),))), budget=(("tokens", 150),)))
    tight.failed("a", usage=used)
    assert "the execution" in tight.fact(f.StepFailed).error.message
    assert dict(tight.state.spent) == {"tokens": 90}


def test_what_a_retry_has_spent_is_counted_once() -> None:
    llm = Task("llm", retry=Retry(9, delay_ms=0), reserve=(("tokens", 30),))
    drive = Drive(flow(Step("a", llm), budget=(("tokens", 100),)))
    for _ in range(3):
        drive.failed("a", usage=(("tokens", 20),))
        assert drive.fact(f.StepRetrying)
        drive.after(0)
    drive.failed("a", usage=(("tokens", 20),))
    assert drive.fact(f.ExecutionFailed).error.code == "BUDGET"


def test_what_has_no_budget_is_not_limited() -> None:
    drive = Drive(flow(Step("a", Task("llm", reserve=(("tokens", 100),)))))
    assert drive.open_steps == {"a"}


def test_locals_are_names_of_one_step() -> None:
    step = Step("a", Task("t", obj(both=x("local.x"))), locals=obj(x=x("input.y")))
    assert Drive(flow(step), {"y": 3}).command(c.PerformTask).input == {"both": 3}


def test_output_is_recorded_or_only_what_it_assigned() -> None:
    def assigned(**more: object) -> Drive:
        step = Step("a", Task("t"), assign=x("output.set"), unassign=x("output.unset"), **more)  # type: ignore[arg-type]
        return Drive(flow(step, output=x("vars"), initial=k({"old": 1, "gone": 2}))).done(
            "a", {"set": {"new": 3}, "unset": ["gone"]}
        )

    kept, dropped = assigned(), assigned(keep_output=False)
    assert kept.output == dropped.output == {"old": 1, "new": 3}
    assert kept.fact(f.StepCompleted).output is not None
    assert dropped.fact(f.StepCompleted).output is None


def test_mappings_that_are_not_what_they_should_be_fail_the_step() -> None:
    for mapping, part in ((obj(assign=1), "object"), (obj(unassign=1), "list"), (obj(pause=1), "duration")):
        name = mapping.entries[0][0].value  # type: ignore[union-attr]
        step = {
            "assign": Step("a", Task("t"), assign=x("output")),
            "unassign": Step("a", Task("t"), unassign=x("output")),
            "pause": Step("a", Task("t"), pause_until=x("output")),
        }[name]
        drive = Drive(flow(step)).done("a", "text")
        assert drive.state.status == "failed"
        assert part in drive.fact(f.StepFailed).error.message
    for step in (Step("a", Task("t"), assign=x("output.x"), unassign=x("output.x"), pause_until=x("output.x")),):
        assert Drive(flow(step)).done("a", {}).state.status == "completed"
        assert Drive(flow(step)).done("a", {"x": None}).state.status == "completed"


def test_a_task_of_a_for_each_reads_its_item_from_a_chunk() -> None:
    items = list(range(1_500))
    step = Step("a", Task("t", obj(i=x("item"), n=x("index"))), each=ForEach(k(items), concurrency=1_200))
    drive = Drive(flow(step))
    assert sum(isinstance(command, c.PerformTask) for command in drive.commands) == 255
    assert c.Continue() in drive.commands
    drive.send(e.Continued(T0))
    assert drive.asked == {Chunk(2, 0)}
    assert drive.commands[0].input == {"i": 255, "n": 255}  # type: ignore[union-attr]
    drive.send(e.Continued(T0)).send(e.Continued(T0))
    assert drive.asked == {Chunk(2, 0), Chunk(2, 1)}
    drive.send(e.Continued(T0))
    assert len(drive.state.ops) == 1_200


def test_the_output_of_a_for_each_is_put_together_from_its_rows() -> None:
    steps = (
        Step("a", Task("t", x("item")), (Route(("b",)),), each=ForEach(k([5, 6]), concurrency=2)),
        Step("b", Compute(x("steps.a.output"))),
    )
    drive = Drive(flow(*steps))
    drive.done("a", "second", item=1)
    drive.done("a", "first", item=0)
    assert drive.asked == {Within(2)}
    assert drive.output == ["first", "second"]


def test_a_secret_may_only_stand_in_the_input_of_a_task() -> None:
    secret = x("secrets.KEY")
    assert Drive(flow(Step("a", Task("t", obj(key=secret))))).command(c.PerformTask).sealed == {
        "/key": [{"secret": "KEY"}]
    }
    steps = (
        Step("a", Task("t", secret), (Route(("b",), when=secret),), assign=obj(k=secret)),
        Step("b", Compute(obj(k=secret))),
        Step("c", Task("t"), locals=obj(k=x("1 1"))),
    )
    with pytest.raises(InvalidWorkflow) as refused:
        Drive(flow(*steps, output=secret))
    assert [(problem.path, problem.message.split(";")[0]) for problem in refused.value.problems] == [
        ("/steps/0/routes/0/when", "a secret can only stand in the input of a task"),
        ("/steps/0/assign", "a secret can only stand in the input of a task"),
        ("/steps/1/work/output", "a secret can only stand in the input of a task"),
        ("/steps/2/locals", "an operator is missing before '1'"),
        ("/output", "a secret can only stand in the input of a task"),
    ]
