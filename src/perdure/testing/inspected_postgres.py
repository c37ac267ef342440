"""The store in Postgres, to be looked into. It has a file of its own: whoever tests without Postgres need not have its driver."""

from __future__ import annotations

from typing import Any

from perdure.store.postgres.statements import parsed
from perdure.store.postgres.store import PostgresStore
from perdure.store.sql.statements import queries
from perdure.testing.inspected import Inspected


class InspectedPostgres(Inspected, PostgresStore):
    queries = queries("perdure.store.postgres", "queries.sql")

    def ask(self, sql: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        return self.connected().execute(parsed(sql).text, parameters).fetchall()
