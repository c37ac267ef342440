"""Every case of the table; and a JavaScript engine, asked about those that are JavaScript."""

from __future__ import annotations

import json
import re
from itertools import chain
from math import copysign
from typing import Any

import pytest
import quickjs  # type: ignore[import-untyped]

from expressions.cases import (
    FOUND,
    JAVASCRIPT,
    OURS,
    SCOPE,
    SEEDS,
    TEMPLATES,
    THREE_BRACES,
    Expected,
    Fails,
    Invalid,
    Scoped,
    Table,
)
from perdure.errors import EvaluationError, InvalidExpression
from perdure.expressions.functions import CONSTANTS, FUNCTIONS
from perdure.expressions.language import compile_value
from perdure.expressions.methods import METHODS
from perdure.expressions.piping import PIPES
from perdure.expressions.protocol import UNDEFINED
from perdure.expressions.ready import ready
from perdure.expressions.templates import value_of
from perdure.model.values import Json

NAMES = {*SCOPE, "missing"}


def flat(table: Table) -> list[Any]:
    return scoped({group: [(source, SCOPE, expected) for source, expected in cases] for group, cases in table.items()})


def scoped(table: Scoped) -> list[Any]:
    return [
        pytest.param(source, scope, expected, id=f"{group}: {source[:60]}")
        for group, cases in table.items()
        for source, scope, expected in cases
    ]


def check(source: str, scope: dict[str, Json], expected: Expected) -> None:
    before = json.dumps(scope)
    match expected:
        case Invalid(part, line, column):
            with pytest.raises(InvalidExpression) as refused:
                ready(source)
            found: list[Any] = [problem for problem in refused.value.problems if part in problem.message]
            assert found, refused.value
            assert found[0].line == line, found
            assert column is None or found[0].column == column, found
        case Fails(part):
            run = ready(source).run
            with pytest.raises(EvaluationError) as failed:
                run(scope)
            assert part in str(failed.value)
            assert str(failed.value).startswith(repr(source)[:40]), "the message names the expression"
        case _:
            same(ready(source).run(scope), expected)
    assert json.dumps(scope) == before, "nothing in the scope is changed"


def same(found: Json, expected: Json) -> None:
    """Equal, and of one type all the way down: true is not 1, 5.0 is not 5, minus zero is not there."""
    assert found is expected if expected is UNDEFINED else found is not UNDEFINED, found
    assert type(found) is type(expected), (found, expected)
    match expected:
        case list():
            assert len(found) == len(expected), (found, expected)
            for one, other in zip(found, expected, strict=True):
                same(one, other)
        case dict():
            assert list(found) == list(expected), (found, expected)
            for key in expected:
                same(found[key], expected[key])
        case float():
            assert found == expected
            assert copysign(1, found) == copysign(1, expected)
        case _:
            assert found == expected


@pytest.mark.parametrize(("source", "scope", "expected"), flat(JAVASCRIPT))
def test_an_expression_means_what_it_means_in_javascript(
    source: str, scope: dict[str, Json], expected: Expected
) -> None:
    check(source, scope, expected)


@pytest.mark.parametrize(("source", "scope", "expected"), flat(OURS))
def test_an_expression_means_what_the_specification_says(
    source: str, scope: dict[str, Json], expected: Expected
) -> None:
    check(source, scope, expected)


@pytest.mark.parametrize(("source", "scope", "expected"), scoped(SEEDS))
def test_an_expression_of_a_seed_is_understood(source: str, scope: dict[str, Json], expected: Expected) -> None:
    check(source, scope, expected)


@pytest.mark.parametrize(("template", "scope", "expected"), scoped(TEMPLATES))
def test_a_template_of_a_seed_is_understood(template: str, scope: dict[str, Json], expected: Expected) -> None:
    same(compile_value(value_of(template, "{{")).evaluate(scope), expected)


@pytest.mark.parametrize(("template", "scope", "expected"), scoped(THREE_BRACES))
def test_three_braces_are_two_unless_there_is_a_key(template: str, scope: dict[str, Json], expected: Expected) -> None:
    same(compile_value(value_of(template, "{{")).evaluate(scope), expected)


@pytest.mark.parametrize(("template", "scope", "expected"), scoped(TEMPLATES))
def test_a_template_of_a_seed_is_understood_in_the_other_form(
    template: str, scope: dict[str, Json], expected: Expected
) -> None:
    other = template.replace("{{", "${").replace("}}", "}")
    same(compile_value(value_of(other, "${")).evaluate(scope), expected)


@pytest.mark.parametrize(("source", "scope", "expected"), flat(FOUND))
def test_what_was_once_wrong_is_right(source: str, scope: dict[str, Json], expected: Expected) -> None:
    check(source, scope, expected)


def test_javascript_agrees_with_the_table() -> None:
    """The expected values were written by hand; here an engine says whether the hand was right."""
    context = quickjs.Context()
    context.eval(f"const given = {json.dumps(SCOPE)}; given.missing = undefined;")
    names = ", ".join(sorted(NAMES))
    for source, expected in chain.from_iterable(JAVASCRIPT.values()):
        script = f"(() => {{ const {{{names}}} = given; return JSON.stringify((\n{source}\n)); }})()"
        answer = context.eval(script)
        if expected is UNDEFINED:
            assert answer is None, (source, answer)
        else:
            assert answer is not None, source
            same(normal(json.loads(answer)), expected)


def normal(value: Json) -> Json:
    """JSON says 5 for 5.0, and 1e+21 for a double that is whole."""
    match value:
        case list():
            return [normal(item) for item in value]
        case dict():
            return {key: normal(item) for key, item in value.items()}
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case int() if not isinstance(value, bool) and abs(value) >= 2**53:
            return float(value)
        case _:
            return value


def sources() -> str:
    tables: tuple[Table, ...] = (JAVASCRIPT, OURS)
    return "\n".join(source for table in tables for cases in table.values() for source, _ in cases)


def test_the_table_is_large() -> None:
    assert sum(len(cases) for table in (JAVASCRIPT, OURS) for cases in table.values()) >= 400


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_has_a_case(method: str) -> None:
    assert re.search(rf"\.{method}\(", sources())


@pytest.mark.parametrize("function", sorted(FUNCTIONS))
def test_every_function_has_a_case(function: str) -> None:
    assert re.search(rf"(?<![\w.]){re.escape(function)}\(", sources())


@pytest.mark.parametrize("pipe", sorted(PIPES))
def test_every_pipe_has_a_case(pipe: str) -> None:
    assert re.search(rf"\|{pipe}\b", sources())


@pytest.mark.parametrize("constant", sorted(CONSTANTS))
def test_every_constant_has_a_case(constant: str) -> None:
    assert re.search(rf"(?<![\w.]){re.escape(constant)}\b", sources())
