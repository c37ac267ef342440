"""The expressions of one document: each is read once, and there may be only so much of them."""

from __future__ import annotations

import pytest

from perdure.errors import InvalidExpression
from perdure.expressions import ready as expressions
from perdure.expressions.ready import SOURCE_WORK, ready, together


def test_the_same_expression_counts_once() -> None:
    with together() as document:
        for _ in range(3):
            ready("a + 1")
        assert document.work == len("a + 1") + SOURCE_WORK
        with pytest.raises(InvalidExpression):
            ready("a +")
        assert not document.is_too_much
    ready("a + 2")
    assert document.work < 2 * (len("a + 1") + SOURCE_WORK)


def test_a_long_expression_is_still_held_against_the_length_that_is_meant() -> None:
    source = f"'{'x' * 5_000}'"
    with together():
        assert ready(source, 10_000) is ready(source, 10_000)
        with pytest.raises(InvalidExpression):
            ready(source)


def test_where_it_is_too_much_nothing_is_read_any_more_but_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expressions, "WORK_MAX", 2 * SOURCE_WORK)
    with together() as document:
        first = ready("a1")
        for source in ("a2", "a3 +"):
            with pytest.raises(InvalidExpression, match="at most"):
                ready(source)
        assert document.is_too_much
        assert document.work == 3 * SOURCE_WORK + len("a1a2a3 +")
        assert ready("a1") is first
    assert ready("a2").source == "a2"
