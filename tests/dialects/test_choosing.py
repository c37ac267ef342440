"""IF_ELSE and SWITCH, compiled and run: which branch is taken."""

from __future__ import annotations

import pytest

from dialects.words import alone, failure, graph, model, node, output, told
from perdure.model.values import Json


def chosen(data: Json, given: Json) -> str:
    """The branch of an IF_ELSE, by what lies behind it."""
    document = graph(
        node("check", "IF_ELSE", data),
        node("yes", "SET", {"values": {"_way": "true"}}),
        node("no", "SET", {"values": {"_way": "false"}}),
        "start > check",
        "check.true > yes",
        "check.false > no",
    )
    return str(output(document, given)["_way"])


CONTEXT = {
    "n": 5,
    "zero": 0,
    "text": "Hello World",
    "empty": "",
    "nothing": None,
    "yes": True,
    "day": "2026-03-01",
    "number": "10",
    "user": {"name": "Ann", "tags": ["VIP", "new"], "a-b": 1},
    "list": [{"id": 7}],
    "limit": 4,
}


@pytest.mark.parametrize(
    ("field", "operator", "value", "expected"),
    [
        ("n", "exists", None, True),
        ("zero", "exists", None, True),
        ("empty", "exists", None, False),
        ("empty", "not_exists", None, True),
        ("nothing", "exists", None, False),
        ("missing", "exists", None, False),
        ("user.name", "exists", None, True),
        ("user.missing.deep", "exists", None, False),
        ("missing", "not_exists", None, True),
        ("n", "not_exists", None, False),
        ("text", "eq", "hello world", True),
        ("text", "eq", "hello", False),
        ("n", "eq", 5, True),
        ("n", "eq", "5", True),
        ("n", "eq", 5.0, True),
        ("yes", "eq", True, True),
        ("yes", "eq", "TRUE", True),
        ("nothing", "eq", None, True),
        ("missing", "eq", "", False),
        ("missing", "neq", "", True),
        ("empty", "eq", "", True),
        ("user.tags", "eq", ["VIP", "new"], True),
        ("user.tags", "eq", ["VIP"], False),
        ("user.tags.0", "eq", "vip", True),
        ("list[0].id", "eq", 7, True),
        ("user.a-b", "eq", 1, True),
        ("text", "neq", "HELLO WORLD", False),
        ("text", "neq", "other", True),
        ("n", "gt", 4, True),
        ("n", "gt", 5, False),
        ("n", "gte", 5, True),
        ("n", "lt", "10", True),
        ("number", "gt", 9, True),
        ("number", "lt", "9", False),
        ("n", "lte", 5, True),
        ("missing", "gt", -1, False),
        ("missing", "lt", 1, False),
        ("nothing", "lte", 0, False),
        ("text", "gt", 1, False),
        ("day", "gt", "2026-02-28", True),
        ("day", "lte", "2026-02-28", False),
        ("text", "contains", "WORLD", True),
        ("text", "contains", "moon", False),
        ("user.tags", "contains", "vip", True),
        ("user.tags", "contains", "vi", False),
        ("n", "contains", "5", True),
        ("missing", "contains", "x", False),
        ("text", "in", ["hello world", "x"], True),
        ("n", "in", [1, 5], True),
        ("n", "in", ["5"], True),
        ("n", "in", [1, 2], False),
        ("n", "in", "4, 5, 6", True),
        ("n", "in", "45", False),
        ("user.name", "in", "{{[user.name]}}", True),
        ("n", "gt", "{{limit}}", True),
        ("n", "gt", "{{limit + 1}}", False),
        ("{{user.tags.length}}", "eq", 2, True),
        ("user.name", "eq", "{{user.name|upper}}", True),
    ],
)
def test_a_condition_compares_a_field_of_the_context(field: str, operator: str, value: Json, expected: bool) -> None:
    condition = {"field": field, "operator": operator, "value": value}
    assert chosen({"condition": condition}, CONTEXT) == str(expected).lower()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n > 4", True),
        ("{{n}} > 4", True),
        ("{{n > 4}}", True),
        ("{{ text }} == 'Hello World'", True),
        ("{{user.name}} == 'Ann' && {{n}} < 5", False),
        ("user.tags.includes('VIP')", True),
        ("user.tags|length == 2", True),
        ("text", True),
        ("empty", False),
        ("zero", False),
        ("missing", False),
        ("missing.deep", False),
        ("list", True),
        ("!yes", False),
        ("nowMs > 0 && now > 0", True),
    ],
)
def test_an_expression_is_true_or_false_as_in_javascript(expression: str, expected: bool) -> None:
    assert chosen({"expression": expression}, CONTEXT) == str(expected).lower()


def test_without_a_condition_the_branch_is_true() -> None:
    assert chosen({}, {}) == "true"


def test_what_is_compared_is_never_source() -> None:
    evil = "' || true || '"
    assert chosen({"condition": {"field": evil, "operator": "exists"}}, {}) == "false"
    assert chosen({"condition": {"field": "x", "operator": "eq", "value": evil}}, {"x": "y"}) == "false"
    assert (
        chosen({"condition": {"field": "x", "operator": "eq", "value": "{{y}}"}}, {"x": "{{y}}", "y": "z"}) == "false"
    )
    assert chosen({"condition": {"field": "it's\\", "operator": "exists"}}, {"it's\\": 1}) == "true"


def test_a_branch_that_leads_nowhere_ends_the_path_and_the_execution_succeeds() -> None:
    document = graph(node("check", "IF_ELSE", {"expression": "false"}), node("a"), "start > check", "check.true > a")
    assert output(document, {"x": 1}) == {"x": 1}


SWITCH = {"expression": "{{plan}}", "cases": {"gold": "fast", "1": "one", "true": "yes", "": "none"}, "default": "rest"}


def switched(data: Json, given: Json) -> Json:
    outputs = ("fast", "one", "yes", "none", "rest")
    document = graph(
        node("switch", "SWITCH", data),
        *(node(name, "SET", {"values": {"way": name}}) for name in outputs),
        "start > switch",
        *(f"switch.{name} > {name}" for name in outputs),
    )
    return output(document, given).get("way")


@pytest.mark.parametrize(
    ("given", "way"),
    [
        ({"plan": "gold"}, "fast"),
        ({"plan": "Gold"}, "rest"),
        ({"plan": 1}, "one"),
        ({"plan": True}, "yes"),
        ({"plan": ""}, "none"),
        ({}, "rest"),
        ({"plan": None}, "rest"),
        ({"plan": ["gold"]}, "rest"),
        ({"plan": "constructor"}, "rest"),
    ],
)
def test_a_switch_leads_by_the_output_of_its_case_else_by_the_default(given: Json, way: str) -> None:
    assert switched(SWITCH, given) == way
    assert switched({**SWITCH, "expression": "plan"}, given) == way


def test_a_switch_without_a_match_and_a_default_ends_the_path() -> None:
    assert switched({"expression": "plan", "cases": {"gold": "fast"}}, {"plan": "tin"}) is None
    assert switched({"expression": "plan ?? 'gold'", "cases": {"gold": "fast"}}, {}) == "fast"


@pytest.mark.parametrize(
    ("type_", "data", "path", "words"),
    [
        ("IF_ELSE", {"condition": {"operator": "eq", "value": 1}}, "/condition", "'field' is missing"),
        ("IF_ELSE", {"condition": {"field": "x"}}, "/condition", "'operator' is missing"),
        ("IF_ELSE", {"condition": {"field": "x", "operator": "eq"}}, "/condition", "'eq' needs a 'value'"),
        (
            "IF_ELSE",
            {"condition": {"field": "x", "operator": "=="}},
            "/condition/operator",
            "one of exists, not_exists",
        ),
        (
            "IF_ELSE",
            {"condition": {"field": "x", "operator": "exist"}},
            "/condition/operator",
            "did you mean 'exists'?",
        ),
        ("IF_ELSE", {"condition": {"field": "a..b", "operator": "exists"}}, "/condition/field", "like user.name"),
        ("IF_ELSE", {"condition": {"field": 7, "operator": "exists"}}, "/condition/field", "a text"),
        ("IF_ELSE", {"condition": {}}, "/condition", "'operator' is missing"),
        ("IF_ELSE", {"condition": "x > 1"}, "/condition", "an object"),
        ("IF_ELSE", {"condition": {"field": "x", "operator": "exists"}, "expression": "x"}, "/condition", "not both"),
        ("IF_ELSE", {"expression": True}, "/expression", "a text"),
        ("IF_ELSE", {"expression": "x ="}, "/expression", ""),
        ("IF_ELSE", {"expression": "secrets.KEY == 'x'"}, "/expression", "secret"),
        (
            "IF_ELSE",
            {"condition": {"field": "x", "operator": "eq", "value": "{{secrets.KEY}}"}},
            "/condition/value",
            "a secret can only stand in",
        ),
        ("SWITCH", {"cases": {}}, "", "'expression' is missing"),
        ("SWITCH", {"expression": "x"}, "", "'cases' is missing"),
        ("SWITCH", {"expression": "x", "cases": {"a": 7}}, "/cases/a", "a text that is not empty, not 7"),
        ("SWITCH", {"expression": "x", "cases": []}, "/cases", "an object"),
        ("SWITCH", {"expression": "x", "cases": {}, "default": 1}, "/default", "a text"),
    ],
)
def test_a_choice_that_cannot_be_made_is_told(type_: str, data: Json, path: str, words: str) -> None:
    problem = told(alone(type_, data))[f"/nodes/1/data{path}"]
    assert words in problem.message, problem.message
    assert problem.step == "it"


def test_an_expression_that_meets_the_wrong_value_fails_the_execution() -> None:
    message = failure(alone("IF_ELSE", {"expression": "n.toFixed() == '1'"}), {"n": "text"})
    assert "toFixed" in message


def test_choices_are_made_without_calling_anybody() -> None:
    kinds = {type(step.work).__name__ for step in model(graph(node("s", "SWITCH", SWITCH), node("i", "IF_ELSE"))).steps}
    assert kinds == {"Compute", "Condition"}
