"""Refs: `@fetch.items[0].id` in a text, as phases has them. Found here, and written as expressions.

A text that is exactly one ref is its value; in a longer text it is rendered, and one that leads nowhere stays as it is
written, so that e-mail addresses survive. `@@x` is the text `@x`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec
from msgspec import Struct

Segment: TypeAlias = str | int

_REF = re.compile(r"@@|@([A-Za-z_][\w-]*)((?:\.[A-Za-z_$][\w$-]*|\.\d+|\[\d+\])*)")
_SEGMENT = re.compile(r"\.(\d+)|\.([^.\[]+)|\[(\d+)\]")


class Ref(Struct, frozen=True):
    """`@name` and where it leads from there. `text` is how it is written, `at` where it stands."""

    name: str
    path: tuple[Segment, ...]
    text: str
    at: int = 0


def refs_in(text: str) -> list[str | Ref]:
    """The pieces of a text: what stands there, and refs."""
    parts: list[str | Ref] = []
    literal: list[str] = []
    at = 0
    for found in _REF.finditer(text):
        literal.append(text[at : found.start()])
        at = found.end()
        if found.group() == "@@":
            literal.append("@")
            continue
        if any(literal):
            parts.append("".join(literal))
        literal.clear()
        # A hyphen or a point at the end belongs to the sentence, not to the ref.
        written = found.group().rstrip("-")
        at = found.start() + len(written)
        path = tuple(_segment(piece) for piece in _SEGMENT.finditer(written[1 + len(found[1]) :]))
        name = found[1] if path or found[2] else written[1:]
        parts.append(Ref(name, path, written, found.start()))
    literal.append(text[at:])
    if any(literal):
        parts.append("".join(literal))
    return parts


def _segment(found: re.Match[str]) -> Segment:
    number = found[1] or found[3]
    return int(number) if number is not None else found[2]


def source(root: str, path: tuple[Segment, ...]) -> str:
    """The expression that reads a path of a root. `root` is itself an expression; the path is data, and quoted."""
    return root + "".join(f"[{_quoted(segment)}]" for segment in path)


def or_as_written(expression: str, text: str) -> str:
    """The expression, or if it is undefined the text as it was written."""
    return f"({expression}) === undefined ? {_quoted(text)} : ({expression})"


def _quoted(segment: Segment) -> str:
    return str(segment) if isinstance(segment, int) else msgspec.json.encode(segment).decode()
