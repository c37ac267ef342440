"""What differs between two documents."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.service.diffing import differences


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1}, {"a": 2}, [("/a", "changed", 1, 2)]),
        ({"a": 1}, {"b": 1}, [("/a", "removed", 1, None), ("/b", "added", None, 1)]),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, [("/a~1b/~0", "changed", 1, 2)]),
        ([1, 2], [1, 3, 4], [("/1", "changed", 2, 3), ("/2", "added", None, 4)]),
        ([1, 2], [1], [("/1", "removed", 2, None)]),
        ({"a": True}, {"a": 1}, [("/a", "changed", True, 1)]),
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": {}}, {"a": []}, [("/a", "changed", {}, [])]),
        ([{"id": "x", "n": 1}, {"id": "y"}], [{"id": "y"}, {"id": "x", "n": 2}], [("/1/n", "changed", 1, 2)]),
        (
            [{"id": "x"}, {"id": "y"}],
            [{"id": "y"}, {"id": "z"}],
            [("/0", "removed", {"id": "x"}, None), ("/1", "added", None, {"id": "z"})],
        ),
        ([{"id": "x"}, {"id": "x"}], [{"id": "x"}], [("/1", "removed", {"id": "x"}, None)]),
        (None, 1, [("", "changed", None, 1)]),
    ],
)
def test_what_differs_is_told_by_its_place(old: Any, new: Any, found: list[tuple[Any, ...]]) -> None:
    assert [(change.path, change.kind, change.old, change.new) for change in differences(old, new)] == found
