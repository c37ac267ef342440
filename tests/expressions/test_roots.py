"""Names that nobody gives an expression are found before it runs."""

from __future__ import annotations

import pytest

from perdure.expressions.roots import unknown_roots

ROOTS = ("steps", "input", "lastOutput", "loop", "config")


def told(text: str, *, only_near: bool = False) -> list[tuple[str, int | None, int | None]]:
    found = unknown_roots({"to": [text]}, "{{", ROOTS, only_near=only_near)
    assert all(problem.path == "/to/0" for problem in found)
    return [(problem.message, problem.line, problem.column) for problem in found]


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("{{ step.fetch.output }}", "there is no 'step' here; did you mean 'steps'?", 4),
        ("{{ 1 + inputs.x }}", "there is no 'inputs' here; did you mean 'input'?", 8),
        ("{{ 'a step b' + step.a }}", "there is no 'step' here; did you mean 'steps'?", 17),
        ("to {{ {step: 1, b: step} }}", "there is no 'step' here; did you mean 'steps'?", 20),
        ("{{ [...step] }}", "there is no 'step' here; did you mean 'steps'?", 8),
        ("{{ input.x == zebra }}", "there is no 'zebra' here", 15),
        ("{{ input.xs.map(foo => foo).concat(foo) }}", "there is no 'foo' here", 36),
        ("{{ input.items.map(x => x.id + stepp.y) }}", "there is no 'stepp' here; did you mean 'steps'?", 32),
    ],
)
def test_a_name_that_is_not_there_is_told_with_its_place_and_the_nearest(text: str, message: str, column: int) -> None:
    assert told(text) == [(message, 1, column)]


def test_every_name_is_told() -> None:
    assert [message for message, *_ in told("{{ step.a }} and {{ lop.item + inptu.x }}")] == [
        "there is no 'step' here; did you mean 'steps'?",
        "there is no 'lop' here; did you mean 'loop'?",
        "there is no 'inptu' here; did you mean 'input'?",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{{ steps.step.inputs }}",
        "{{ input.items.map(step => step.id) }}",
        "{{ now }} {{ nowMs }}",
        "step.a",
        "{{ input|filter('step > 1') }}",
        "{{ secrets.A }} {{ 1 1 }}",
    ],
)
def test_what_is_there_is_not_told(text: str) -> None:
    assert told(text) == []


def test_where_any_name_may_be_there_only_near_misses_are_told() -> None:
    assert told("{{ customer.name + zebra }}", only_near=True) == []
    assert told("{{ step.name }}", only_near=True) == [("there is no 'step' here; did you mean 'steps'?", 1, 4)]
