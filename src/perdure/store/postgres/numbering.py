"""Transaction numbers after a restore into another server.

Positions in the history, of events and in inboxes begin with the number of their transaction, and each execution keeps a snapshot
of the numbers before it. Each server counts its transactions from the beginning. In a database that was restored into a younger
server, new positions would lie before the stored ones, and new events would look older than the executions that wait for them. So
a shift is added to all numbers of the server, and stored in the functions that return them.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import psycopg

from perdure.store.sql.statements import queries

MARGIN: Final = 1_000_000
"""Distance from the newest stored number: snapshots may have seen later transactions that stored nothing."""

_log = logging.getLogger(__name__)


def continue_numbers(connection: psycopg.Connection[Any]) -> bool:
    """Return whether the numbers of this server had to be shifted. Nothing else may write meanwhile, as while migrating."""
    texts = queries("perdure.store.postgres", "numbering.sql")
    (newest,) = _row(connection, texts["newest"])
    current, shift = _row(connection, texts["current"])
    if newest is None or newest < current:
        return False
    shift += newest - current + MARGIN
    for name in ("base_place", "horizon", "seen_now"):
        connection.execute(texts[name].format(shift=shift).encode())
    _log.warning(
        "the database was restored from another server: its transaction numbers continue with a shift of %s", shift
    )
    return True


def _row(connection: psycopg.Connection[Any], query: str) -> tuple[Any, ...]:
    row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return tuple(row)
