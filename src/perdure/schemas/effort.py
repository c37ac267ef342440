"""How much work it is at most to hold a value against a schema, known before it is begun.

A schema of a few lines can ask for more than anybody can wait for: what refers twice to what refers twice, and so on. For each
depth of a value, it is counted how often one part of it can be looked at there, at most; the rest is multiplication.
"""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct

from perdure.schemas.graph import Graph, Node

EFFORT_MAX: Final = 20_000_000
"""One is about 20 nanoseconds, so that no check takes much longer than a second."""


DEPTH_MAX: Final = 202
"""As deep as values are that are kept. What goes deeper would take the stack of the whole process."""

_CHARACTERS_PER_PART: Final = 32


class Amount(Struct, frozen=True):
    """What it takes at most to find out whether a value fits (a little over `EFFORT_MAX` may be much more), and to tell of all
    that does not.
    """

    check: int
    tell: int
    too_deep: bool


class Effort:
    def __init__(self, graph: Graph) -> None:
        self._nodes, self._root = graph.nodes, graph.root
        self._weights: list[list[int]] = []
        self._places: list[list[int]] = []

    def of(self, value: Any) -> Amount:
        """Level by level: a value that is too deep for others is not too deep for this."""
        levels: list[tuple[int, int]] = []
        check, level = 0, [value]
        while level and len(levels) <= DEPTH_MAX and check <= EFFORT_MAX:
            following: list[Any] = []
            characters = 0
            for part in level:
                if type(part) is str:
                    characters += len(part)
                elif type(part) is dict:
                    characters += sum(map(len, part))
                    following.extend(part)  # a name is held against `propertyNames`
                    following.extend(part.values())
                elif type(part) is list:
                    following.extend(part)
            weight, places = (0, 0) if self._root is None else self._at(len(levels))
            check += len(level) * weight + characters * places
            levels.append((weight, len(level) + characters // _CHARACTERS_PER_PART))
            level = following
        return Amount(check, _to_tell(levels), too_deep=bool(level) and check <= EFFORT_MAX)

    def _at(self, depth: int) -> tuple[int, int]:
        """How often one part at this depth is looked at, at most; and each character of it."""
        assert self._root is not None, "a mere yes or no is no effort"
        while len(self._weights) <= depth:
            below = self._weights[-1] if self._weights else None
            self._weights.append(_counted(self._nodes, [node.weight for node in self._nodes], below))
            below = self._places[-1] if self._places else None
            self._places.append(_counted(self._nodes, [node.places for node in self._nodes], below))
        return self._weights[depth][self._root], self._places[depth][self._root]


def _to_tell(levels: list[tuple[int, int]]) -> int:
    """Each violation comes with a copy of the part that it is about, and all that is in it."""
    tell = inside = 0
    for weight, size in reversed(levels):
        inside += size
        tell += weight * inside
    return tell


def _counted(nodes: list[Node], own: list[int], below: list[int] | None) -> list[int]:
    """For each node, the most that a part of a value takes that lies deeper by one than what `below` was counted for; None: the
    value itself.
    """
    counts: list[int] = []
    for node, mine in zip(nodes, own, strict=True):
        count = mine if below is None else _of_one_part(node, below)
        count += node.times * sum(counts[number] for number in node.in_place)
        counts.append(min(count, EFFORT_MAX + 1))
    return counts


def _of_one_part(node: Node, below: list[int]) -> int:
    as_property = max((below[number] for number in node.by_key), default=0) + sum(below[n] for n in node.of_object)
    as_item = max((below[number] for number in node.by_place), default=0) + sum(below[n] for n in node.of_array)
    return max(as_property, as_item)
