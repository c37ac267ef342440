"""Documents of phases that were once misjudged: refused and right, accepted and wrong, or told twice."""

from __future__ import annotations

from time import thread_time
from typing import Any

import pytest

from perdure import dialects
from perdure.dialects.port import Compiled
from perdure.model.catalog import Catalog, TaskSchema
from perdure.model.values import Expression, Json

SECONDS_MAX = 6
"""Several times what each takes: a loaded machine is no defect, a square is."""

TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name", "children"],
}
ADDRESS = {
    "type": "object",
    "properties": {
        "address": {"type": "string"},
        "customer": {
            "type": "object",
            "properties": {"address": {"type": "integer"}, "ship": {"$ref": "#/properties/address"}},
            "required": ["ship"],
        },
    },
    "required": ["customer"],
}


def takes(**keys: Json) -> Json:
    return {"type": "object", "properties": keys, "required": list(keys)}


def deep(levels: int) -> Json:
    schema: Json = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"d": schema}, "required": ["d"]}
    return schema


TEXT, WHOLE = {"type": "string"}, {"type": "integer"}
TOOLS = (
    TaskSchema("any", "api"),
    TaskSchema("tree", "api", output=TREE),
    TaskSchema("address", "api", output=ADDRESS),
    TaskSchema("deep", "api", output=deep(450)),
    TaskSchema("trees", "api", takes(list={"type": "array", "items": takes(name=TEXT)})),
    TaskSchema("text", "api", takes(s=TEXT), TEXT),
    TaskSchema("whole", "api", takes(n=WHOLE), WHOLE),
    TaskSchema("nullable", "api", takes(user={"anyOf": [takes(name=TEXT), {"type": "null"}]})),
    TaskSchema("numbers", "api", takes(ns={"anyOf": [{"type": "array", "items": WHOLE}, {"type": "null"}]})),
    TaskSchema("tagged", "api", {"anyOf": [takes(kind={"const": "a"}, n=WHOLE), takes(kind={"const": "b"}, s=TEXT)]}),
    TaskSchema("both", "api", takes(t=takes(count=WHOLE), u=TEXT)),
    TaskSchema("counting", "api", output=takes(count={"type": "number"})),
    TaskSchema("typed", "api", takes(**{"@type": TEXT})),
    TaskSchema("choice", "api", takes(to={"enum": ["a@b.com", "x"]})),
    TaskSchema("optional", "api", output={"type": "object", "properties": {"items": {"type": "array"}, "s": TEXT}}),
)


def tool(name: str, of: str, given: Json = None, **more: Json) -> dict[str, Json]:
    beside = {} if given is None else {"input": given}
    return {"name": name, "tool": {"connectionId": "api", "toolName": of}, **beside, **more}


BODY = "export default (x: Input): Output => null as any"


def transform(name: str, output: str) -> dict[str, Json]:
    return {"name": name, "transform": f"interface Input {{}}\ntype Output = {output}\n{BODY}", "input": {}}


def doubts(found: Compiled) -> list[str]:
    """Beside those of tools that say nothing of what they answer with."""
    return [each.type for each in found.warnings if each.type != "unchecked"]


def judged(*phases: list[dict[str, Any]], **more: Json) -> Compiled:
    return dialects.compile({"name": "w", "steps": list(phases), **more}, Catalog(TOOLS))


@pytest.mark.parametrize(
    "phases",
    [
        ([tool("a", "nullable", {"user": {"name": "@input.name"}})],),
        ([tool("a", "any", {})], [tool("b", "nullable", {"user": {"name": "@a.output.name"}})]),
        ([tool("a", "tree", {})], [tool("b", "trees", {"list": "@a.output.children"})]),
        ([tool("a", "address", {})], [tool("b", "text", {"s": "@a.output.customer.ship"})]),
        ([tool("a", "typed", {"@@type": "x"})],),
        ([tool("a", "choice", {"to": "a@b.com"})],),
        ([tool("a", "deep", {})], [tool("b", "any", {"x": "@a.output.d"})]),
        ([tool("a", "any", {"k": "ann@secrets.io"})],),
        ([tool("a", "any", {})], [tool("b", "any", {"x": "@a.output.2fa", "u": "@a.output.über"})]),
        ([tool("a", "whole", {"n": "@input.items.length"})],),
    ],
)
def test_what_is_right_is_accepted(phases: tuple[list[dict[str, Any]], ...]) -> None:
    assert judged(*phases).problems == ()


@pytest.mark.parametrize(
    ("phases", "type_", "words"),
    [
        (
            ([tool("a", "address", {})], [tool("b", "whole", {"n": "@a.output.customer.ship"})]),
            "type_mismatch",
            "integer",
        ),
        (
            ([tool("a", "any", {})], [tool("b", "any", {"x": "@a.output.items[*].id"})]),
            "missing_ref",
            "beyond '@a.output",
        ),
        (
            ([tool("a", "any", {})], [tool("b", "any", {"x": "@a.output.x['y']"})]),
            "missing_ref",
            "a transform can take",
        ),
        (([tool("a", "any", {})], [tool("b", "any", {"x": "@a.output..y"})]), "missing_ref", "cannot be read"),
        (([tool("a", "any", {"x": "@input['a b']"})],), "missing_ref", "cannot be read beyond '@input'"),
        (([tool("a", "any", {"x": ['of @input.k["a b"].c!']})],), "missing_ref", "cannot be read beyond '@input.k'"),
    ],
)
def test_what_is_wrong_is_told(phases: tuple[list[dict[str, Any]], ...], type_: str, words: str) -> None:
    (problem,) = judged(*phases).problems
    assert (problem.type, words in problem.message) == (type_, True), problem.message


def test_a_text_with_a_ref_at_its_beginning_is_a_text() -> None:
    given = {"x": "@input.name, hello", "y": "@input.name's order", "z": "@input.a.@input.b", "e": "@input.name …[1]"}
    assert judged([tool("a", "any", given)]).problems == ()


def test_what_is_given_without_being_written_is_held_against_the_schema_of_the_input() -> None:
    own = {"type": "object", "properties": {"n": TEXT}, "required": ["n"]}
    (problem,) = judged([tool("a", "whole")], inputSchema=own).problems
    assert problem.type == "type_mismatch"
    closed = {"type": "object", "properties": {"x": TEXT}, "additionalProperties": False}
    (problem,) = judged([tool("a", "text")], inputSchema=closed).problems
    assert "'s' is required" in problem.message


def test_what_a_trigger_goes_over_has_to_be_an_array() -> None:
    each = {"workflowId": "x", "forEach": "@output", "inputs": {}}
    (problem,) = judged([tool("a", "text", {"s": "x"})], triggers=[each]).problems
    assert (problem.type, problem.step, problem.field) == ("type_mismatch", "trigger-0", "forEach")


def test_what_may_be_missing_is_doubted_where_it_is_gone_over() -> None:
    found = judged([tool("a", "optional", {})], [tool("b", "any", {}, forEach="@a.output.items")])
    assert [(each.type, each.field) for each in found.warnings if each.type == "may_be_missing"] == [
        ("may_be_missing", "forEach")
    ]


def test_of_many_final_steps_each_may_have_a_key() -> None:
    steps = [tool(f"s{number}", "any", {}) for number in range(150)]
    found = judged(steps, triggers=[{"workflowId": "x", "inputs": {"a": "@output.total"}}])
    assert found.problems == ()


@pytest.mark.parametrize("ref", ["@item", "@item.id", "@index", "@output", "@output.x", "@ctx"])
def test_a_word_that_means_nothing_at_a_place_is_text_there(ref: str) -> None:
    found = judged([tool("a", "any", {"x": f"see {ref}, and ask"})])
    assert (found.problems, doubts(found)) == ((), ["unknown_ref"])
    assert found.warnings[0].message.endswith(f"{ref!r} stays as it is written")
    (problem,) = judged([tool("a", "any", {"x": ref})]).problems
    assert problem.type == "missing_ref"


@pytest.mark.parametrize("ref", ["@a", "@b.x", "@c", "@ctx.nope", "@s.output.nope"])
def test_a_ref_that_means_something_and_leads_nowhere_is_refused_in_a_text(ref: str) -> None:
    phases = [transform("s", "{ a: 1 }")], [tool("a", "any", {"x": f"see {ref} there"}), tool("b", "any", {})]
    (problem,) = judged(*phases, [tool("c", "any", {})]).problems
    assert (problem.type, problem.ref) == ("missing_ref", ref)


def test_a_name_may_begin_with_any_letter() -> None:
    found = judged([tool("über", "whole", {"n": 1})], [tool("b", "text", {"s": "@über.output"})])
    assert [(each.type, each.ref) for each in found.problems] == [("type_mismatch", "@über.output")]
    assert doubts(found) == []
    assert judged([tool("über", "any", {})], [tool("b", "any", {"s": "jörg@müller.de, @ötzi"})]).problems == ()
    (problem,) = judged([tool("a", "any", {"s": "@über.output"})]).problems
    assert problem.type == "missing_ref"


def test_of_a_name_that_ends_with_a_hyphen_it_is_told_how_to_refer_to_it() -> None:
    found = judged([tool("a-", "whole", {"n": 1})], [tool("b", "text", {"s": "@a-.output"})])
    assert [(each.type, each.ref) for each in found.problems] == [("type_mismatch", "@a-.output")]
    (doubt,) = [each for each in found.warnings if each.type == "no_ref"]
    assert "write '@a-.output'" in doubt.message


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        ([[{"name": "a"}], [tool("b", "any", {"x": "@a.output"})]], 1),
        ([[{"name": "a", "tool": "api/list"}]], 1),
        ([[{"name": "a", "sleep": 5}]], 1),
    ],
)
def test_one_fault_is_told_once(steps: Json, count: int) -> None:
    assert len(judged(*steps).problems) == count
    inputs: Json = []
    assert len(judged([tool("a", "any", {})], triggers=[{"workflowId": "x", "inputs": inputs}]).problems) == 1


def test_a_number_that_is_no_instant_of_our_time_is_doubted() -> None:
    found = judged([{"name": "s", "sleep": {"until": 5}}])
    assert [each.type for each in found.warnings] == ["no_effect"]


def test_a_key_that_means_nothing_is_told() -> None:
    found = judged([tool("a", "any", {}, color="red", dependsOn=["b"])])
    assert [each.field for each in found.warnings if each.type == "unknown_key"] == ["color", "dependsOn"]


def test_what_was_found_out_about_a_document_is_not_a_part_of_its_name() -> None:
    document = {"steps": [[tool("a", "any", {})]]}
    first = dialects.compile(document, Catalog(TOOLS))
    assert dialects.compile({**document, "_schemas": {"a": {}}}, Catalog(TOOLS)).name == first.name


@pytest.mark.parametrize(
    "phases",
    [
        ([tool("x", "numbers", {"ns": ["@t.count"]})],),
        ([tool("x", "numbers", {"ns": [1, "@t.count"]})],),
        ([tool("x", "tagged", {"kind": "a", "n": "@t.count"})],),
    ],
)
def test_a_number_of_a_transform_may_be_whole_wherever_it_stands(phases: tuple[list[dict[str, Any]], ...]) -> None:
    found = judged([transform("t", "{ count: number }")], *phases)
    assert found.problems == ()
    assert doubts(found) == ["may_not_fit"]


@pytest.mark.parametrize("given", [{"ns": ["@t.count"]}, {"ns": [1, "@t.count"]}])
def test_a_number_of_a_tool_is_not(given: Json) -> None:
    found = judged([tool("t", "counting", {})], [tool("x", "numbers", given)])
    assert [each.type for each in found.problems] == ["type_mismatch"]


def test_whose_number_it_is_counts_where_several_are_given() -> None:
    whole, other = transform("t", "{ count: number }"), tool("u", "text", {"s": "x"})
    found = judged([whole, other], [tool("x", "both")])
    assert (found.problems, doubts(found)) == ((), ["may_not_fit"])
    (problem,) = judged([tool("t", "counting", {}), transform("u", "{}")], [tool("x", "both")]).problems
    assert "t.count is a number" in problem.message


def test_what_may_be_null_is_looked_into_all_the_same() -> None:
    (problem,) = judged([tool("a", "nullable", {"user": {"name": 5}})]).problems
    assert (problem.path, problem.field) == ("/steps/0/0/input/user/name", "user.name")
    found = judged([tool("a", "nullable", {"user": {"name": "@input.name"}})])
    assert found.workflow is not None
    assert found.workflow.input_schema == {"type": "object", "required": ["name"]}
    assert doubts(found) == []


@pytest.mark.parametrize(
    ("output", "name", "items"),
    [
        ("{ items: string[] }", "items", 'output["items"]'),
        ("string[]", "items", "steps['items'].output"),
        ("unknown", "items", "[output[\"items\"], steps['items'].output].find(found => found !== undefined)"),
        ("{ items: string[] }", "last", 'output["items"]'),
    ],
)
def test_a_final_step_and_a_key_of_its_output_may_have_one_name(output: str, name: str, items: str) -> None:
    trigger = {"workflowId": "x", "forEach": "@output.items", "inputs": {}}
    found = judged([transform(name, output)], triggers=[trigger])
    assert found.problems == ()
    assert found.workflow is not None
    assert found.workflow.chains[0].items == Expression(items)


def keyed(count: int) -> dict[str, Json]:
    return {f"key_number_{number}": TEXT for number in range(count)}


@pytest.mark.parametrize(
    ("schema", "key"),
    [
        ({"allOf": [{"type": "object", "properties": keyed(3_000)}] * 2}, "key_number_{}"),
        ({"type": "object", "properties": keyed(3_000)}, "kez_nummber_{}"),
        ({"type": "object", "properties": keyed(3_000), "additionalProperties": False}, "kez_nummber_{}"),
    ],
    ids=["that are there", "that may be there", "that are not there"],
)
def test_many_refs_into_one_schema_do_not_take_long(schema: Json, key: str) -> None:
    refs = {f"k{number}": f"@input.{key.format(number)}" for number in range(3_000)}
    began = thread_time()
    judged([tool("a", "any", refs)], inputSchema=schema)
    assert thread_time() - began < SECONDS_MAX


def test_types_that_take_too_long_to_compare_are_not_compared_and_that_is_told() -> None:
    gives, takes_ = (" | ".join(f"{{ k: {number}; {key}: 1 }}" for number in range(150)) for key in "ab")
    fields = " ".join(f"k{number}: T;" for number in range(100))
    first = f"interface T {{ of: T | null; v: {gives} }}\ninterface Input {{}}\ninterface Output {{ t: T }}\n{BODY}"
    second = (
        f"interface T {{ of: T | null; v: {takes_} }}\ninterface Input {{ {fields} }}\ninterface Output {{}}\n{BODY}"
    )
    given = {f"k{number}": "@a.t" for number in range(100)}
    began = thread_time()
    found = judged(
        [{"name": "a", "transform": first, "input": {}}], [{"name": "b", "transform": second, "input": given}]
    )
    assert thread_time() - began < SECONDS_MAX
    assert {each.type for each in found.problems} == {"type_mismatch"}
    assert [each.message for each in found.warnings] == [
        "comparing the types of this document takes too long: not all that steps are given is checked"
    ]
