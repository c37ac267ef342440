"""What anybody waits for, or is started by, as far as this connection knows. It is asked of every event, and seldom changes."""

from __future__ import annotations

from perdure.core.patterns import matches
from perdure.store.sqlite.statements import SqliteStatements

REMEMBERED_MAX = 1_000
"""Where more is waited for, in all organizations that were asked for, it is read anew in each transaction."""


class Awaited:
    """Keeps the contract of `store.sql.commits.Awaited`. It may know more than there is, which only costs a look; never less."""

    def __init__(self, statements: SqliteStatements) -> None:
        self._sql = statements
        self._patterns: dict[str, list[str]] = {}
        """By organization, those that stand for several types, and those that start something."""
        self._types: dict[tuple[str, str], bool] = {}
        """Whether such an event is waited for by its very type."""
        self._version = -1
        self._is_fresh = False

    def begin(self) -> None:
        """A transaction has begun: another process may have written before it."""
        self._is_fresh = False
        if sum(map(len, self._patterns.values()), len(self._patterns) + len(self._types)) > REMEMBERED_MAX:
            self.forget()

    def forget(self) -> None:
        """Something is waited for that was not."""
        self._patterns.clear()
        self._types.clear()

    def concerns_anybody(self, organization: str, event_type: str) -> bool:
        """Most events concern nobody: executions tell of themselves. Those need not be routed; who waits later looks back."""
        if not self._is_fresh:
            self._refresh()
        patterns = self._patterns.get(organization)
        if patterns is None:
            waited = self._sql.all("wild_patterns", {"organization": organization})
            started = self._sql.all("subscribed_patterns", (organization,))
            patterns = self._patterns[organization] = [pattern for (pattern,) in (*waited, *started)]
        if any(matches(pattern, event_type) for pattern in patterns):
            return True
        return self._is_awaited(organization, event_type)

    def _is_awaited(self, organization: str, event_type: str) -> bool:
        """By those who wait for this very type: there may be as many types as executions, so that one at a time is asked for."""
        key = (organization, event_type)
        if key not in self._types:
            self._types[key] = self._sql.one("is_awaited", key) is not None
        return self._types[key]

    def _refresh(self) -> None:
        version = int(self._sql.connection.pragma("data_version"))
        if version != self._version:
            self._version = version
            self.forget()
        self._is_fresh = True
