"""Who is next: organizations take turns, and none has all the children.

So an organization whose transforms take all the time they may have can keep others waiting for a child, but not for good: one is
always left for somebody else, and whoever comes first is served before those who come again.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Generic, Protocol, TypeVar


class Call(Protocol):
    @property
    def organization(self) -> str: ...


C = TypeVar("C", bound=Call)


class Turns(Generic[C]):
    """Calls that wait, and how many run of each organization. `most`: so many of one at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._waiting: dict[str, deque[C]] = {}
        """By organization, the one whose turn it is first."""
        self._running: Counter[str] = Counter()

    def add(self, call: C) -> None:
        self._waiting.setdefault(call.organization, deque()).append(call)

    def add_first(self, call: C) -> None:
        """It has had its turn, and nothing came of it."""
        calls = self._waiting.pop(call.organization, deque())
        calls.appendleft(call)
        self._waiting = {call.organization: calls, **self._waiting}

    def remove(self, call: C) -> None:
        """Nobody waits for it any more."""
        calls = self._waiting[call.organization]
        calls.remove(call)
        if not calls:
            del self._waiting[call.organization]

    @property
    def startable(self) -> int:
        """So many could run now, if there were children."""
        return sum(min(len(calls), self._most - self._running[each]) for each, calls in self._waiting.items())

    def next(self) -> C | None:
        """The call that runs now, which is counted until it has `ended`; None: nobody, or only who has enough."""
        for organization, calls in self._waiting.items():
            if self._running[organization] < self._most:
                del self._waiting[organization]
                call = calls.popleft()
                if calls:
                    self._waiting[organization] = calls  # behind all others
                self._running[organization] += 1
                return call
        return None

    def ended(self, call: C) -> None:
        self._running[call.organization] -= 1
        if not self._running[call.organization]:
            del self._running[call.organization]

    def clear(self) -> list[C]:
        """All that waited."""
        calls = [call for each in self._waiting.values() for call in each]
        self._waiting.clear()
        return calls
