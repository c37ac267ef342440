"""Names that a scope does not have: `step.fetch` where `steps.fetch` is meant. Said when a document is saved."""

from __future__ import annotations

from collections.abc import Collection

from perdure.errors import InvalidExpression
from perdure.expressions.ready import ready
from perdure.expressions.scanner import Form
from perdure.expressions.templates import look_at
from perdure.expressions.tokens import problem_at
from perdure.expressions.walk import free_names
from perdure.expressions.wording import near, nearest
from perdure.model.problem import Problem
from perdure.model.values import Json


def unknown_roots(given: Json, form: Form, known: Collection[str], *, only_near: bool = False) -> list[Problem]:
    """A problem for each name that an expression in the document reads and nobody gives it, with its path and place.

    `only_near`: the scope may hold other names, too, so that only those are suspicious that are nearly known.
    """

    def look(source: str) -> list[Problem]:
        try:
            names = list(free_names(ready(source).node))
        except InvalidExpression:  # which is told by `value_of`
            return []
        unknown = {name.name: name.at for name in reversed(names) if name.name not in known}
        if only_near:
            unknown = {name: at for name, at in unknown.items() if near(name, known) is not None}
        return [
            problem_at(source, at, f"there is no {name!r} here{nearest(name, known)}", type_="unknown_name")
            for name, at in sorted(unknown.items(), key=lambda found: found[1])
        ]

    return look_at(given, form, look)
