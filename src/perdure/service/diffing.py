"""What differs between two JSON values: where, and how. Paths are JSON pointers into the author's own document.

Objects in an array that say their `id`, all of them and each another, are compared by that: what has moved has not changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from perdure.expressions.wording import pointer
from perdure.model.values import Json


class Change(Struct, frozen=True):
    """`path` leads into the newer document; of what was removed, into the older."""

    path: str
    kind: Literal["added", "removed", "changed"]
    old: Json = None
    new: Json = None


def differences(old: Json, new: Json, path: str = "") -> Iterator[Change]:
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _objects(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _arrays(old, new, path)
    elif not _same(old, new):
        yield Change(path, "changed", old, new)


def _objects(old: dict[str, Json], new: dict[str, Json], path: str) -> Iterator[Change]:
    for key in (*old, *(key for key in new if key not in old)):
        inside = f"{path}/{pointer(key)}"
        if key not in new:
            yield Change(inside, "removed", old=old[key])
        elif key not in old:
            yield Change(inside, "added", new=new[key])
        else:
            yield from differences(old[key], new[key], inside)


def _arrays(old: list[Json], new: list[Json], path: str) -> Iterator[Change]:
    before, after = _by_id(old), _by_id(new)
    if before is not None and after is not None and (before or after):
        for name, number in before.items():
            if name not in after:
                yield Change(f"{path}/{number}", "removed", old=old[number])
        for name, number in after.items():
            if name not in before:
                yield Change(f"{path}/{number}", "added", new=new[number])
            else:
                yield from differences(old[before[name]], new[number], f"{path}/{number}")
        return
    for number in range(max(len(old), len(new))):
        inside = f"{path}/{number}"
        if number >= len(new):
            yield Change(inside, "removed", old=old[number])
        elif number >= len(old):
            yield Change(inside, "added", new=new[number])
        else:
            yield from differences(old[number], new[number], inside)


def _by_id(items: list[Json]) -> dict[str, int] | None:
    """Where each is, if all have an id of their own."""
    ids = [item.get("id") if isinstance(item, dict) else None for item in items]
    if not all(isinstance(one, str) for one in ids) or len(set(ids)) != len(ids):
        return None
    return {str(one): number for number, one in enumerate(ids)}


def _same(old: Json, new: Json) -> bool:
    """True is 1 to Python, and not to JSON."""
    return old == new and isinstance(old, bool) == isinstance(new, bool)
