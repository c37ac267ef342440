"""Secrets: `secrets.NAME` alone, or joined to text. The text has `***` where a secret belongs; which one that is stands beside.

What comes from users is text between such places, and cannot forge one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeAlias

from perdure.errors import InvalidExpression
from perdure.expressions import convert, texts
from perdure.expressions import tree as t
from perdure.expressions.closures import compute
from perdure.expressions.protocol import Scope
from perdure.expressions.tokens import problem_at
from perdure.expressions.walk import children, path_of
from perdure.model.values import Json

MASK = "***"
Parts: TypeAlias = list[Json]
"""Texts, and `{"secret": name}` between them."""

_MISUSED = "a secret can stand alone, or be joined to text with + or in a template; it cannot be compared, changed or looked into"


def mention(node: t.Argument) -> t.Name | None:
    """The first place where a secret is mentioned."""
    if isinstance(node, t.Name):
        return node if node.name == "secrets" else None
    return next((found for child in children(node) if (found := mention(child)) is not None), None)


def sealing(source: str, node: t.Node) -> Callable[[Scope], Parts] | None:
    """The parts of a text that has secrets in it. None: it has none. Raises `InvalidExpression` where one is misused."""
    if mention(node) is None:
        return None
    parts = list(_concatenated(node))
    for part in parts:
        found = None if isinstance(part, str) else mention(part)
        if found is not None:
            raise InvalidExpression(source, (problem_at(source, found.at, _MISUSED, type_="secret_misused"),))
    pieces = [{"secret": part} if isinstance(part, str) else compute(part) for part in parts]
    return lambda scope: merged(
        piece if isinstance(piece, dict) else convert.to_text(piece(scope))  # as + has it: null is "null"
        for piece in pieces
    )


def _concatenated(node: t.Node) -> Iterator[str | t.Node]:
    """What is joined: the names of secrets, and the rest."""
    match node, path_of(node):
        case _, ("secrets", name):
            yield name
        case t.Binary(operator="+", left=left, right=right), _ if mention(node) is not None:
            yield from _concatenated(left)
            yield from _concatenated(right)
        case t.TextOf(parts=parts), _:
            for part in parts:
                yield from _concatenated(part)
        case _:
            yield node


def merged(parts: Iterable[Json]) -> Parts:
    """Neighbouring texts become one, such that every database stores it."""
    found: Parts = []
    for is_secret, group in groupby(parts, lambda part: isinstance(part, dict)):
        same = list(group)
        found.extend(same if is_secret else [texts.storable(texts.joined("", same))])
    return found


def masked(parts: Parts) -> str:
    return texts.joined("", (MASK if isinstance(part, dict) else part for part in parts))
