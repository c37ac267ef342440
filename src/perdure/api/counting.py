"""How many requests there were, and how long they took: by the route that answered, never by the path that was asked for.

Whoever asks for paths that there are not, or by methods that nobody knows, adds to one number: what is counted here is as much
as there are routes, whatever is sent.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from starlette.types import Scope

from perdure.runtime.counts import Spread

SECONDS: Final = (0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
OTHER: Final = "other"


class Requests:
    """Of one application."""

    def __init__(self) -> None:
        self.answered: Counter[tuple[str, str, int]] = Counter()
        """By route, method and status. 0: whoever asked was gone before there was an answer."""
        self.seconds: dict[tuple[str, str], Spread] = {}
        """By route and method."""
        self.open = 0

    def count(self, route: str, method: str, status: int, seconds: float) -> None:
        method = method if method in METHODS else OTHER
        self.answered[route, method, status] += 1
        spread = self.seconds.get((route, method))
        if spread is None:
            spread = self.seconds[route, method] = Spread(SECONDS)
        spread.add(seconds)


def route_of(scope: Scope) -> str:
    """The template of the route that answers: what stands in the path itself may be a secret, or anything at all."""
    found: str | None = getattr(scope.get("route"), "path", None)
    return OTHER if found is None else found
