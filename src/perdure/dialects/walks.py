"""Going through a document along the ways that it leads, without recursion: what is reached, and where it comes round again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

After: TypeAlias = Callable[[str], Iterable[str]]
"""What a place leads to."""


def reached(begin: Iterable[str], after: After) -> set[str]:
    found: set[str] = set()
    ahead = list(begin)
    while ahead:
        place = ahead.pop()
        if place not in found:
            found.add(place)
            ahead.extend(after(place))
    return found


def cycles(begin: Iterable[str], after: After) -> Iterator[tuple[str, ...]]:
    """Depth first: a way back into the path that led to it closes a cycle. Each way is looked at once."""
    found: set[str] = set()
    for root in begin:
        if root in found:
            continue
        found.add(root)
        path, on_path = [root], {root: 0}
        ahead = [iter(after(root))]
        while path:
            target = next(ahead[-1], None)
            if target is None:
                del on_path[path.pop()]
                ahead.pop()
            elif target in on_path:
                yield (*path[on_path[target] :], target)
            elif target not in found:
                found.add(target)
                on_path[target] = len(path)
                path.append(target)
                ahead.append(iter(after(target)))
