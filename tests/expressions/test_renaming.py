"""Names of a document are read from under a root, and nothing else in the source is touched."""

from __future__ import annotations

import pytest

from perdure.errors import InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.renaming import under
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


def test_names_that_are_kept_stay_what_they_are() -> None:
    assert under("input.a + b", "vars", keep=("input",)) == "input.a + vars.b"


def test_what_was_renamed_computes_the_same() -> None:
    source = "{user, n: items|map('id')|join(user), all: items.filter(item => item.id > least).map(x => ({x, user}))}"
    scope = {"user": "-", "items": [{"id": 1}, {"id": 2}], "least": 1}
    plain = compile_value(Expression(source)).evaluate(scope)
    assert compile_value(Expression(under(source, "vars"))).evaluate({"vars": scope}) == plain


def test_what_is_no_expression_is_refused() -> None:
    with pytest.raises(InvalidExpression):
        under("a +", "vars")
