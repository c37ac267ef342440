"""Where in a JSON text something stands: the offset of what a pointer leads to. The text has been read already, and is JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from perdure.expressions.wording import pointer

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}:,]|[^\s"\[\]{}:,]+', re.DOTALL)


class Place(Struct, frozen=True):
    """A value of a text: the pointer to it, and where it begins; of a property, where its key does.

    again: its key has stood in the same object before
    """

    pointer: str
    offset: int
    again: bool = False


class _Inside(Struct):
    """An array or an object that has not come to its end."""

    pointer: str
    is_array: bool
    keys: set[str]
    count: int = 0
    key: Place | None = None


def places(text: str) -> Iterator[Place]:
    """Every value of a text, in order. It does not recurse, so that how deep it is does not matter."""
    stack: list[_Inside] = []
    for token in _TOKEN.finditer(text):
        sign, offset = token.group(), token.start()
        inside = stack[-1] if stack else None
        if sign in {"]", "}"}:
            stack.pop()
        elif sign == "," and inside is not None:
            inside.count += 1
            inside.key = None
        elif sign == ":":
            continue
        elif inside is not None and not inside.is_array and inside.key is None:
            inside.key = _key(inside, sign, offset)
        else:
            place = _place(inside, offset)
            yield place
            if sign in {"[", "{"}:
                stack.append(_Inside(place.pointer, sign == "[", set()))


def _key(inside: _Inside, sign: str, offset: int) -> Place:
    key: str = json.loads(sign)
    again = key in inside.keys
    inside.keys.add(key)
    return Place(f"{inside.pointer}/{pointer(key)}", offset, again)


def _place(inside: _Inside | None, offset: int) -> Place:
    if inside is None:
        return Place("", offset)
    if inside.key is not None:
        return inside.key
    return Place(f"{inside.pointer}/{inside.count}", offset)


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Both count from 1."""
    return lines_and_columns(text, (offset,))[offset]


def lines_and_columns(text: str, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Those of all offsets, going through the text once."""
    found = {}
    line, begin, before = 1, 0, 0
    for offset in sorted(offsets):
        line += text.count("\n", before, offset)
        begin = max(begin, text.rfind("\n", before, offset) + 1)
        before = offset
        found[offset] = line, offset - begin + 1
    return found
