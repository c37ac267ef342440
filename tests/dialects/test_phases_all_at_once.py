"""One fault of a phases document hides no other: what can still be made out of a step is checked, and all is told at once."""

from __future__ import annotations

from typing import Any

import pytest

from perdure import dialects
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.values import Json

TOOLS = (TaskSchema("any", "api"),)


def told(*phases: list[dict[str, Any]], **more: Json) -> list[tuple[str, str]]:
    found = dialects.compile({"name": "w", "steps": list(phases), **more}, Catalog(TOOLS))
    return [(each.type, each.path) for each in found.problems]


def transform(name: str, types: str, body: str, given: Json) -> dict[str, Json]:
    return {"name": name, "transform": f"{types}\nexport default (i) => ({body})", "input": given}


GIVES = transform("s", "interface Input {}\ninterface Output { n: number }", "{ n: 1 }", {})
TAKES = transform("u", "interface Input { z: string }\ninterface Output {}", "{}", {"z": "@t.w"})


def test_types_are_checked_on_both_sides_of_a_body_that_is_refused() -> None:
    refused = transform(
        "t", "interface Input { v: string }\ninterface Output { w: number }", "{ w: Date.now() }", {"v": "@s.n"}
    )
    reads = {**TAKES, "input": {"z": "@t.w", "y": "@t.nope"}}
    assert told([GIVES], [refused], [reads]) == [
        ("invalid_typescript", "/steps/1/0/transform"),
        ("type_mismatch", "/steps/1/0/input/v"),
        ("missing_ref", "/steps/2/0/input/y"),
        ("type_mismatch", "/steps/2/0/input/z"),
    ]


def test_of_two_types_the_one_that_can_be_read_is_checked() -> None:
    unread = transform("t", "interface Input { v: string }\ninterface Output { w: Date }", "{ w: 1 }", {"v": "@s.n"})
    assert told([GIVES], [unread], [TAKES]) == [
        ("invalid_typescript", "/steps/1/0/transform"),
        ("type_mismatch", "/steps/1/0/input/v"),
    ]
    alone = transform("t", "interface Input { v: string }", "{ w: 1 }", {"v": "@s.n"})
    assert told([GIVES], [alone], [TAKES])[1:] == [("type_mismatch", "/steps/1/0/input/v")]


@pytest.mark.parametrize("twice", ["type Input = { v: null }", "interface Input { v: null }"])
def test_a_type_that_is_declared_twice_is_not_held_against_anything(twice: str) -> None:
    unclear = transform("t", f"type Input = {{ v: string }}\n{twice}\ninterface Output {{}}", "{}", {"v": "@s.n"})
    assert told([GIVES], [unclear]) == [("invalid_typescript", "/steps/1/0/transform")]


def test_that_types_are_missing_is_told_beside_the_faults_of_a_body() -> None:
    untyped = transform("t", "", "{ w: Date.now() }", {})
    assert told([untyped], strictTypes=True) == [("invalid_typescript", "/steps/0/0/transform")] * 2


FAULTY: dict[str, Any] = {"transform": "import x from 'y'; export default (i) => 1", "input": {"x": "@nope.y"}}
OF_IT = [("invalid_typescript", "/steps/1/0/transform"), ("missing_ref", "/steps/1/0/input/x")]


@pytest.mark.parametrize(
    ("name", "path"),
    [({"name": "a"}, "/name"), ({}, ""), ({"name": "item"}, "/name"), ({"name": "x" * 201}, "/name")],
    ids=["taken", "missing", "reserved", "too long"],
)
def test_a_step_whose_name_cannot_be_used_is_checked_all_the_same(name: dict[str, Json], path: str) -> None:
    sleep = {"name": "a", "sleep": {"ms": 1}}
    assert told([sleep], [{**name, **FAULTY}]) == [("invalid_document", f"/steps/1/0{path}"), *OF_IT]


def test_of_a_step_that_is_several_things_at_once_each_is_checked() -> None:
    tool = {"connectionId": "api", "toolName": "nope"}
    found = told([], [{"name": "b", **FAULTY, "tool": tool, "sleep": {"ms": -5}, "retry": {"maxAttempts": 0}}])
    assert found == [
        ("invalid_document", "/steps/1/0"),
        ("missing_schema", "/steps/1/0/tool"),
        OF_IT[0],
        ("invalid_document", "/steps/1/0/sleep/ms"),
        OF_IT[1],
        ("invalid_document", "/steps/1/0/retry/maxAttempts"),
    ]


def test_of_a_step_that_does_nothing_all_else_is_checked() -> None:
    found = told([{"name": "b", "input": {"x": "@nope.y"}, "forEach": 5}], [{**TAKES, "input": {"z": "@b[0].w"}}])
    assert found == [
        ("invalid_document", "/steps/0/0"),
        ("invalid_document", "/steps/0/0/forEach"),
        ("missing_ref", "/steps/0/0/input/x"),
    ]


def test_where_a_name_cannot_be_used_nobody_says_what_its_phase_comes_to() -> None:
    nameless, sleep = {"transform": GIVES["transform"], "input": {}}, {"name": "a", "sleep": {"ms": 1}}
    takes = {"name": "u", "transform": "interface Input { b: object }\ntype Output = null\nexport default (i) => null"}
    assert told([sleep, nameless], [takes]) == [("invalid_document", "/steps/0/1")]


def test_a_trigger_of_nothing_is_checked_all_the_same() -> None:
    assert told([GIVES], triggers=[{"inputs": {"x": "@nope.y"}, "max_retries": -1}]) == [
        ("invalid_document", "/triggers/0"),
        ("missing_ref", "/triggers/0/inputs/x"),
        ("invalid_document", "/triggers/0/max_retries"),
    ]


def test_the_tool_of_a_step_that_is_several_things_is_asked_for() -> None:
    step = {"name": "a", "tool": {"connectionId": "api", "toolName": "any"}, "sleep": {"ms": 1}}
    needed = dialects.requirements({"name": "w", "dialect": "phases", "steps": [step]})
    assert needed.tools == (("api", "any"),)
