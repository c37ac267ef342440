"""What values an execution sees, from a token or at its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from perdure.errors import EvaluationError
from perdure.expressions.language import compile_value
from perdure.expressions.protocol import truthy
from perdure.model import steps as m
from perdure.model.failure import Category
from perdure.model.values import Json, Value
from perdure.testing.reference.paths import around, variables
from perdure.testing.reference.work import broken


class Sight:
    def __init__(self, given: Json) -> None:
        self.given, self.now = given, 1_000_000
        self.vars: dict[str, Any] = {}
        self.outcomes: dict[str, Any] = {}
        """The last of each step."""
        self.completed: dict[str, Json] = {}
        """The output of each step that ever completed, the last of them last."""

    def value(self, value: Value, token: Any = None, **extra: Json) -> Any:
        """As seen from a token, or at the end."""
        compiled, came = compile_value(value), token.came if token else []
        scope: dict[str, Any] = {"input": self.given, "steps": self.outcomes, "now": self.now, "came": came}
        scope |= {"vars": variables(token or self)}
        for last in (came if token else [*self.completed])[-1:]:
            scope["last"] = {"step": last, **self.outcomes[last]}
        for loop in around(token and token.loop)[:1]:
            scope["loop"] = loop.seen()
        scope |= {"index": token.item, "item": token.whole.items[token.item]} if token and token.whole else {}
        if "local" not in extra and token and token.step.locals and any(path[0] == "local" for path in compiled.reads):
            extra["local"] = self.value(token.step.locals, token, **extra, local={})
        return compiled.evaluate(scope | extra)

    def items(self, value: Value, token: Any, most: float) -> Any:
        if not isinstance(found := self.value(value, token), list):
            raise broken("NOT_AN_ARRAY")
        if len(found) > most:
            raise broken("LIMIT", Category.PERMANENT)
        return found

    def holds(self, condition: Value | None, token: Any, **extra: Json) -> bool:
        """A condition that cannot be computed is false."""
        try:
            return condition is None or truthy(self.value(condition, token, **extra))
        except EvaluationError:
            return False

    def chosen(self, routes: Sequence[m.Route], token: Any, ports: Sequence[Json], **extra: Json) -> Any:
        fits = (route for route in routes if route.port in (None, *ports) and self.holds(route.when, token, **extra))
        return next((route.to for route in fits), None)
