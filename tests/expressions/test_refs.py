"""Refs, as phases has them."""

from __future__ import annotations

import pytest

from perdure.expressions.language import ready
from perdure.expressions.refs import Ref, or_as_written, refs_in, source


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@fetch", [Ref("fetch", (), "@fetch")]),
        ("@fetch.items[0].id", [Ref("fetch", ("items", 0, "id"), "@fetch.items[0].id")]),
        ("@fetch.items.0.id", [Ref("fetch", ("items", 0, "id"), "@fetch.items.0.id")]),
        (
            "@list-users.output.total-count",
            [Ref("list-users", ("output", "total-count"), "@list-users.output.total-count")],
        ),
        ("hello @input.name.", ["hello ", Ref("input", ("name",), "@input.name", 6), "."]),
        ("@a-@b", [Ref("a", (), "@a"), "-", Ref("b", (), "@b", 3)]),
        ("@a.b- c", [Ref("a", ("b",), "@a.b"), "- c"]),
        ("@@x is a text", ["@x is a text"]),
        ("@@@x", ["@", Ref("x", (), "@x", 2)]),
        ("ann@example.com", ["ann", Ref("example", ("com",), "@example.com", 3)]),
        ("no ref, @ alone, @1", ["no ref, @ alone, @1"]),
        ("", []),
    ],
)
def test_refs_are_found_in_a_text(text: str, found: list[str | Ref]) -> None:
    assert refs_in(text) == found


def test_a_ref_becomes_an_expression_that_cannot_be_anything_else() -> None:
    path = ("items", 0, "it's", '"] + evil["')
    written = source('steps["fetch"].output', path)
    assert ready(written).run({"steps": {"fetch": {"output": {"items": [{"it's": {'"] + evil["': 7}}]}}}}) == 7


def test_what_leads_nowhere_stays_as_it_is_written() -> None:
    written = or_as_written(source("input", ("name",)), '@input.name "x"')
    assert ready(written).run({"input": {}}) == '@input.name "x"'
    assert ready(written).run({"input": {"name": "Ann"}}) == "Ann"
    assert ready(written).run({"input": {"name": None}}) is None
