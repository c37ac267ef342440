"""Whose executions are: the organization of each that something is called for. It never changes, so it is asked once."""

from __future__ import annotations

from typing import Final

from perdure.hosts.patient import Read, patiently
from perdure.store.questions import Questions

KNOWN_MAX: Final = 10_000


class Owners:
    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: dict[str, str] = {}

    async def organization(self, execution: str) -> str:
        known = self._known.pop(execution, None)
        if known is None:
            known = await patiently(self._read, lambda store: _organization(store, execution), "executions")
        self._known[execution] = known  # the last that was asked for is the last to be forgotten
        if len(self._known) > KNOWN_MAX:
            del self._known[next(iter(self._known))]
        return known


def _organization(store: Questions, execution: str) -> str:
    record = store.record(execution)
    assert record is not None, "what is performed has been committed"
    return record.organization
