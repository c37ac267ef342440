"""Names of a document, read from somewhere else: `user.name` as `vars.user.name`, where the roots are variables.

The source is read first, so that only names are touched: not properties, not keys, not parameters of functions, not texts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from perdure.expressions import tree as t
from perdure.expressions.numbers import SPACE
from perdure.expressions.ready import ready
from perdure.expressions.walk import children, free_names


def under(source: str, root: str, keep: Collection[str] = ()) -> str:
    """The source with each free name as a property of `root`, but for those in `keep`; `now`, `nowMs` and `secrets` stay what
    they are. Raises `InvalidExpression` for what is not in the language.
    """
    node = ready(source).node
    short = {name.at for name in _short(node, source)}
    pieces: list[str] = []
    at = 0
    for place, name in sorted({(name.at, name.name) for name in free_names(node) if name.name not in keep}):
        pieces.append(source[at:place])
        pieces.append(f"{name}: {root}.{name}" if place in short else f"{root}.{name}")
        at = place + len(name)
    return "".join((*pieces, source[at:]))


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
