"""An exception of our own in an expression fails that expression, and observers hear of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from perdure.errors import EvaluationError
from perdure.expressions import faults, functions, keys, language
from perdure.expressions.keys import best, key_in
from perdure.expressions.language import compile_value
from perdure.expressions.parse import parse
from perdure.expressions.ready import remembered
from perdure.model.values import Constant, Expression, Text

pytestmark = pytest.mark.exact


class Nameless(Exception):
    """It says nothing."""


@pytest.fixture
def heard() -> Iterator[list[tuple[str, Exception]]]:
    found: list[tuple[str, Exception]] = []

    def observe(source: str, error: Exception) -> None:
        found.append((source, error))

    faults.observers.append(observe)
    remembered.cache_clear()
    yield found
    remembered.cache_clear()
    faults.observers.remove(observe)


def breaks(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def broken(*_: Any) -> Any:
        raise error

    monkeypatch.setitem(functions.FUNCTIONS, "Math.cbrt", broken)


def test_a_bug_in_a_function_is_an_error_of_the_expression(
    heard: list[tuple[str, Exception]], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ZeroDivisionError("a bug")
    breaks(monkeypatch, error)
    with pytest.raises(
        EvaluationError, match=r"Math.cbrt\(8\)': internal error .*\(ZeroDivisionError: a bug\)"
    ) as failed:
        compile_value(Expression("Math.cbrt(8)")).evaluate({})
    assert failed.value.source == "Math.cbrt(8)"
    assert failed.value.__cause__ is error
    assert heard == [("Math.cbrt(8)", error)]


@pytest.mark.usefixtures("heard")
def test_a_bug_without_a_message_is_told_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(monkeypatch, Nameless())
    with pytest.raises(EvaluationError, match=r"\(Nameless\)"):
        compile_value(Expression("Math.cbrt(8)")).evaluate({})


def test_a_bug_while_a_text_is_put_together_is_an_error_too(
    heard: list[tuple[str, Exception]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: str) -> None:
        raise KeyError("a bug")

    value = compile_value(Text((Constant("it is "), Expression("input.n"))))
    assert value.evaluate({"input": {"n": 1}}) == "it is 1"
    monkeypatch.setattr(language, "wrote", broken)
    with pytest.raises(EvaluationError, match="internal error"):
        value.evaluate({"input": {"n": 1}})
    assert [type(error) for _, error in heard] == [KeyError]


def test_what_the_values_do_not_fit_is_no_bug(heard: list[tuple[str, Exception]]) -> None:
    value = compile_value(Text((Constant("it is "), Expression("input.n.toFixed(999)"))))
    with pytest.raises(EvaluationError, match="toFixed"):
        value.evaluate({"input": {"n": 1}})
    assert heard == []


def test_a_bug_in_the_key_of_a_wait_is_an_error_of_the_wait(
    heard: list[tuple[str, Exception]], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = best(parse("event.payload.n === input.n"))
    assert key is not None
    assert key.of({"input": {"n": 1}}) == "number 1"

    def broken(_: Any) -> str:
        raise IndexError("a bug")

    monkeypatch.setattr(keys, "index_key", broken)
    with pytest.raises(EvaluationError, match="internal error"):
        key.of({"input": {"n": 1}})
    assert [source for source, _ in heard] == ["/payload/n"]


def test_a_bug_in_the_key_of_an_event_leaves_it_to_the_condition(
    heard: list[tuple[str, Exception]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert key_in({"payload": {"n": 1}}, "/payload/n") == "number 1"

    def broken(_: Any) -> str:
        raise IndexError("a bug")

    monkeypatch.setattr(keys, "index_key", broken)
    assert key_in({"payload": {"n": 1}}, "/payload/n") is None
    assert [source for source, _ in heard] == ["/payload/n"]
