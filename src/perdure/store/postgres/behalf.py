"""What is said on behalf of one organization: in a transaction that has taken on a role which sees nobody else's rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg

from perdure.store.postgres.database import Connected
from perdure.store.postgres.saying import Said, say

BEGIN = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"

NARROWED = "SELECT set_config('perdure.organization', $1, true), set_config('role', $2, true)"
"""Until the end of the transaction, however it ends: a connection never keeps it."""

SAID_BY = "\n-- on behalf of one organization"
"""The server plans a statement anew whenever another role says it. So this role has its own, and they can be told apart."""


class OnBehalf:
    """Keeps the contract of `saying.Line`, within `of`. It is never said on another connection than the one that has the role: a
    connection that is lost is not made anew here.
    """

    def __init__(self, connected: Connected) -> None:
        self._connected = connected
        self._connection: psycopg.Connection[Any] | None = None
        self._before: list[Said] = []
        """What is said with the first question: the server is waited for once."""

    @contextmanager
    def of(self, role: str, organization: str) -> Iterator[None]:
        """All that is asked within is answered of one moment."""
        connection = self._connection = self._connected()
        self._before = [(BEGIN, ()), (NARROWED, (organization, role))]
        try:
            yield
            if not self._before:
                connection.execute("COMMIT")
        except BaseException:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        finally:
            self._connection = None

    def tell(self, statement: Said) -> None:
        self.ask(statement)

    def ask(self, *statements: Said) -> list[psycopg.Cursor[Any]]:
        assert self._connection is not None, "asked on behalf of nobody"
        before, self._before = self._before, []
        try:
            said = [(text + SAID_BY, given) for text, given in statements]
            return say(self._connection, (*before, *said))[len(before) :]
        except psycopg.Error:
            if len(before) + len(statements) > 1:  # what psycopg takes for prepared may not be
                self._connected.close()
            raise
