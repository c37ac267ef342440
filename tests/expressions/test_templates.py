"""Templates: where they begin and end, what type they have, what is left out, and what becomes of secrets."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready
from perdure.expressions.templates import value_of
from perdure.model.values import Array, Constant, Expression, Json, Object, Text

Form = Literal["{{", "${"]
NOW = 1_794_736_800_000
SCOPE: dict[str, Json] = {
    "a": 1,
    "s": "text",
    "nil": None,
    "yes": True,
    "half": 0.5,
    "xs": [1, None, "x"],
    "o": {"k": {"v": 1.0}, "e": []},
    "key": "name",
    "now": NOW,
}


def evaluated(document: Json, form: Form = "{{", scope: dict[str, Json] | None = None) -> Any:
    return compile_value(value_of(document, form)).evaluate(SCOPE if scope is None else scope)


def written(text: str, form: Form) -> str:
    """The text with its templates in this form: «…» stands for either."""
    begin, end = ("{{", "}}") if form == "{{" else ("${", "}")
    return text.replace("«", begin).replace("»", end)


both = pytest.mark.parametrize("form", ["{{", "${"])


@both
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("«a»", 1),
        ("« a »", 1),
        ("«\n a \n»", 1),
        ("«half»", 0.5),
        ("«yes»", True),
        ("«nil»", None),
        ("«missing»", UNDEFINED),
        ("«xs»", [1, None, "x"]),
        ("«o.k»", {"v": 1}),
        ("«s»", "text"),
        ("«a + a»", 2),
        ("«now»", "2026-11-15T10:00:00.000Z"),
        ("«nowMs»", NOW),
        ("«{b: a}»", {"b": 1}),
        ("«{b: {c: a}}»", {"b": {"c": 1}}),
        ("«[{b: [a]}]»", [{"b": [1]}]),
    ],
)
def test_a_text_that_is_one_template_keeps_the_type(text: str, expected: Json, form: Form) -> None:
    found = evaluated(written(text, form), form)
    assert found == expected
    assert type(found) is type(expected)


@both
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (" «a»", " 1"),
        ("«a» ", "1 "),
        ("«a»«a»", "11"),
        ("x«a»y", "x1y"),
        ("«nil»!", "!"),
        ("«missing»!", "!"),
        ("«missing»«nil»", ""),
        ("«yes» «half»", "true 0.5"),
        ("«xs»!", '[1,null,"x"]!'),
        ("«o»!", '{"k":{"v":1},"e":[]}!'),
        ("«o.e» «{}»", "[] {}"),
        ("at «now»", "at 2026-11-15T10:00:00.000Z"),
        ("ms «nowMs»", f"ms {NOW}"),
        ("«1e21»!", "1e+21!"),
        ("«0.1 + 0.2»!", "0.30000000000000004!"),
        ("«1 / 0»!", "!"),
        ("«-0»!", "0!"),
        ("«'\\u{1F600}'»!", "\U0001f600!"),
        ("{ «a» }", "{ 1 }"),
        ("$«a»", "$1"),
        ("«a»%", "1%"),
        ("a@b.c «a»", "a@b.c 1"),
    ],
)
def test_in_a_longer_text_a_template_is_text(text: str, expected: str, form: Form) -> None:
    assert evaluated(written(text, form), form) == expected


@both
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "plain",
        "{",
        "}",
        "{a}",
        "}}",
        "$",
        "$a",
        "$ {a}",
        "{ {a} }",
        "a}b",
        "\\",
        "\\n",
        "@input.x",
        "#{a}",
        "%{a}",
    ],
)
def test_a_text_without_templates_is_a_constant(text: str, form: Form) -> None:
    assert value_of(text, form) == Constant(text)
    assert evaluated(text, form) == text


def test_the_other_form_is_no_template() -> None:
    assert value_of("${a}", "{{") == Constant("${a}")
    assert value_of("{{a}}", "${") == Constant("{{a}}")
    assert evaluated("${a} {{a}}", "{{") == "${a} 1"
    assert evaluated("${a} {{a}}", "${") == "1 {{a}}"


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("\\{{a}}", "{{", "{{a}}"),
        ("\\${a}", "${", "${a}"),
        ("x \\{{ a }} y", "{{", "x {{ a }} y"),
        ("\\{{a}} {{a}}", "{{", "{{a}} 1"),
        ("{{a}}\\{{a}}", "{{", "1{{a}}"),
        ("\\${a}${a}", "${", "${a}1"),
        ("\\{{", "{{", "{{"),
        ("\\${", "${", "${"),
        ("\\${a}", "{{", "\\${a}"),
        ("\\{{a}}", "${", "\\{{a}}"),
        ("\\{{\\{{", "{{", "{{{{"),
        ("\\x{{a}}", "{{", "\\x1"),
    ],
)
def test_a_backslash_makes_a_template_literal(text: str, form: Form, expected: str) -> None:
    assert evaluated(text, form) == expected


@pytest.mark.parametrize("text", ["\\{{a}}", "\\{{ a = }} x"])
def test_a_literal_template_is_a_constant(text: str) -> None:
    assert value_of(text, "{{") == Constant(text[1:])


@both
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("«'}}'»", "}}"),
        ("«'}'»", "}"),
        ('«"}}"»x', "}}x"),
        ("«'{{'»", "{{"),
        ("«'${a}'»", "${a}"),
        ("«'it\\'s }}'»", "it's }}"),
        ("«'\\\\'»", "\\"),
        ("«`}}${a}}}`»", "}}1}}"),
        ("«`${ `${a}}` }`»", "1}"),
        ("«`${ {v: '}'}.v }`»", "}"),
        ("«`\\``»", "`"),
        ("«{}»", {}),
        ("«{v:{}}»", {"v": {}}),
        ("«{v: '}}'}.v»", "}}"),
        ("«[{}, {v: {w: {}}}]»", [{}, {"v": {"w": {}}}]),
        ("«a»}", "1}"),
        ("«a»}}", "1}}"),
        ("«xs.map(x => ({x}))»", [{"x": 1}, {"x": None}, {"x": "x"}]),
        ("«s + '»' + '«'»", None),
    ],
)
def test_texts_and_braces_inside_of_an_expression_do_not_end_it(text: str, expected: Json, form: Form) -> None:
    begin, end = ("{{", "}}") if form == "{{" else ("${", "}")
    wanted = f"text{end}{begin}" if expected is None else expected
    assert evaluated(written(text, form), form) == wanted


@both
@pytest.mark.parametrize("text", ["«", "«a", "x «a", "«a» «a", "«'a»", '«"»', "«`»", "«`${a»", "«{»", "«{a: {»"])
def test_a_template_that_is_not_closed_is_a_fault_with_its_place(text: str, form: Form) -> None:
    before = written(text[: text.rindex("«")], form)
    with pytest.raises(InvalidExpression, match="is not closed") as refused:
        value_of(written(text, form), form)
    problem: Any = refused.value.problems[0]
    assert problem.column == len(before) + 1


@pytest.mark.parametrize(
    ("text", "part", "column"),
    [
        ("{{{a b}}}", "an operator is missing before 'b'", 6),
        ("x {{{ a.nope() }}}", "there is no method 'nope'", 9),
        ("{{{a: 1 +}}}", "a value is missing", 10),
        ("{{{[a}}}", "is not closed", 4),
        ("{{{-a, }}}", "there is no comma operator", 6),
    ],
)
def test_a_fault_between_three_braces_is_told_with_its_place(text: str, part: str, column: int) -> None:
    with pytest.raises(InvalidExpression, match=re.escape(part)) as refused:
        value_of(text, "{{")
    problem: Any = refused.value.problems[0]
    assert problem.column == column, problem


def test_two_braces_after_a_dollar_are_an_object() -> None:
    assert compile_value(value_of("${{a}}", "${")).evaluate({"a": 1}) == {"a": 1}


@both
@pytest.mark.parametrize("text", ["«»", "« »", "x «\n»"])
def test_an_empty_template_is_a_fault(text: str, form: Form) -> None:
    with pytest.raises(InvalidExpression, match="an expression is missing here"):
        value_of(written(text, form), form)


@both
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("«a = 5»", "write == instead of ="),
        ("x «s.trimm()» y", "did you mean 'trim'"),
        ("«steps.fetch-users.x»", "steps['fetch-users']"),
        ("«a b»", "an operator is missing before 'b'"),
        ("«#a»", ""),
        ("«!»", ""),
        ("«> a»", ""),
    ],
)
def test_a_fault_in_an_expression_is_found_before_anything_runs(text: str, part: str, form: Form) -> None:
    for document in (written(text, form), [written(text, form)], {"k": written(text, form)}, {written(text, form): 1}):
        with pytest.raises(InvalidExpression) as refused:
            value_of(document, form)
        assert part in str(refused.value)


@pytest.mark.parametrize(
    "document",
    [None, True, False, 0, 5, 0.5, "", "x", [], {}, [1, [2, {"k": None}]], {"k": {"l": ["x"]}}, {"": ""}, {"{": "}"}],
)
@both
def test_what_has_no_template_stays_a_constant(document: Json, form: Form) -> None:
    value = value_of(document, form)
    assert value == Constant(document)
    compiled = compile_value(value)
    assert compiled.evaluate({}) == document
    assert compiled.render({}).value == document
    assert compiled.render({}).sealed is None
    assert compiled.reads == ()
    assert compiled.missing({}, frozenset()) == ()


def test_a_document_is_a_tree_of_values() -> None:
    assert value_of("{{ a }}", "{{") == Expression("a")
    assert value_of("x{{ a }}", "{{") == Text((Constant("x"), Expression("a")))
    assert value_of(["{{a}}", 1], "{{") == Array((Expression("a"), Constant(1)))
    assert value_of({"k": "{{a}}"}, "{{") == Object(((Constant("k"), Expression("a")),))
    assert value_of({"{{a}}": 1}, "{{") == Object(((Expression("a"), Constant(1)),))


@both
def test_keys_are_rendered(form: Form) -> None:
    def key(text: str) -> str:
        return written(text, form)

    assert evaluated({key("«key»"): 1}, form) == {"name": 1}
    assert evaluated({key("x-«key»-«a»"): 1}, form) == {"x-name-1": 1}
    assert evaluated({key("«a»"): 1}, form) == {"1": 1}
    assert evaluated({key("«missing»"): 1}, form) == {"": 1}
    assert evaluated({key("«xs»"): 1}, form) == {'[1,null,"x"]': 1}
    assert evaluated({key("«now»"): 1}, form) == {"2026-11-15T10:00:00.000Z": 1}
    assert evaluated({"\\" + key("«key»"): 1}, form) == {key("«key»"): 1}
    assert evaluated({"k": [{key("«key»"): key("«a»")}]}, form) == {"k": [{"name": 1}]}


@both
def test_undefined_drops_its_key_and_is_null_in_an_array(form: Form) -> None:
    gone = written("«missing»", form)
    assert evaluated({"k": gone, "l": 1}, form) == {"l": 1}
    assert evaluated([gone, 1, gone], form) == [None, 1, None]
    assert evaluated({"k": {"l": gone}}, form) == {"k": {}}
    assert evaluated({"k": [gone]}, form) == {"k": [None]}
    assert evaluated({"k": written("«nil»", form)}, form) == {"k": None}
    assert evaluated({"k": gone + gone}, form) == {"k": ""}
    assert evaluated(written("«{k: missing, l: [missing]}»", form), form) == {"l": [None]}
    assert evaluated(gone, form) is UNDEFINED


def test_a_value_does_not_change_the_scope() -> None:
    scope: dict[str, Json] = {"xs": [3, 1, 2], "o": {"k": 1}}
    assert evaluated({"s": "{{ xs.sort() }}", "r": "{{ xs.reverse() }}", "o": "{{ {...o, k: 2} }}"}, "{{", scope) == {
        "s": [1, 2, 3],
        "r": [2, 1, 3],
        "o": {"k": 2},
    }
    assert scope == {"xs": [3, 1, 2], "o": {"k": 1}}


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("a", {("a",)}),
        ("a.b.c", {("a", "b", "c")}),
        ("a['b'].c", {("a", "b", "c")}),
        ("steps['fetch-users'].output", {("steps", "fetch-users", "output")}),
        ("a?.b", {("a", "b")}),
        ("a[b.c]", {("a",), ("b", "c")}),
        ("a[0].b", {("a",)}),
        ("a.b + c ** d.e", {("a", "b"), ("c",), ("d", "e")}),
        ("!a || b && c ?? d", None),
        ("a ? b : c", {("a",), ("b",), ("c",)}),
        ("[a, ...b]", {("a",), ("b",)}),
        ("{[a]: b, c, ...d}", {("a",), ("b",), ("c",), ("d",)}),
        ("`${a.b}${c}`", {("a", "b"), ("c",)}),
        ("a.map(x => x.b + c)", {("a",), ("c",)}),
        ("a.map(x => b.map(y => x + y + z))", {("a",), ("b",), ("z",)}),
        ("x + a.map(x => x)", {("x",), ("a",)}),
        ("a.b.map((x, i) => i)", {("a", "b")}),
        ("a|map('b')|join(c)", {("a",), ("c",)}),
        ("Math.max(a, b.c)", {("a",), ("b", "c")}),
        ("now + 1", {("now",)}),
        ("nowMs", {("now",)}),
        ("a|daysAgo", {("a",), ("now",)}),
        ("'a.b' + 1", set()),
        ("undefined", set()),
        ("Math.PI", set()),
    ],
)
def test_it_is_known_before_what_an_expression_reads(source: str, reads: set[tuple[str, ...]] | None) -> None:
    if reads is None:
        reads = {("a",), ("b",), ("c",), ("d",)}
        source = "(!a || b && c) ?? d"
    assert ready(source).reads == reads
    assert set(compile_value(Expression(source)).reads) == reads


def test_what_a_tree_reads_is_what_its_expressions_read() -> None:
    document = {"{{ k }}": ["{{ a.b }}", "x {{ c }} {{ secrets.KEY }}"], "d": {"e": "{{ a.b }}"}}
    assert compile_value(value_of(document, "{{")).reads == (("a", "b"), ("c",), ("k",))


def test_what_is_missing_is_named() -> None:
    compiled = compile_value(
        value_of(["{{ a }}", "{{ gone.x }}", "x {{ input.y }}", "{{ nil }}", "{{ gone.x }}"], "{{")
    )
    assert compiled.missing(SCOPE, frozenset()) == ("gone.x", "input.y")
    assert compiled.missing(SCOPE, frozenset({"input"})) == ("gone.x",)
    assert compiled.missing(SCOPE, frozenset({"input", "gone"})) == ()
    assert compile_value(value_of("{{ secrets.KEY }}", "{{")).missing(SCOPE, frozenset()) == ()


# Secrets.

KEY: Json = {"secret": "KEY"}


@both
@pytest.mark.parametrize(
    ("text", "value", "parts"),
    [
        ("«secrets.KEY»", "***", [KEY]),
        ("«secrets['KEY']»", "***", [KEY]),
        ("«secrets?.KEY»", "***", [KEY]),
        ("« (secrets.KEY) »", "***", [KEY]),
        ("Bearer «secrets.KEY»", "Bearer ***", ["Bearer ", KEY]),
        ("«secrets.KEY»!", "***!", [KEY, "!"]),
        ("«s»:«secrets.KEY»@«a»", "text:***@1", ["text:", KEY, "@1"]),
        ("«'Bearer ' + secrets.KEY»", "Bearer ***", ["Bearer ", KEY]),
        ("«`Bearer ${secrets.KEY}`»", "Bearer ***", ["Bearer ", KEY]),
        ("«s + ':' + secrets.KEY»", "text:***", ["text:", KEY]),
        ("«1 + 2 + secrets.KEY»", "3***", ["3", KEY]),
        ("«secrets.KEY + 1 + 2»", "***12", [KEY, "12"]),
        ("«secrets.KEY + secrets.KEY»", "******", [KEY, KEY]),
        ("«secrets.KEY»«secrets.OTHER»", "******", [KEY, {"secret": "OTHER"}]),
        ("«`${s}${secrets.KEY}` + s»", "text***text", ["text", KEY, "text"]),
        ("«missing»«secrets.KEY»", "***", ["", KEY]),
        ("«o.k»«secrets.KEY»", '{"v":1}***', ['{"v":1}', KEY]),
    ],
)
def test_a_secret_is_sealed_alone_or_in_text(text: str, value: str, parts: list[Json], form: Form) -> None:
    compiled = compile_value(value_of(written(text, form), form))
    assert compiled.evaluate(SCOPE) == value
    rendered = compiled.render(SCOPE)
    assert rendered.value == value
    assert [part for part in rendered.sealed[""] if part != ""] == [part for part in parts if part != ""]


@both
def test_a_sealed_part_is_found_by_its_pointer(form: Form) -> None:
    secret = written("«secrets.KEY»", form)
    document = {"plain": 1, "a": secret, "list": [0, f"x{secret}", {"b/c": secret, "d~e": secret}], "o": {"": secret}}
    rendered = compile_value(value_of(document, form)).render(SCOPE)
    assert rendered.value == {
        "plain": 1,
        "a": "***",
        "list": [0, "x***", {"b/c": "***", "d~e": "***"}],
        "o": {"": "***"},
    }
    assert rendered.sealed == {
        "/a": [KEY],
        "/list/1": ["x", KEY],
        "/list/2/b~1c": [KEY],
        "/list/2/d~0e": [KEY],
        "/o/": [KEY],
    }


def test_a_sealed_part_is_found_under_a_rendered_key() -> None:
    rendered = compile_value(value_of({"{{ key }}/x": ["{{ secrets.KEY }}"]}, "{{")).render(SCOPE)
    assert rendered.value == {"name/x": ["***"]}
    assert rendered.sealed == {"/name~1x/0": [KEY]}


def test_without_secrets_nothing_is_sealed() -> None:
    assert compile_value(value_of({"a": "{{ s }}", "b": "***"}, "{{")).render(SCOPE).sealed is None


def test_the_value_of_a_secret_is_never_read_from_the_scope() -> None:
    scope = {**SCOPE, "secrets": {"KEY": "hunter2"}}
    for text in ("{{ secrets.KEY }}", "x {{ secrets.KEY }}", "{{ 'x' + secrets.KEY }}", "{{ `${secrets.KEY}` }}"):
        compiled = compile_value(value_of({"k": text}, "{{"))
        assert "hunter2" not in repr(compiled.evaluate(scope))
        assert "hunter2" not in repr(compiled.render(scope))


def test_a_property_named_secrets_is_no_secret() -> None:
    assert evaluated("{{ input.secrets.KEY }}", "{{", {"input": {"secrets": {"KEY": 1}}}) == 1
    assert evaluated("{{ {secrets: 1}.secrets }}") == 1


@both
@pytest.mark.parametrize(
    "source",
    [
        *("secrets", "secrets.KEY.x", "secrets.KEY.length", "secrets[a]", "secrets[s + 'x']", "secrets.KEY[0]"),
        *("secrets.KEY == 'x'", "secrets.KEY === s", "secrets.KEY != null", "secrets.KEY < 1", "'x' in secrets.KEY"),
        *(
            "secrets.KEY ? 1 : 2",
            "a ? secrets.KEY : 1",
            "!secrets.KEY",
            "-secrets.KEY",
            "secrets.KEY * 1",
            "1 - secrets.KEY",
        ),
        *("secrets.KEY || s", "secrets.KEY ?? s", "a && secrets.KEY", "secrets.KEY.slice(1)", "secrets.KEY.toString()"),
        *("secrets.KEY|upper", "secrets.KEY|length", "xs|join(secrets.KEY)", "xs|filterBy('k', secrets.KEY)"),
        *(
            "s.concat(secrets.KEY)",
            "s.includes(secrets.KEY)",
            "xs.map(x => secrets.KEY)",
            "xs.map(x => x + secrets.KEY)",
        ),
        *("[secrets.KEY]", "{k: secrets.KEY}", "{[secrets.KEY]: 1}", "{...secrets}", "[...secrets.KEY]", "{secrets}"),
        *("JSON.stringify(secrets)", "JSON.stringify(secrets.KEY)", "String(secrets.KEY)", "Object.keys(secrets)"),
        *("`${secrets}`", "`${secrets.KEY.length}`", "'x' + secrets.KEY.length", "'x' + (secrets.KEY == 'y')"),
        *("o[secrets.KEY]", "Math.max(secrets.KEY)", "('x' + secrets.KEY).length", "('x' + secrets.KEY) == s"),
        *("`${secrets.KEY}`|upper", "`x${secrets.KEY}`.length", "s == 'x' + secrets.KEY"),
    ],
)
def test_a_secret_cannot_be_looked_into(source: str, form: Form) -> None:
    with pytest.raises(InvalidExpression):
        compile_value(value_of(written(f"«{source}»", form), form))
    with pytest.raises(InvalidExpression):
        compile_value(value_of({"k": [written(f"x «{source}»", form)]}, form))
    with pytest.raises(InvalidExpression):
        ready(source)


@both
@pytest.mark.parametrize("key", ["«secrets.KEY»", "x«secrets.KEY»", "«'x' + secrets.KEY»", "«`${secrets.KEY}`»"])
def test_a_secret_cannot_be_a_key(key: str, form: Form) -> None:
    with pytest.raises(InvalidExpression, match="a secret cannot be the name of a property"):
        compile_value(value_of({written(key, form): 1}, form))
    with pytest.raises(InvalidExpression):
        compile_value(value_of([{"k": {written(key, form): 1}}], form))


def test_a_text_is_not_longer_than_the_limit() -> None:
    with pytest.raises(EvaluationError, match="longer than an expression may make"):
        evaluated("{{ t }}{{ t }}", "{{", {"t": "x" * (1 << 20)})


# Known faults, with what is right.


def test_an_escaped_dollar_in_a_template_literal_opens_nothing() -> None:
    assert evaluated("{{ `\\${` }}") == "${"


def test_a_key_that_is_rendered_twice_keeps_no_seal_of_the_first_value() -> None:
    rendered = compile_value(value_of({"{{ key }}": "{{ secrets.KEY }}", "name": "plain"}, "{{")).render(SCOPE)
    assert rendered.value == {"name": "plain"}
    assert rendered.sealed is None


@pytest.mark.parametrize(
    "source", ["xs|filter('at < now')", "xs|filter('at|daysAgo < 7')", "xs|formatList('{{at}} {{now}}')"]
)
def test_an_inner_expression_that_reads_the_time_says_so(source: str) -> None:
    assert ("now",) in ready(source).reads


def test_joining_a_secret_is_joining() -> None:
    assert evaluated("{{ nil + secrets.KEY }}") == evaluated("{{ nil + '***' }}")
    assert evaluated("{{ o + secrets.KEY }}") == evaluated("{{ o + '***' }}")


def test_a_fault_in_a_longer_text_has_its_place_in_that_text() -> None:
    with pytest.raises(InvalidExpression) as refused:
        value_of("line\nsome {{ x = 5 }}", "{{")
    problem: Any = refused.value.problems[0]
    assert (problem.line, problem.column) == (2, 11)


def test_a_template_that_is_not_closed_has_a_line() -> None:
    with pytest.raises(InvalidExpression) as refused:
        value_of("one\ntwo {{ x", "{{")
    problem: Any = refused.value.problems[0]
    assert (problem.line, problem.column) == (2, 5)


def test_a_document_that_is_too_deep_is_a_fault() -> None:
    document: Json = "{{ a }}"
    for _ in range(5_000):
        document = [document]
    with pytest.raises(InvalidExpression):
        compile_value(value_of(document, "{{"))


def test_all_that_is_wrong_in_a_document_is_told_at_once_with_its_path() -> None:
    document = {"to": "{{ a = 1 }}", "list": [1, "x {{ b.trimm() }}", {"a/b": "{{ c"}], "{{ 1 1 }}": 2, "ok": "{{ x }}"}
    with pytest.raises(InvalidExpression) as refused:
        value_of(document, "{{")
    told = [(problem.path, problem.message.split(";")[0]) for problem in refused.value.problems]
    assert told == [
        ("/to", "an expression cannot assign"),
        ("/list/1", "there is no method 'trimm'"),
        ("/list/2/a~1b", "this {{ is not closed"),
        ("/{{ 1 1 }}", "an operator is missing before '1'"),
    ]
    assert "/list/1: there is no method" in str(refused.value)


def test_a_misused_secret_is_told_with_its_path_and_place() -> None:
    with pytest.raises(InvalidExpression) as refused:
        value_of({"a": {"b": "x {{ 1 == secrets.KEY }}"}}, "{{")
    problem: Any = refused.value.problems[0]
    assert (problem.type, problem.path, problem.line, problem.column) == ("secret_misused", "/a/b", 1, 11)


def test_a_value_that_is_not_there_replaces_no_secret() -> None:
    compiled = compile_value(value_of({"a": "{{secrets.A}}", "{{'a'}}": "{{missing}}"}, "{{"))
    found = compiled.render({})
    assert (found.value, found.sealed) == ({"a": "***"}, {"/a": [{"secret": "A"}]})


def test_a_secret_is_never_read_from_the_scope_not_even_alone() -> None:
    scope = {"secrets": {"A": "REAL"}}
    assert ready("secrets.A").run(scope) == "***"
    assert ready("'k ' + secrets.A").run(scope) == "k ***"
    assert compile_value(Text((Constant("k "), Expression("secrets.A")))).evaluate(scope) == "k ***"


def test_a_text_in_a_text_is_rendered() -> None:
    inner = Text((Constant("a"), Expression("x")))
    assert compile_value(Text((Constant(5), inner, Expression("y")))).evaluate({"x": 1, "y": None}) == "5a1"
