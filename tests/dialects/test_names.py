"""Names in templates that are most likely mistakes are told, and no others: the keys of an input are free."""

from __future__ import annotations

import pytest

from dialects.words import compiled, graph, node, warned
from perdure.model.values import Json

SETS = node("greet", "SET", {"values": {"greeting": "Hi", "price2": 1, "items": [], "total": 3}})
CALLS = node("page", "HTTP_REQUEST", {"variableName": "answer", "endpoint": "https://example.com", "method": "GET"})


def reading(template: Json) -> dict[str, Json]:
    return graph(
        SETS,
        CALLS,
        node("show", "SET", {"values": {"shown": template}}),
        "start > greet",
        "greet > page",
        "page > show",
    )


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            "{{greting}}",
            "no node sets 'greting', and it is empty unless the input has it; did you mean 'greeting', which 'greet'",
        ),
        ("Well, {{ greetnig | upper }}!", "did you mean 'greeting'"),
        ("{{gree_ting}}", "did you mean 'greeting'"),
        ("{{Greeting}}", "did you mean 'greeting'"),
        ("{{greet}}", "'greet' is a node, which writes the key 'greeting': did you mean 'greeting'?"),
        ("{{start.x}}", "'start' is a node, which writes no key"),
        ("{{anwser.httpResponse.data}}", "did you mean 'answer', which 'page' sets?"),
        ({"deep": ["{{toatl * 2}}"]}, "did you mean 'total'"),
        ("{{input.name}}", "the context has no 'input', unless the input has a key of that name"),
        ("{{context.name}}", "did you mean 'name'?"),
        ("{{vars['name']}}", "did you mean 'name'?"),
        ("{{steps.greet.output}}", "what a node writes stands under the key that it sets, and not under 'greet'"),
        ("{{nodes.page}}", "and not under 'page'"),
    ],
)
def test_a_name_that_is_most_likely_a_mistake_is_told(template: Json, words: str) -> None:
    warning = warned(reading(template))["unknown_name"]
    assert words in warning.message
    assert warning.step == "show"
    assert warning.path.startswith("/nodes/3/data/values/shown")


@pytest.mark.parametrize(
    ("type_", "expression", "words"),
    [
        ("IF_ELSE", "greet.x == 1", "'greet' is a node, which writes the key 'greeting'"),
        ("IF_ELSE", "{{greet.x}} == 1", "'greet' is a node, which writes the key 'greeting'"),
        ("IF_ELSE", "{{total}} == 1 && anwser", "did you mean 'answer', which 'page' sets?"),
        ("IF_ELSE", "'{{greting}}' == 'Hi'", "did you mean 'greeting'"),
        ("IF_ELSE", "{{json toatl}} == '1'", "did you mean 'total'"),
        ("SWITCH", "greet", "'greet' is a node, which writes the key 'greeting'"),
        ("SWITCH", "{{greet}}", "'greet' is a node, which writes the key 'greeting'"),
    ],
)
def test_a_name_in_what_a_node_goes_by_is_told_with_and_without_braces(type_: str, expression: str, words: str) -> None:
    cases: Json = {"cases": {"Hi": "hi"}} if type_ == "SWITCH" else {}
    chooses = node("choose", type_, {"expression": expression, **cases})
    document = graph(SETS, CALLS, chooses, "start > greet", "greet > page", "page > choose")
    warnings = [each for each in compiled(document).warnings if each.type == "unknown_name"]
    assert [(each.path, each.step) for each in warnings] == [("/nodes/3/data/expression", "choose")]
    assert words in warnings[0].message


@pytest.mark.parametrize("expression", ["greeting == total", "{{greeting}} == user.name", "x +", "'{{x", ["greet"]])
def test_an_expression_that_is_right_or_a_problem_is_not_warned_of(expression: Json) -> None:
    document = graph(SETS, node("choose", "IF_ELSE", {"expression": expression}), "start > greet", "greet > choose")
    assert "unknown_name" not in {each.type for each in compiled(document).warnings}


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (
            "{{say-hello}}",
            "'say-hello' is a node, and is read as a subtraction here, 'say - hello'; it writes the key 'said': did you mean 'said'?",
        ),
        ("{{say-hello.x}} {{said}}", "did you mean 'said'?"),
        ("{{wait-here}}", "'wait-here' is a node, and is read as a subtraction here, 'wait - here'; it writes no key"),
        ("{{own-work.x}}", "what a node writes stands under the keys that it sets"),
        (
            "{{first-name}}",
            "'first-name' is a key that 'say-hello' sets, and is read as a subtraction here, 'first - name': templates cannot",
        ),
    ],
)
def test_an_id_with_a_hyphen_is_told_as_what_it_is_read_as(template: Json, words: str) -> None:
    document = graph(
        node("say-hello", "SET", {"values": {"said": 1, "first-name": "Ann"}}),
        node("wait-here", "WAIT", {"amount": 1}),
        node("own-work"),
        node("show", "SET", {"values": {"shown": template}}),
        *("start > say-hello", "say-hello > wait-here", "wait-here > own-work", "own-work > show"),
    )
    warning = warned(document)["unknown_name"]
    assert words in warning.message
    assert warning.path == "/nodes/4/data/values/shown"


@pytest.mark.parametrize(
    "template",
    [
        "{{greeting}} {{answer.httpResponse.status}} {{total}}",
        "{{name}} {{user.name}} {{title}}",
        "{{item}}",
        "{{price1}}",
        "{{input}} {{steps}} {{steps.elsewhere}}",
        "{{items.map(greting => greting.id)}}",
        "{{now}} {{nowMs}}",
        "greting, input.name",
        "\\{{greting}}",
    ],
)
def test_a_name_that_the_input_may_have_is_not(template: str) -> None:
    assert "unknown_name" not in warned(reading(template))


def test_what_a_node_sets_is_there_whatever_it_looks_like() -> None:
    document = graph(
        node("a", "SET", {"values": {"input": {"name": 1}, "totals": 2}}),
        node("b", "SET", {"values": {"x": "{{input.name}}"}}),
        "start > a",
        "a > b",
    )
    assert "unknown_name" not in warned(document)


def test_code_is_no_template_and_what_cannot_be_read_is_told_once() -> None:
    code = graph(
        SETS,
        node("run", "CODE", {"code": "export default () => '{{greting}}'", "variableName": "x"}),
        "start > greet",
        "greet > run",
    )
    assert "unknown_name" not in warned(code)
    (problem,) = compiled(reading("{{ greting + }}")).problems
    assert problem.type == "invalid_expression"


def test_the_error_of_a_failed_node_is_a_name_where_a_connection_leads_from_its_output_error() -> None:
    def document(*edges: str) -> Json:
        return graph(node("a"), node("b", "SET", {"values": {"x": "{{eror.message}}"}}), "start > a", *edges)

    assert "did you mean 'error'" in warned(document("a.error > b"))["unknown_name"].message
    assert "unknown_name" not in warned(document("a > b"))
