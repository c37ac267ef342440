"""What an expression, and what a value with many of them, may do; and what it keeps to itself."""

from __future__ import annotations

from contextvars import Context

import pytest

from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.language import compile_value
from perdure.expressions.parse import grammatical
from perdure.expressions.ready import REMEMBERED_MAX, ready
from perdure.expressions.templates import value_of
from perdure.model.values import Expression, Json

BUSY = "{{ 'b'.repeat(4000).split('').map(x => x + 1).length }}"


def test_the_expressions_of_a_value_share_a_bound() -> None:
    with pytest.raises(EvaluationError, match="more than 100,000 steps together"):
        compile_value(value_of([BUSY] * 30, "{{")).evaluate({})
    assert compile_value(value_of([BUSY] * 5, "{{")).evaluate({}) == [4_000] * 5


def test_the_texts_of_a_value_share_a_bound() -> None:
    scope = {"big": "a" * 1_000_000}
    with pytest.raises(EvaluationError, match="more than 100,000 steps together"):
        compile_value(value_of(["x{{ big }}"] * 20, "{{")).evaluate(scope)
    assert len(compile_value(value_of(["{{ big }}"] * 2_000, "{{")).evaluate(scope)) == 2_000


def test_the_parts_of_a_text_with_a_secret_share_a_bound() -> None:
    source = "`${secrets.A}" + "${'b'.repeat(4000).split('').map(x=>x+1).length}" * 80 + "`"
    with pytest.raises(EvaluationError, match="more than 10,000 steps"):
        compile_value(Expression(source)).render({})


def test_an_expression_runs_wherever_it_is_called_from() -> None:
    assert Context().run(ready("[1].map(x => x)").run, {}) == [1]


def test_a_long_source_is_read_each_time() -> None:
    long = "1" + " + 1" * 50 + " " * REMEMBERED_MAX
    assert ready(long) is not ready(long)
    assert ready(long).run({}) == 51
    assert ready("1 + 1") is ready("1 + 1")


def test_what_is_not_grammatical_is_refused() -> None:
    for source in ("1 1", "(", "'"):
        with pytest.raises(InvalidExpression, match="not an expression"):
            grammatical(source)


def test_a_text_of_very_many_templates_is_refused() -> None:
    with pytest.raises(InvalidExpression, match="at most 2,000 parts"):
        value_of("{{x}}" * 3_000, "{{")
    with pytest.raises(InvalidExpression) as refused:
        value_of(["{{ 1 1 }}"] * 5_000, "{{")
    assert len(refused.value.problems) == 100
    assert len(str(refused.value)) < 1_000


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("'\\0'", "\ufffd"),
        ("'ä\\x00'", "ä\ufffd"),
        ("{['\\0']: ['\\u0000', {b: '\\x00'}]}", {"\ufffd": ["\ufffd", {"b": "\ufffd"}]}),
        ("JSON.parse('\"\\\\u0000\"')", "\ufffd"),
        ('JSON.parse(\'{"\\\\u0000": ["a\\\\u0000"]}\')', {"\ufffd": ["a\ufffd"]}),
        ("`<${'\\0'}>`", "<\ufffd>"),
        ("'a' + '\\0'", "a\ufffd"),
        ("'\\0' + secrets.TOKEN", "\ufffd***"),
        ("'\\ud800' + secrets.TOKEN", "\ufffd***"),
    ],
)
def test_a_nul_becomes_u_fffd_in_the_result_of_an_expression(source: str, value: Json) -> None:
    assert ready(source).run({"secrets": {}}) == value
    assert compile_value(value_of(f"{{{{ {source} }}}}", "{{")).evaluate({"secrets": {}}) == value


def test_half_a_character_of_a_text_in_the_scope_is_mended() -> None:
    assert ready("u['3']").run({"u": "h\u00e4\U0001f600"}) == "\ufffd"
    assert ready("u[3]").run({"u": "h\u00e4\U0001f600"}) == "\ufffd"
    assert compile_value(value_of({"{{u['2']}}": 1}, "{{")).evaluate({"u": "h\u00e4\U0001f600"}) == {"\ufffd": 1}


def test_whole_numbers_beyond_the_doubles_are_the_doubles_that_are_nearest() -> None:
    scope = {"a": 2**53 + 1, "b": 2**53}
    for source, expected in {"a == b": True, "a > b": False, "a <= b": True, "a === b": True, "a - b": 0}.items():
        assert ready(source).run(scope) == expected, source


def test_without_a_time_it_is_said_so() -> None:
    for source in ("now", "nowMs + 1", "2|daysAgo", "[1]|filter('2|daysAgo')"):
        with pytest.raises(EvaluationError, match="there is no time here"):
            ready(source).run({})


def test_messages_stay_short() -> None:
    with pytest.raises(EvaluationError) as failed:
        ready("[1]|sort(undefined, 'x'.repeat(5e5))").run({})
    assert len(str(failed.value)) < 300
    with pytest.raises(EvaluationError, match="not an object"):
        ready("[1]|sort('a', o)").run({"o": {"a": 1}})
    with pytest.raises(InvalidExpression) as refused:
        ready("a." + "x" * 4_000 + "()")
    assert len(str(refused.value)) < 400
    with pytest.raises(EvaluationError, match=r"JSON\.parse needs JSON: JSON is malformed"):
        ready("JSON.parse('\\ud83d')").run({})
