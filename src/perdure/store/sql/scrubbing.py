"""Rewriting the trigger data of stored executions, in batches.

Trigger data stands in the first fact of an execution, and before it begins in its row. State refers to it by the number of the
fact, and no hash covers it, so that it can be rewritten in place.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import msgspec

from perdure.store.port import Scrub, Scrubbed
from perdure.store.sql.rows import PIECE_MAX
from perdure.store.sql.statements import Statements

FIELD = "trigger_data"


class Scrubbing:
    """`transaction` begins one, `sql` reads and writes in it."""

    def __init__(
        self, sql: Statements, transaction: Callable[[], AbstractContextManager[object]], scrub: Scrub
    ) -> None:
        self._sql, self._transaction, self._scrub = sql, transaction, scrub

    def batch(self, after: int, limit: int, *, write: bool) -> Scrubbed:
        """Rewrite the trigger data of the next `limit` executions after `after`. Without `write`, only count."""
        with self._transaction():
            rows = self._sql.all("starts_after", (after, limit))
            changed = sum(self._rewrite(*row, write=write) for row in rows)
        return Scrubbed(rows[-1][0] if rows else after, len(rows), changed)

    def _rewrite(self, eid: int, parts: int | None, data: str | None, start: str | None, *, write: bool) -> bool:
        """Return whether there was something to remove."""
        before = "".join(piece for (piece,) in self._sql.all("pieces_of_first", (eid,))) if parts else data
        fact, waiting = self._scrubbed(before), self._scrubbed(start)
        if write and fact is not None:
            self._replace_first(eid, fact, had_pieces=bool(parts))
        if write and waiting is not None:
            self._sql.run("rewrite_start", (waiting, eid, start))
        return fact is not None or waiting is not None

    def _replace_first(self, eid: int, fact: str, *, had_pieces: bool) -> None:
        pieces = [] if len(fact) <= PIECE_MAX else [fact[at : at + PIECE_MAX] for at in range(0, len(fact), PIECE_MAX)]
        if had_pieces:
            self._sql.run("remove_pieces_of_first", (eid,))
        for number, piece in enumerate(pieces):
            self._sql.run("add_piece_of_first", (eid, number, piece))
        self._sql.run("rewrite_first", ("" if pieces else fact, len(pieces), eid))

    def _scrubbed(self, text: str | None) -> str | None:
        """Return the JSON without what has to go; None, if it stays as it is or cannot be read."""
        if not text or f'"{FIELD}"' not in text:
            return None
        try:
            value: Any = msgspec.json.decode(text)
        except msgspec.DecodeError:
            return None
        found = value.get(FIELD) if isinstance(value, dict) else None
        scrubbed = self._scrub(found) if isinstance(found, dict) else None
        return None if scrubbed is None else msgspec.json.encode({**value, FIELD: scrubbed}).decode()
