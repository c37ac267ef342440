"""Names of a document are read from under a root, and nothing else in the source is touched."""

from __future__ import annotations

import pytest

from perdure.errors import InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.protocol import Path
from perdure.expressions.renaming import Instead, rewritten, under
from perdure.model.values import Expression


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        ("user", "vars.user"),
        ("user.name", "vars.user.name"),
        ("user['name']", "vars.user['name']"),
        ("a + b * a", "vars.a + vars.b * vars.a"),
        ("vars", "vars.vars"),
        ("input.vars", "vars.input.vars"),
        ("now - 5", "now - 5"),
        ("nowMs > due", "nowMs > vars.due"),
        ("secrets.KEY", "secrets.KEY"),
        ("'user' + \"user\"", "'user' + \"user\""),
        ("`user ${user} ${ user.name }`", "`user ${vars.user} ${ vars.user.name }`"),
        ("items.map(x => x.id + offset)", "vars.items.map(x => x.id + vars.offset)"),
        ("items.map(items => items)", "vars.items.map(items => items)"),
        ("items.reduce((sum, n) => sum + n, start)", "vars.items.reduce((sum, n) => sum + n, vars.start)"),
        ("users|filter('age > 5')|map('id')", "vars.users|filter('age > 5')|map('id')"),
        ("status|lower == wanted|lower", "vars.status|lower == vars.wanted|lower"),
        ("{user}", "{user: vars.user}"),
        ("{ user , other }", "{ user: vars.user , other: vars.other }"),
        ("{user: user}", "{user: vars.user}"),
        ("{'user': user}", "{'user': vars.user}"),
        ("{[user]: user}", "{[vars.user]: vars.user}"),
        ("{...user, age}", "{...vars.user, age: vars.age}"),
        ("[a, a]", "[vars.a, vars.a]"),
        ("Math.max(a, b)", "Math.max(vars.a, vars.b)"),
        ("a ? b : c", "vars.a ? vars.b : vars.c"),
        ("  a", "  vars.a"),
        ("ä.ö + '😀' + ä", "vars.ä.ö + '😀' + vars.ä"),
        ("undefined ?? true", "undefined ?? true"),
        ("a[b[c]]", "vars.a[vars.b[vars.c]]"),
    ],
)
def test_names_are_read_from_under_the_root(source: str, renamed: str) -> None:
    assert under(source, "vars") == renamed


def _elsewhere(path: Path) -> Instead | None:
    match path:
        case ("input", *_):
            return None
        case ("workflow", "input", *_):
            return 2, "input"
        case ("steps", _, "output", "data", *_):
            return 4, f"steps.{path[1]}.output"
        case _:
            return 1, f"vars.{path[0]}"


@pytest.mark.parametrize(
    ("source", "rewritten_"),
    [
        ("input.a + b", "input.a + vars.b"),
        ("workflow.input.order.id", "input.order.id"),
        ("workflow . input . order", "input . order"),
        ("workflow?.input?.order", "input?.order"),
        ("workflow['input'].order", "input.order"),
        ('workflow[ "input" ]', "input"),
        ("workflow?.['input']", "input"),
        ("workflow[input]", "vars.workflow[input]"),
        ("workflow.name", "vars.workflow.name"),
        (
            "steps.a.output.data.items.map(x => x + steps.b.output.data)",
            "steps.a.output.items.map(x => x + steps.b.output)",
        ),
        ("{workflow}", "{workflow: vars.workflow}"),
        ("a ? .5 : b", "vars.a ? .5 : vars.b"),
        ("[...workflow.input]", "[...input]"),
    ],
)
def test_as_much_of_a_path_is_read_from_elsewhere_as_is_said(source: str, rewritten_: str) -> None:
    assert rewritten(source, _elsewhere) == rewritten_


def test_what_was_renamed_computes_the_same() -> None:
    source = "{user, n: items|map('id')|join(user), all: items.filter(item => item.id > least).map(x => ({x, user}))}"
    scope = {"user": "-", "items": [{"id": 1}, {"id": 2}], "least": 1}
    plain = compile_value(Expression(source)).evaluate(scope)
    assert compile_value(Expression(under(source, "vars"))).evaluate({"vars": scope}) == plain


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(InvalidExpression):
        under("a +", "vars")
