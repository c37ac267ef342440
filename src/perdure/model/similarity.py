"""Suggestions for misspelt names: the known name that is close, by edit distance."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from itertools import islice
from typing import Final

NAME_LENGTH_MAX: Final = 80
KNOWN_MAX: Final = 1_000
"""Maximum number of known names that are looked at."""
COMPARED_MAX: Final = 20
"""Maximum number of them that are compared letter by letter."""
_SEPARATORS: Final = str.maketrans("", "", "_- .")
_ONE_EDIT_LENGTH_MAX: Final = 5
"""Two edits make another word of a name that is not longer."""
_EDITS_MAX: Final = 2
_ABBREVIATION_MIN: Final = 3


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is close enough to be meant: the same but for case and separators, one or two edits away, or
    abbreviated (`lvl` for `level`).

    An edit is a character more, less or another, or two neighbours in each other's place. The time it takes is bounded.
    """
    if len(name) > NAME_LENGTH_MAX:
        return None
    wanted = _normalized(name)
    most = 1 if len(wanted) <= _ONE_EDIT_LENGTH_MAX else _EDITS_MAX
    likely: dict[str, str] = {}
    for candidate in islice(known, KNOWN_MAX):
        normalized = _normalized(candidate)
        longer = len(normalized) - len(wanted)
        if normalized and (abs(longer) <= most or (longer > 0 and _is_abbreviation(wanted, normalized))):
            likely.setdefault(normalized, candidate)
    compared = list(likely)
    if len(compared) > COMPARED_MAX:
        compared = nlargest(COMPARED_MAX, compared, key=lambda each: _ends_alike(wanted, each))
    distances = ((_distance(wanted, each), -_ends_alike(wanted, each), each) for each in compared)
    close = [found for found in distances if found[0] <= most and _is_mostly_the_same(wanted, found[2], found[0])]
    meant = min(close)[2] if close else next((each for each in compared if _is_abbreviation(wanted, each)), None)
    return None if meant is None else likely[meant]


def _is_mostly_the_same(wanted: str, other: str, edits: int) -> bool:
    """Return whether more than half of the letters stay. Of two letters, one may be too many or too few, or both may be in the
    other order, but none may be another.
    """
    if 2 * edits < len(wanted):
        return True
    return edits < len(wanted) and (len(wanted) != len(other) or sorted(wanted) == sorted(other))


def _is_abbreviation(short: str, long: str) -> bool:
    """Return whether letters were left out inside of a name, at most half of them."""
    if not _ABBREVIATION_MIN <= len(short) < len(long) <= 2 * len(short) or (short[0], short[-1]) != (
        long[0],
        long[-1],
    ):
        return False
    rest = iter(long)
    return all(letter in rest for letter in short)


def _normalized(name: str) -> str:
    return name.lower().translate(_SEPARATORS)


def _distance(one: str, other: str) -> int:
    """Return the edit distance, where swapping two neighbours is one edit."""
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, mine in enumerate(one, 1):
        current = [row]
        for column, its in enumerate(other, 1):
            cost = min(above[column] + 1, current[-1] + 1, above[column - 1] + (mine != its))
            if row > 1 and column > 1 and mine == other[column - 2] and its == one[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            current.append(cost)
        before, above = above, current
    return above[-1]


def _ends_alike(one: str, other: str) -> int:
    """Return how many characters at both ends are the same: few typing errors are at both."""
    return _begin_alike(one, other) + _begin_alike(one[::-1], other[::-1])


def _begin_alike(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))
