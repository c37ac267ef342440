"""Where there is more to tell of a document than is told, that is told as well."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from perdure.dialects import registry
from perdure.dialects.faults import PROBLEMS_MAX, Faults
from perdure.dialects.reading import BadDocument, faults, located, read
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.problem import LEFT_OUT
from perdure.typescript.reading import PROBLEMS_MAX as OF_A_TRANSFORM


def told(document: Any, catalog: Catalog | None = None) -> Any:
    given = read(msgspec.json.encode(document))
    found = registry.compile(given.value, catalog or Catalog())
    return replace(found, problems=located(found.problems, given))


def refs(count: int) -> dict[str, Any]:
    steps = [{"name": f"s{number}", "sleep": {"ms": "@nope.x"}} for number in range(count)]
    return {"name": "many", "steps": [steps]}


@pytest.mark.parametrize(("more", "said"), [(1, "1 more problem is left out"), (30, "30 more problems are left out")])
def test_the_last_problem_says_how_many_are_left_out(more: int, said: str) -> None:
    problems = told(refs(PROBLEMS_MAX + more)).problems
    assert len(problems) == PROBLEMS_MAX + 1
    assert (problems[-1].type, problems[-1].path, problems[-1].line) == (LEFT_OUT, "", None)
    assert problems[-1].message == f"{said}: {PROBLEMS_MAX} are told at once; mend these first"


def test_as_many_as_are_told_are_all() -> None:
    assert [each.type for each in told(refs(PROBLEMS_MAX)).problems] == ["missing_ref"] * PROBLEMS_MAX


def test_warnings_and_what_keeps_a_draft_are_counted_apart() -> None:
    found = Faults()
    for _ in range(PROBLEMS_MAX + 2):
        found.warning("odd", "/a", "it is odd")
        found.obstacle("not_yet", "/a", "not yet")
    assert found.told("problem") == ()
    assert found.told("warning")[-1].message.startswith("2 more warnings are left out")
    assert found.told("obstacle")[-1].message.startswith("2 more obstacles are left out")


def test_warnings_that_nobody_looked_for_are_told_of_as_well() -> None:
    config = {"type": "log", "parameters": {"message": "{{ nowhere.at.all }} {{ nowhre }}"}}
    steps = [
        {
            "stepSlug": f"s{number}",
            "name": "s",
            "stepType": "action",
            "order": number,
            "config": config,
            "nextSteps": {},
        }
        for number in range(PROBLEMS_MAX + 1)
    ]
    warnings = told({"name": "many", "steps": steps}).warnings
    assert (len(warnings), warnings[-1].type) == (PROBLEMS_MAX + 1, LEFT_OUT)
    assert warnings[-1].message.startswith("there may be further warnings")


def test_a_transform_with_more_problems_than_are_told_says_so() -> None:
    code = "export default function f(input: any): any {\n" + "Date.now();\n" * (OF_A_TRANSFORM + 20) + "}"
    problems = told({"name": "one", "steps": [[{"name": "s", "transform": code}]]}).problems
    assert [each.type for each in problems] == ["invalid_typescript"] * OF_A_TRANSFORM + [LEFT_OUT]
    assert problems[-1].message.startswith(f"these are the first {OF_A_TRANSFORM} problems of this transform")
    assert (problems[-1].path, problems[-1].line) == ("/steps/0/0/transform", 1)


def test_what_is_no_json_is_not_told_without_end_and_says_so() -> None:
    found = faults([float("nan")] * (PROBLEMS_MAX + 5))
    assert (len(found), found[-1].type) == (PROBLEMS_MAX + 1, LEFT_OUT)
    with pytest.raises(BadDocument, match=r"; and \d+ more$") as caught:
        read("{" + ",\n".join(['"a":1'] * (PROBLEMS_MAX + 5)) + "}")
    assert caught.value.problems[-1].type == LEFT_OUT


def test_names_that_are_left_out_are_counted() -> None:
    catalog = Catalog(tuple(TaskSchema(f"tool-{number:02}", "py", {}, {}) for number in range(14)))
    document = {"name": "one", "steps": [[{"name": "s", "tool": {"connectionId": "py", "toolName": "xyz"}}]]}
    (problem,) = told(document, catalog).problems
    assert problem.message.endswith("tool-08, tool-09, … and 4 more")
