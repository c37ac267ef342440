"""How messages speak of names."""

from __future__ import annotations

from perdure.errors import TOLD_MAX
from perdure.expressions.wording import listed


def test_names_for_which_there_is_no_room_are_counted() -> None:
    names = [f"n{number}" for number in range(TOLD_MAX)]
    assert listed(names) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9"
    assert listed([*names, "x", "y"]) == f"{listed(names)}, … and 2 more"
    assert listed([]) == ""
