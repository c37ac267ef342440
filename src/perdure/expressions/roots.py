"""Names that a scope does not have: `step.fetch` where `steps.fetch` is meant. Said when a document is saved."""

from __future__ import annotations

import re
from collections.abc import Collection
from difflib import get_close_matches

from perdure.expressions.language import ready
from perdure.expressions.tokens import problem_at
from perdure.expressions.wording import nearest
from perdure.model.problem import Problem
from perdure.model.values import Value, sources


def unknown_roots(value: Value, known: Collection[str], *, only_near: bool = False) -> list[Problem]:
    """A problem for each name that an expression reads and nobody gives it.

    `only_near`: the scope may hold other names, too, so that only those are suspicious that are nearly known.
    """
    found: list[Problem] = []
    for source in dict.fromkeys(sources(value)):
        for root in sorted({path[0] for path in ready(source).reads} - {"now"} - set(known)):
            if only_near and not get_close_matches(root, list(known), 1, NEAR):
                continue
            place = re.search(rf"(?:(?<=\.\.\.)|(?<![\w$.'\"])){re.escape(root)}(?![\w$])", source)
            assert place is not None, (root, source)
            message = f"there is no {root!r} here{nearest(root, known)}"
            found.append(problem_at(source, place.start(), message))
    return found


NEAR = 0.75
"""How alike two names are that may be meant for each other: `step` and `steps`, but not `item` and `input`."""
