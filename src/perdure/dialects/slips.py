"""Names that are most likely one another, misspelt."""

from __future__ import annotations

from typing import Final

_SHORT: Final = 4
"""Of shorter names, two that differ in one letter are mostly two names."""


def is_a_slip(one: str, other: str) -> bool:
    """One letter more, less or another, or two of them in each other's place. `item` and `items`, `price1` and `price2` are two
    names.
    """
    if min(len(one), len(other)) < _SHORT or one == other:
        return False
    if one.lower() == other.lower():
        return True
    begin = next((at for at, (mine, its) in enumerate(zip(one, other, strict=False)) if mine != its), None)
    if begin is None:  # the one is how the other begins: a slip only if its last letter was typed twice
        longer, shorter = (one, other) if len(one) > len(other) else (other, one)
        return longer == shorter + shorter[-1]
    mine, its = one[begin:], other[begin:]
    if mine[0].isdigit() and its[0].isdigit():
        return False
    swapped = mine[:2] == its[:2][::-1] and mine[2:] == its[2:]
    return swapped or mine[1:] == its[1:] or mine[1:] == its or mine == its[1:]
