"""Handlebars in graphs: `{{json x}}` and `{{{x}}}` mean what they do there, everything else is refused by name."""

from __future__ import annotations

import pytest

from dialects.words import alone, compiled, graph, node, output, told, warned
from perdure.model.values import Json

CONTEXT = {"x": {"a": [1, "two"]}, "name": "Ann", "json": 7, "list": [7], "user": {"name": "Ann"}}


def rendered(template: Json) -> Json:
    return output(alone("SET", {"values": {"r": template}}), CONTEXT).get("r", "undefined")


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{json x}}", '{"a":[1,"two"]}'),
        ("{{ json  x.a }}", '[1,"two"]'),
        ("{{json x.a[1]}}", '"two"'),
        ("{{json name|upper}}", '"ANN"'),
        ('{"user": {{json user}}, "x": {{json x.a}}}', '{"user": {"name":"Ann"}, "x": [1,"two"]}'),
        ("{{json nothing}}", "undefined"),
        ("a {{json nothing}} b", "a  b"),
        ("{{{json x}}}", '{"a":[1,"two"]}'),
        ("{{json (name)}}", '"Ann"'),
        ("{{json}}", 7),
        ("{{json in list}}", True),
        ("{{json - 1}}", 6),
        ("\\{{json x}}", "{{json x}}"),
        ("{{{name}}}", "Ann"),
        ("Dear {{{user.name}}}, {{{name|lower}}}", "Dear Ann, ann"),
        ("{{{n: name}}}", {"n": "Ann"}),
        ("{{{{name}}}}", {"name": "Ann"}),
        ("{{ {name} }}", {"name": "Ann"}),
        ("{{{name, json}}}", {"name": "Ann", "json": 7}),
        ({"{{json name}}": ["{{json list}}"]}, {'"Ann"': ["[7]"]}),
        ("{{!name}}", False),
    ],
)
def test_the_json_helper_and_three_braces_are_read(template: Json, value: Json) -> None:
    assert rendered(template) == value


def test_the_json_helper_may_stand_in_conditions() -> None:
    document = graph(
        node("i", "IF_ELSE", {"expression": "{{json list}} == '[7]'"}),
        node("yes", "SET", {"values": {"r": "yes"}}),
        *("start > i", "i.true > yes"),
    )
    assert output(document, CONTEXT)["r"] == "yes"


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{#if x}}a{{/if}}", ("{{#if}}", "IF_ELSE")),
        ("{{{{raw}}}}{{x}}{{{{/raw}}}}", ("the Handlebars raw block {{{{raw}}}}", "write \\{{")),
        ("{{json this}}", ("Handlebars' this",)),
        ("a {{~#if x}}b{{/if}}", ("{{#if}}", "IF_ELSE")),
        ("{{#unless x}}a{{/unless}}", ("{{#unless}}", "IF_ELSE")),
        ("{{#each items}}{{this.name}}{{/each}}", ("{{#each}}", "items.map(")),
        ("{{#with user}}{{name}}{{/with}}", ("{{#with}}", "the whole path")),
        ("{{#bold}}a{{/bold}}", ("{{#bold}}", "an expression")),
        ("a {{/each}}", ("{{/each}}", "items.map(")),
        ("a {{else}} b", ("{{else}}", "IF_ELSE")),
        ("{{else if x}}", ("{{else}}", "IF_ELSE")),
        ("{{^}}", ("{{^}}", "IF_ELSE")),
        ("{{> header}}", ("partials", "write the text here")),
        ("{{!-- a note --}}", ("comments", "remove it")),
        ("{{!-- it's a note --}}", ("comments", "remove it")),
        ("{{! a note }}", ("comments", "remove it")),
        ("{{&name}}", ("{{& x}}", "write {{x}}")),
        ("{{~name~}}", ("whitespace", "remove the ~")),
        ("{{@index}}", ("@", "(item, index) =>")),
        ("{{this}}", ("this", "(item, index) =>")),
        ("{{../name}}", ("../", "(item, index) =>")),
        ("{{uppercase name}}", ("the Handlebars helper 'uppercase'", "{{name|upper}}")),
        ("{{json x indent=2}}", ("json takes one expression",)),
    ],
)
def test_other_handlebars_are_refused_by_name_once_with_what_to_write_instead(
    template: str, words: tuple[str, ...]
) -> None:
    problems = told(alone("SET", {"values": {"deep": [{"r": template}]}}))
    assert list(problems) == ["/nodes/1/data/values/deep/0/r"]
    problem = problems["/nodes/1/data/values/deep/0/r"]
    assert (problem.type, problem.step) == ("invalid_expression", "it")
    assert len(compiled(alone("SET", {"values": {"r": template}})).problems) == 1
    for word in words:
        assert word in problem.message, problem.message


def test_what_is_no_handlebars_is_told_as_before() -> None:
    for template, words in (
        ("{{/a/.test(x)}}", "no regular expressions"),
        ("{{!x && }}", "ends too early"),
        ("{{x", "not closed"),
    ):
        (problem,) = compiled(alone("SET", {"values": {"r": template}})).problems
        assert words in problem.message


def test_a_misspelt_name_is_told_in_the_json_helper_too() -> None:
    document = graph(
        node("a", "SET", {"values": {"greeting": 1}}),
        node("b", "SET", {"values": {"r": "{{json greting}}"}}),
        *("start > a", "a > b"),
    )
    assert "did you mean 'greeting'" in warned(document)["unknown_name"].message


def test_a_deep_document_is_a_problem_and_no_crash() -> None:
    deep: Json = "{{json x}}"
    for _ in range(5_000):
        deep = [deep]
    (problem,) = compiled(alone("SET", {"values": {"r": deep}})).problems
    assert "levels deep" in problem.message
