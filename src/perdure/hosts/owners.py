"""Whose an execution is, for calls that are counted by organization. That never changes, so it is asked once."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from perdure.hosts.reading import Read, asked
from perdure.store.questions import Questions

KEPT_MAX: Final = 10_000


class Owners:
    """Knows those that were asked for last."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._known: OrderedDict[str, str] = OrderedDict()

    async def organization(self, execution: str) -> str:
        known = self._known.get(execution)
        if known is None:
            known = await asked(self._read, "whose an execution is", lambda store: _organization(store, execution))
            if len(self._known) >= KEPT_MAX:
                self._known.popitem(last=False)
            self._known[execution] = known
        else:
            self._known.move_to_end(execution)
        return known

    def forget(self) -> None:
        """Another database may be opened next."""
        self._known.clear()


def _organization(store: Questions, execution: str) -> str:
    record = store.record(execution)
    assert record is not None, "what is performed has been committed"
    return record.organization
