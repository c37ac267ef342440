"""The model: what is one workflow and what is none, its stored form and its name."""

from __future__ import annotations

import pytest

from perdure.core.program import Program
from perdure.errors import InvalidWorkflow, PerdureError
from perdure.expressions.language import compile_value
from perdure.model import check, codec
from perdure.model.catalog import LOCAL, Catalog, TaskSchema, called
from perdure.model.failure import Category, refusal
from perdure.model.inputs import Inputs, unusable
from perdure.model.problem import Problem
from perdure.model.records import ApprovalRecord, settled
from perdure.model.steps import (
    Approval,
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
from perdure.model.workflow import Compensation, Entry, Schedule, Workflow
from perdure.testing.words import k, x

GOOD = Workflow(
    "good",
    (
        Step("a", Task("t", retry=Retry(3)), (Route(("b",), "ok", x("output.n > 1")),), each=ForEach(x("input"))),
        Step("b", Loop(k([1])), (Route(("c",)),)),
        Step("c", Approval(k({})), (Route(("d",)),)),
        Step("d", EventWait(k("tick")), (Route(("e",)),)),
        Step("e", Condition(x("true")), (Route(("f",)),)),
        Step("f", Timer(k(1))),
        Step("undo", Task("u")),
    ),
    (Entry("a"),),
    compensations=(Compensation("a", "undo"),),
)


def found(workflow: Workflow) -> dict[str, str]:
    return {problem.type: problem.message for problem in check.problems(workflow)}


def test_a_good_workflow_has_no_problems_and_survives_its_stored_form() -> None:
    assert check.problems(GOOD) == ()
    assert codec.decode(codec.encode(GOOD)) == GOOD
    assert codec.digest(codec.decode(codec.encode(GOOD))) == codec.digest(GOOD)
    assert codec.digest(Workflow("other")) != codec.digest(GOOD)


ORDER = {"type": "object", "required": ["sku"], "properties": {"sku": {"type": "string"}, "n": {"type": "integer"}}}


def test_without_a_schema_anything_can_be_given() -> None:
    inputs = Inputs(None)
    assert (inputs.problems(None), inputs.reason([1]), inputs.failure({})) == ((), None, None)
    assert list(unusable(Workflow("w", schedules=(Schedule("s", every_ms=1_000),)))) == []


def test_what_does_not_fit_the_schema_is_told_with_its_place() -> None:
    inputs = Inputs(ORDER)
    assert inputs.problems({"sku": "AB-1"}) == ()
    assert inputs.problems({"sku": "AB-1", "n": "two"}) == (
        Problem("invalid_input", '"two" is not of type "integer"', "/n", field="n"),
    )
    assert [(each.path, each.field) for each in (*inputs.problems({}), *inputs.problems(None))] == [("", "sku")] * 2
    failure = inputs.failure({})
    assert failure == refusal('the input does not fit: "sku" is a required property', code="INVALID_INPUT")
    assert failure is not None
    assert not failure.retriable


def test_what_an_object_would_need_is_told_where_there_is_no_input() -> None:
    assert [each.message for each in Inputs(ORDER).problems(None)] == [
        'there is no input, and "sku" is a required property'
    ]
    (problem,) = Inputs({"type": "object"}).problems(None)
    assert problem.message == 'there is no input, and null is not of type "object"'


def test_of_many_violations_some_stand_in_the_reason() -> None:
    reason = Inputs({"items": {"type": "null"}}).reason([1, 2, 3, 4, 5])
    assert reason is not None
    assert reason.startswith('the input does not fit: /0: 1 is not of type "null"; /1: ')
    assert reason.endswith("; and 2 more")


def test_a_schema_that_cannot_be_used_is_told_and_lets_nothing_begin() -> None:
    (problem,) = unusable(Workflow("w", input_schema={"properties": {"a": {"pattern": "("}}}))
    assert (problem.type, problem.path) == ("invalid_schema", "/input_schema/properties/a/pattern")
    (problem,) = Inputs({"pattern": "("}).problems("x")
    assert problem.message.startswith("it cannot be checked: its schema cannot be used (/pattern: ")


def test_a_schedule_gives_what_fits() -> None:
    schedules = (
        Schedule("nightly", every_ms=1_000),
        Schedule("weekly", every_ms=1_000, input={"sku": "AB-1"}),
        Schedule("daily", every_ms=1_000, input={"sku": 5}),
    )
    assert [
        (each.type, each.path, each.step) for each in unusable(Workflow("w", schedules=schedules, input_schema=ORDER))
    ] == [
        ("invalid_schedule", "/schedules/0/input", "nightly"),
        ("invalid_schedule", "/schedules/2/input", "daily"),
    ]
    assert [each.type for each in unusable(Workflow("w", schedules=schedules, input_schema=[]))] == ["invalid_schema"]


def test_the_schema_of_a_stored_model_is_read_without_the_rest() -> None:
    assert codec.input_schema(codec.encode(Workflow("w", input_schema=ORDER))) == ORDER
    assert codec.input_schema(codec.encode(Workflow("w"))) is None
    assert codec.input_schema(b"{") is None


def test_a_stored_form_keeps_the_order_of_keys_and_leaves_defaults_out() -> None:
    data = codec.encode(Workflow("w", (Step("a", Compute(k({"z": 1, "a": 2}))),), (Entry("a"),)))
    assert data == (
        b'{"name":"w","steps":[{"id":"a","work":{"kind":"compute","output":{"kind":"constant","value":{"z":1,"a":2}}}}],'
        b'"entries":[{"step":"a"}]}'
    )


def test_only_a_workflow_with_a_secret_input_has_the_format_that_older_programs_refuse() -> None:
    """A program of format 1 would ignore `secret_input` and write the plain input into history."""
    plain = Workflow("w", (Step("a", Task("t")), Step("b", Compute(k(1)))), (Entry("a"),))
    assert b'"format"' not in codec.encode(plain)
    secret = Workflow("w", (Step("a", Task("t", secret_input=True)),), (Entry("a"),))
    data = codec.encode(secret)
    assert data.endswith(b'"format":2}')
    stored = codec.decode(data)
    assert stored.steps == secret.steps
    assert (stored.format, codec.encode(stored), codec.digest(stored)) == (2, data, codec.digest(secret))
    assert check.problems(secret) == check.problems(stored) == ()


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"{", "truncated"),
        (b'{"name": "x", "format": 0}', "'x' cannot run:\n  /format: .* reads 1 to 2; upgrade"),
        (b'{"name": "x", "steps": 3}', "'x' cannot run:\n  /steps: .* Expected `array`, got `int`"),
        (b'{"name": "x", "format": 99}', "'x' cannot run:\n  /format: .* reads 1 to 2; upgrade"),
    ],
)
def test_what_is_not_a_model_is_refused_by_name(data: bytes, part: str) -> None:
    with pytest.raises(InvalidWorkflow, match=part):
        codec.decode(data)


@pytest.mark.parametrize(
    ("step", "entries", "path"),
    [
        (Step("a", Compute(), (Route("b"),)), (Entry("a"),), "/steps/0/routes/0/to"),  # type: ignore[arg-type]
        (Step("a", Compute(), Route(("b",))), (Entry("a"),), "/steps/0/routes"),  # type: ignore[arg-type]
        (Step("a", Compute("output")), (Entry("a"),), "/steps/0/work/output"),  # type: ignore[arg-type]
        (Step("a", Compute()), ("a",), "/entries/0"),
        (Step("a", Compute(k(object()))), (Entry("a"),), ""),
    ],
)
def test_a_value_of_the_wrong_type_is_a_fault_with_its_place(step: Step, entries: tuple[Entry, ...], path: str) -> None:
    (fault,) = check.problems(Workflow("w", (step,), entries))
    assert (fault.type, fault.path) == ("invalid_model", path)


def test_every_fault_is_told_at_once_with_its_place() -> None:
    workflow = Workflow(
        "bad",
        (
            Step("a", Compute(), (Route(("notfy",)),), each=ForEach(k([]), concurrency=0)),
            Step("a", Timer()),
            Step("", Task("t", retry=Retry(0), timeout_ms=0), on_error=(Route(("zzzzzz",)),)),
            Step("notify", Approval(k({}), on_timeout="escalate", votes_required=0)),
            Step("loop", Loop(k([]), batch_size=0)),
        ),
        (Entry("missing"),),
        compensations=(Compensation("nobody", "notify"), Compensation("a", "ghost")),
        steps_max=0,
    )
    problems = check.problems(workflow)
    types = [problem.type for problem in problems]
    assert types.count("unknown_step") == 5
    assert types.count("out_of_range") == 6
    assert {"duplicate_id", "missing_id", "not_repeatable", "no_time", "no_escalation", "not_a_task"} <= set(types)
    near = next(problem for problem in problems if problem.ref == "notfy")
    assert near.message == "'notfy' is not a step; did you mean 'notify'?"
    assert near.path == "/steps/0/routes/0/to"
    far = next(problem for problem in problems if problem.ref == "zzzzzz")
    assert "did you mean" not in far.message
    with pytest.raises(PerdureError, match="'bad' cannot run") as caught:
        Program(workflow, compile_value)
    assert isinstance(caught.value, InvalidWorkflow)
    assert caught.value.problems == problems


def test_steps_without_a_first_are_a_problem_and_no_steps_are_not() -> None:
    assert "no_entry" in found(Workflow("w", (Step("a", Compute()),)))
    assert found(Workflow("w")) == {}


def test_a_repeated_task_cannot_undo() -> None:
    undo = Step("undo", Task("u"), each=ForEach(k([])))
    workflow = Workflow("w", (Step("a", Compute()), undo), (Entry("a"),), compensations=(Compensation("a", "undo"),))
    assert "not_a_task" in found(workflow)


def test_a_catalog_finds_tasks_by_name_and_connection() -> None:
    tool = TaskSchema("list", "api", output={"type": "array"})
    catalog = Catalog((TaskSchema("list"), tool), ("KEY",))
    assert catalog.task("list", "api") is tool
    assert catalog.task("list") == TaskSchema("list")
    assert catalog.task("other") is None


def test_a_refusal_is_not_tried_again() -> None:
    failure = refusal("no", code="NO")
    assert (failure.retriable, failure.category) == (False, Category.VALIDATION)


def test_the_engine_settles_an_approval_with_a_decision_or_without() -> None:
    asked = ApprovalRecord("a", "main", 2, "ask", {}, 0)
    found = [settled(asked, how, 7) for how in ("approve", "reject", None)]
    assert [(each.status, each.decision, each.closed_at) for each in found] == [
        ("approved", "approve", None),
        ("rejected", "reject", None),
        ("closed", None, 7),
    ]


@pytest.mark.parametrize(("due_at", "decided_at"), [(9, 9), (3, 5), (None, 7)])
def test_the_engine_decides_at_the_due_date_and_never_before_it_has_asked(due_at: int | None, decided_at: int) -> None:
    """A fork opens an approval again whose due date may have passed by then."""
    asked = ApprovalRecord("a", "main", 2, "ask", {}, 5, due_at=due_at)
    assert settled(asked, "reject", 7).decided_at == decided_at


def test_a_task_is_called_after_its_connection_if_it_has_one() -> None:
    assert [called("list-users"), called("list-users", LOCAL), called("list-users", "api")] == [
        "list-users",
        "list-users",
        "api/list-users",
    ]


def test_a_catalog_knows_tasks_by_what_workflows_call_them() -> None:
    own, stands_in, tool = TaskSchema("a/b"), TaskSchema("x", "a"), TaskSchema("y", "local")
    catalog = Catalog((own, stands_in, tool), unavailable=(("crm", "it is down"),))
    names = ("a/b", "a/x", "a/y", "y", "local/y", "a/", "z")
    assert [catalog.called(name) for name in names] == [own, stands_in, None, tool, None, None, None]
    assert (catalog.why_not("crm"), catalog.why_not("a")) == ("it is down", None)


def test_a_long_name_of_a_task_is_refused_when_it_is_saved_and_loads_when_it_is_stored() -> None:
    long = Workflow(
        "long", (Step("a", Task("t" * 201)), Step("b", Task("t" * 200)), Step("c", Compute())), (Entry("a"),)
    )
    (problem,) = check.long_names(long)
    assert (problem.type, problem.path, problem.step) == ("too_long", "/steps/0/work/task", "a")
    assert problem.message == "the name of a task has 201 characters; the limit is 200"
    assert Program(long, compile_value).workflow == long
