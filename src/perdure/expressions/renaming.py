"""Names of a document, read from somewhere else: `user.name` as `vars.user.name`, where the roots are variables.

The source is read first, so that only names are touched: not properties, not keys, not parameters of functions, not texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from perdure.expressions import tree as t
from perdure.expressions.numbers import SPACE
from perdure.expressions.protocol import Path
from perdure.expressions.ready import ready
from perdure.expressions.tokens import NAME
from perdure.expressions.walk import children, free_names

Instead: TypeAlias = tuple[int, str]
"""How many parts of a path are read from somewhere else, and from where: (2, "input") for `workflow.input.order`."""

_FURTHER = re.compile(
    rf"""[{SPACE}]*(?:(?:\?\.|\.)[{SPACE}]*({NAME})|(?:\?\.)?\[[{SPACE}]*(?:'([^'\\]*)'|"([^"\\]*)")[{SPACE}]*\])"""
)


def under(source: str, root: str) -> str:
    """The source with each free name as a property of `root`; `now`, `nowMs` and `secrets` stay what they are. Raises
    `InvalidExpression` for what is not in the language.
    """
    return rewritten(source, lambda path: (1, f"{root}.{path[0]}"))


def rewritten(source: str, instead: Callable[[Path], Instead | None]) -> str:
    """The source with what `instead` says in place of each path that begins with a free name, or of as much of it as it says;
    None leaves it. What comes in its place is one operand. Raises `InvalidExpression` for what is not in the language.
    """
    node = ready(source).node
    short = {name.at for name in _short(node, source)}
    pieces: list[str] = []
    at = 0
    for place, name in sorted({(name.at, name.name) for name in free_names(node)}):
        path, ends = _path(source, place, name)
        found = instead(path)
        if found is None:
            continue
        count, read = found
        pieces.append(source[at:place])
        pieces.append(f"{name}: {read}" if place in short else read)
        at = ends[count - 1]
    return "".join((*pieces, source[at:]))


def _path(source: str, place: int, name: str) -> tuple[Path, list[int]]:
    """The path that begins with a name, as far as it is plain, and where each part of it ends."""
    parts, ends = [name], [place + len(name)]
    while (found := _FURTHER.match(source, ends[-1])) is not None:
        parts.append(next(part for part in found.groups() if part is not None))
        ends.append(found.end())
    return tuple(parts), ends


def _short(node: t.Argument, source: str) -> Iterator[t.Name]:
    """The names that stand for a key and its value: `{user}`."""
    if isinstance(node, t.ObjectOf):
        for entry in node.entries:
            match entry:
                case (t.Literal(value=key), t.Name(name=name, at=at) as found) if key == name:
                    if source[:at].rstrip(SPACE).endswith(("{", ",")):
                        yield found
                case _:
                    pass
    for child in children(node):
        yield from _short(child, source)
