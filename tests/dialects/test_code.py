"""CODE: a transform over the context. It is read when it is saved, and run by the task `transform`."""

from __future__ import annotations

import pytest

from dialects.words import alone, compiled, graph, node, output, run, told, warned, work_of
from lowered.checks import given
from perdure.model.steps import Retry
from perdure.model.values import Json
from perdure.testing.script import Fixed, TaskAnswer

TYPED = "interface Input { n: number }\ninterface Output { twice: number }\nexport default (input: Input): Output => ({ twice: 2 * input.n })"


def test_its_input_is_the_context_and_its_value_stands_under_its_name() -> None:
    world = run(
        alone("CODE", {"code": TYPED, "variableName": "x"}), {"n": 4}, Fixed({"it": TaskAnswer(output={"twice": 8})})
    )
    assert given(world, "it") == [{"n": 4}]
    assert world.store.rows["main"].record.output == {"n": 4, "x": {"twice": 8}}


def test_its_code_is_set_up_once_as_javascript() -> None:
    work = work_of(alone("CODE", {"code": TYPED, "variableName": "x", "timeout": "PT5S"}))
    assert work.task == "perdure.transform"
    assert isinstance(work.setup, dict)
    assert work.setup["timeoutMs"] == 5_000
    assert "interface" not in work.setup["code"]
    assert "2 * input.n" in work.setup["code"]
    assert (work.timeout_ms, work.retry) == (None, Retry())


def test_it_is_not_tried_again() -> None:
    again = alone("CODE", {"code": TYPED, "variableName": "x", "retry": {"maxAttempts": 2}})
    assert "comes to the same each time" in warned(again)["no_effect"].message
    assert work_of(again).retry == Retry()


def test_braces_are_its_own() -> None:
    code = "export default (input: { a: {} }) => `${{ a: 1 }}` + '{{ secrets.KEY }}'"
    work = work_of(alone("CODE", {"code": code, "variableName": "x"}))
    assert isinstance(work.setup, dict)
    assert work.setup["code"].endswith("=> `${{ a: 1 }}` + '{{ secrets.KEY }}'")


def test_arms_meet_with_what_code_gave() -> None:
    document = graph(
        node("a", "CODE", {"code": TYPED, "variableName": "a"}),
        node("b", "CODE", {"code": TYPED, "variableName": "b"}),
        node("m", "MERGE"),
        node("sum", "SET", {"values": {"sum": "{{a + b}}"}}),
        "start > a b",
        "a > m",
        "b > m",
        "m > sum",
    )
    assert output(document, {"n": 1}, Fixed({"a": TaskAnswer(output=3), "b": TaskAnswer(output=4)})) == {
        "n": 1,
        "a": 3,
        "b": 4,
        "sum": 7,
    }


@pytest.mark.parametrize(
    ("data", "path", "type_", "words"),
    [
        ({"variableName": "x"}, "", "missing_field", "'code' is missing"),
        ({"code": TYPED}, "", "missing_field", "'variableName' is missing"),
        ({"code": 7, "variableName": "x"}, "/code", "wrong_type", "a text"),
        ({"code": TYPED, "variableName": "_wait"}, "/variableName", "reserved_key", "belongs to the engine"),
        ({"code": "export default (", "variableName": "x"}, "/code", "invalid_typescript", ""),
        (
            {"code": "export default () => {\n  return Date.now()\n}", "variableName": "x"},
            "/code",
            "invalid_typescript",
            "(line 2, column 10)",
        ),
        ({"code": "return 1", "variableName": "x"}, "/code", "invalid_typescript", ""),
        ({"code": TYPED, "variableName": "x", "timeout": 20_000}, "/timeout", "out_of_range", "10,000 ms at most"),
    ],
)
def test_what_cannot_be_run_is_told_with_its_place(data: Json, path: str, type_: str, words: str) -> None:
    problem = told(alone("CODE", data))[f"/nodes/1/data{path}"]
    assert words in problem.message, problem.message
    assert problem.type == type_


def test_all_that_is_wrong_with_it_is_told() -> None:
    code = "export default (x) => [Date.now(), Math.random(), fetch('x')]"
    found = compiled(alone("CODE", {"code": code, "variableName": "x"})).problems
    assert [problem.type for problem in found] == ["invalid_typescript"] * 3


def test_without_types_it_runs_and_that_is_a_warning() -> None:
    untyped = alone("CODE", {"code": "export default (x) => x", "variableName": "x"})
    assert "interface Input" in warned(untyped)["untyped"].message
    assert warned(alone("CODE", {"code": TYPED, "variableName": "x"})) == {}
