"""Pipes, rewritten so that JavaScript's grammar reads them: `x|join(", ")` becomes a call of a method with a name that nobody
can write. So a pipe binds like a method call, tighter than every operator.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from msgspec import Struct

MARK = "\u01c0"
"""A letter, so that the grammar takes it for the beginning of a name. A source that has it already is refused."""

_TOKEN = re.compile(
    r"""
      '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*"      # text
    | \|\| | \|= | &&                                 # not pipes
    | \|\s*(?P<pipe>[A-Za-z_$][\w$]*)(?P<call>\s*\()?
    | (?P<open>`) | (?P<brace>[{}]) | \$\{
    """,
    re.VERBOSE | re.DOTALL,
)


class Rewritten(Struct, frozen=True):
    """The source with its pipes as calls, and how to find a place of the original again."""

    source: str
    shifts: tuple[tuple[int, int], ...]
    """(place in the rewritten source, how far it is moved from there on)"""

    def place(self, at: int) -> int:
        """The place in the original source."""
        found = bisect_right(self.shifts, (at, 1 << 60)) - 1
        return at if found < 0 else max(at - self.shifts[found][1], 0)


def rewrite(source: str) -> Rewritten:
    """In one pass over the source, which knows texts and template literals."""
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    length = at = moved = 0
    inside: list[str] = []  # "`" in the text of a template literal, "{" in braces within one
    while at < len(source):
        if inside and inside[-1] == "`":
            end = _end_of_template_text(source, at)
            parts.append(source[at:end])
            length += end - at
            if source.startswith("${", end):
                inside.append("{")
                parts.append("${")
                length, end = length + 2, end + 2
            elif source.startswith("`", end):
                inside.pop()
                parts.append("`")
                length, end = length + 1, end + 1
            at = end
            continue
        found = _TOKEN.search(source, at)
        if found is None:
            parts.append(source[at:])
            break
        parts.append(source[at : found.start()])
        length += found.start() - at
        text = found.group()
        if found["pipe"]:
            text = f" .{MARK}{found['pipe']}" + ("(" if found["call"] else "()")
        elif found["open"]:
            inside.append("`")
        elif inside and text == "{":
            inside.append("{")
        elif inside and text == "}":
            inside.pop()
        parts.append(text)
        length += len(text)
        at = found.end()
        if len(text) != at - found.start():
            moved += len(text) - (at - found.start())
            shifts.append((length, moved))
    return Rewritten("".join(parts), tuple(shifts))


_TEMPLATE_TEXT = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)


def _end_of_template_text(source: str, at: int) -> int:
    found = _TEMPLATE_TEXT.match(source, at)
    assert found is not None, "it fits nothing, too"
    end = found.end()
    return end if end > at or source[end : end + 1] in ("`", "$") else end + 1
