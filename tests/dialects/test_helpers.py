"""The helpers of seed 004."""

from __future__ import annotations

import pytest

from dialects.words import edges
from perdure.dialects.graph.document import Connection, Node
from perdure.dialects.graph.helpers import (
    build_adjacency_map,
    build_node_map,
    find_entry_node,
    get_next_node_ids,
    topological_sort,
)


def connections(*written: str) -> list[Connection]:
    return [
        Connection(edge["fromNodeId"], edge["toNodeId"], edge.get("fromOutput", "main"), edge.get("toInput", "main"))
        for edge in edges(*written)
    ]


def nodes(*names: str) -> list[Node]:
    """Those with a T at the beginning are triggers."""
    return [Node(name, "MANUAL_TRIGGER" if name.startswith("T") else "WORK") for name in names]


def test_an_adjacency_map_leads_from_a_node_and_an_output_to_nodes() -> None:
    found = build_adjacency_map(connections("a > b c b", "a.error > d", "b > d:left"))
    assert found == {"a": {"main": ["b", "c"], "error": ["d"]}, "b": {"main": ["d"]}}
    assert build_adjacency_map([]) == {}


@pytest.mark.parametrize(
    ("names", "written", "entry"),
    [
        ("a b c", ("b > a", "a > c"), "b"),
        ("a Tb c", ("a > c", "Tb > c"), "Tb"),
        ("a Tb Tc", (), "Tb"),
        ("a b", (), "a"),
        ("a b", ("a > b", "b > a"), "a"),
        ("a Tb c", ("c > Tb",), "a"),
        ("Ta b", ("b > Ta",), "b"),
    ],
)
def test_the_entry_has_no_incoming_edges_and_is_a_trigger_if_there_is_one(
    names: str, written: tuple[str, ...], entry: str
) -> None:
    found = find_entry_node(nodes(*names.split()), connections(*written))
    assert found is not None
    assert found.id == entry


def test_without_nodes_there_is_no_entry() -> None:
    assert find_entry_node([], []) is None


@pytest.mark.parametrize(
    ("written", "branch", "expected"),
    [
        (("a > b c",), None, ["b", "c"]),
        (("a > b", "a.error > c"), None, ["b"]),
        (("a > b", "a.error > c"), "error", ["c"]),
        (("a > b",), "error", []),
        (("a.source-1 > b", "a.error > c"), None, ["b"]),
        (("a.out > b",), None, ["b"]),
        (("a.out > b", "a.error > c"), None, ["b"]),
        (("a.error > c",), None, []),
        (("a.out > b", "a.other > c"), None, []),
        (("a.out > b",), "main", []),
        ((), None, []),
        (("a > b",), "", []),
    ],
)
def test_a_branch_is_followed_exactly_else_main_else_source_1_else_the_only_output(
    written: tuple[str, ...], branch: str | None, expected: list[str]
) -> None:
    assert get_next_node_ids(build_adjacency_map(connections(*written)), "a", branch) == expected


def test_a_node_map_finds_nodes_by_id() -> None:
    given = nodes("a", "b")
    assert build_node_map(given) == {"a": given[0], "b": given[1]}


def test_nodes_are_sorted_after_those_that_lead_to_them_and_else_as_they_stand() -> None:
    given = nodes("d", "c", "b", "a")
    found = topological_sort(given, connections("a > b c", "b > d", "c > d", "c.error > d"))
    assert [node.id for node in found] == ["a", "c", "b", "d"]
    assert [node.id for node in topological_sort(given, [])] == ["d", "c", "b", "a"]


def test_a_cycle_cannot_be_sorted_and_is_named() -> None:
    with pytest.raises(ValueError, match="Workflow contains a cycle involving nodes: a, b, c"):
        topological_sort(nodes("T", "a", "b", "c"), connections("T > a", "a > b", "b > a c"))
