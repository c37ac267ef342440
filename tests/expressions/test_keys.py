"""Conditions on events, and what can be looked up by."""

from __future__ import annotations

import pytest

from perdure.expressions.closures import compute
from perdure.expressions.keys import keys

SCOPE = {"input": {"id": 7, "who": "ann"}, "vars": {"x": 1}}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("event.payload.id == input.id", [(("payload", "id"), 7)]),
        ("input.id === event.payload.id", [(("payload", "id"), 7)]),
        ("event.payload.id == input.id && event.payload.n > 3", [(("payload", "id"), 7)]),
        (
            "event.type == 'paid' && event.payload.who == input.who + '!'",
            [(("type",), "paid"), (("payload", "who"), "ann!")],
        ),
        ("event.payload.id == input.id || true", []),
        ("event.payload.id == vars.x", []),
        ("event.payload.id == event.payload.other", []),
        ("event.payload.id != input.id", []),
        ("input.id == 7", []),
        ("!(event.payload.id == input.id)", []),
    ],
)
def test_only_what_must_be_equal_and_does_not_change_is_a_key(source: str, found: list[object]) -> None:
    assert [(key.path, compute(key.other)(SCOPE)) for key in keys(source)] == found
