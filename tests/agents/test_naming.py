"""Names of tools: what every client accepts, no two alike, and the same whatever else there is."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perdure.api.mcp.fixed import FIXED
from perdure.api.mcp.naming import tool_name
from perdure.service.documents import made_id
from perdure.service.offers import Offer

ACCEPTED = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def offer(name: str, id_: str | None = None) -> Offer:
    made = made_id("default", name)
    return Offer(id_ or made, name, "digest", "1", has_own_name=id_ in (None, made))


@pytest.mark.parametrize("name", ["greet", "Order_17", "a-b", "x" * 64, "perdure"])
def test_a_name_for_a_tool_is_kept(name: str) -> None:
    assert tool_name(offer(name)) == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Prüfung: Rechnung", "Prufung-Rechnung"),
        ("x" * 65, "x" * 53),
        ("perdure_why", "workflow-perdure_why"),
        ("注文", "workflow"),
        ("greet-0123456789", "greet-0123456789"),
        ("two\nlines", "two-lines"),
        ("../../etc", "etc"),
    ],
)
def test_of_another_name_is_kept_what_can_be_and_digits_follow(name: str, kept: str) -> None:
    assert re.fullmatch(rf"{re.escape(kept)}-[0-9a-f]{{10}}", tool_name(offer(name)))


def test_who_brings_an_id_of_its_own_never_takes_the_name_of_another() -> None:
    names = {tool_name(offer("greet")), tool_name(offer("greet", "1")), tool_name(offer("greet", "2"))}
    assert len(names) == 3
    assert "greet" in names


_names = st.one_of(st.text(max_size=80), st.from_regex(r"\A[a-c_-]{1,3}(-[0-9a-f]{10})?\Z"))
_offers = st.builds(offer, _names, st.one_of(st.none(), st.text(min_size=1, max_size=3)))


@given(_offers, _offers)
def test_no_two_workflows_are_called_alike(one: Offer, other: Offer) -> None:
    for each in (one, other):
        assert ACCEPTED.fullmatch(tool_name(each))
        assert not tool_name(each).startswith("perdure_")
    if one.id != other.id:
        assert tool_name(one) != tool_name(other)


def test_our_own_names_are_accepted() -> None:
    assert all(ACCEPTED.fullmatch(name) and name.startswith("perdure_") for name in FIXED)
