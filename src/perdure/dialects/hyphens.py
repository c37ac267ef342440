"""Ids with hyphens that are written as bare names: `fetch-users` is a subtraction in expressions, and mostly comes to nothing."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from perdure.expressions import tree as t
from perdure.expressions.tokens import NAME
from perdure.expressions.walk import free_names
from perdure.expressions.wording import shown

_HYPHENS_MAX: Final = 20
_HYPHENATED: Final = re.compile(rf"{NAME}(?:-[\w$]+){{1,{_HYPHENS_MAX}}}")


def subtracted_ids(
    source: str, node: t.Node, ids: Container[str], known: Container[str]
) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the ids that subtractions spell, and the names that are only read as parts of them. What is a subtraction of `known`
    names and numbers is meant as one.
    """
    found: dict[str, None] = {}
    inside: set[str] = set()
    outside: set[str] = set()
    end = 0
    for name in sorted(free_names(node), key=lambda name: name.at):
        id_ = _id_at(source, name, ids, known) if name.at >= end else None
        if id_ is not None:
            found[id_] = None
            end = name.at + len(id_)
        (inside if name.at < end else outside).add(name.name)
    return tuple(found), frozenset(inside - outside)


def _id_at(source: str, name: t.Name, ids: Container[str], known: Container[str]) -> str | None:
    """The longest id that begins with a name in the source."""
    match = _HYPHENATED.match(source, name.at)
    if match is None or not match[0].startswith(f"{name.name}-"):
        return None
    parts = match[0].split("-")
    candidates = (parts[:count] for count in range(len(parts), 1, -1))
    spelled = next((found for found in candidates if "-".join(found) in ids), None)
    if spelled is None or all(part in known or part[0].isdigit() for part in spelled):
        return None
    return "-".join(spelled)


def misread(id_: str, what: str) -> str:
    """The beginning of a message about such an id."""
    return f"{shown(id_)} is {what}, and is read as a subtraction here, {shown(' - '.join(id_.split('-')))}"
