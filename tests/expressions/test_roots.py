"""Names that nobody gives an expression are found before it runs."""

from __future__ import annotations

import pytest

from perdure.expressions.roots import unknown_roots
from perdure.expressions.templates import value_of

ROOTS = ("steps", "input", "lastOutput", "loop", "config")


def told(text: str, *, only_near: bool = False) -> list[tuple[str, int | None, int | None]]:
    found = unknown_roots(value_of(text, "{{"), ROOTS, only_near=only_near)
    return [(problem.message, problem.line, problem.column) for problem in found]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("{{ step.fetch.output }}", "there is no 'step' here; did you mean 'steps'?", 1),
        ("{{ 1 + inputs.x }}", "there is no 'inputs' here; did you mean 'input'?", 5),
        ("{{ 'step' + step.a }}", "there is no 'step' here; did you mean 'steps'?", 10),
        ("{{ [...step] }}", "there is no 'step' here; did you mean 'steps'?", 5),
        ("{{ input.x == zebra }}", "there is no 'zebra' here", 12),
        ("{{ input.items.map(x => x.id + stepp.y) }}", "there is no 'stepp' here; did you mean 'steps'?", 29),
    ],
)
def test_a_name_that_is_not_there_is_told_with_its_place_and_the_nearest(text: str, message: str, column: int) -> None:
    assert told(text) == [(message, 1, column)]


def test_every_name_is_told() -> None:
    assert [message for message, *_ in told("{{ step.a }} and {{ lop.item + inptu.x }}")] == [
        "there is no 'step' here; did you mean 'steps'?",
        "there is no 'inptu' here; did you mean 'input'?",
        "there is no 'lop' here; did you mean 'loop'?",
    ]


@pytest.mark.parametrize(
    "text", ["{{ steps.step.inputs }}", "{{ input.items.map(step => step.id) }}", "{{ now }} {{ nowMs }}", "step.a"]
)
def test_what_is_there_is_not_told(text: str) -> None:
    assert told(text) == []


def test_where_any_name_may_be_there_only_near_misses_are_told() -> None:
    assert told("{{ customer.name + zebra }}", only_near=True) == []
    assert told("{{ step.name }}", only_near=True) == [("there is no 'step' here; did you mean 'steps'?", 1, 1)]
