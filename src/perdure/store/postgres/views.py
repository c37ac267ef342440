"""What others may read with SQL, made anew where it is not what `views.sql` says."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import psycopg
from psycopg import errors

from perdure.store.sql.statements import queries


def make_views(connection: psycopg.Connection[Any]) -> None:
    """Postgres keeps a view in words of its own: which text it was made of, its comment says."""
    texts = queries("perdure.store.postgres", "views.sql")
    for number, (name, text) in enumerate(texts.items()):
        told = f"made by Perdure: {sha256(text.encode()).hexdigest()}"
        if _comment(connection, name) == told:
            continue
        statement = text[text.index("CREATE VIEW") :]
        try:
            with connection.transaction():  # it stays what it is to whatever reads it
                connection.execute(statement.replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1))
        except errors.InvalidTableDefinition:  # another version had other columns; those after it may read it
            for reader in reversed(list(texts)[number:]):
                connection.execute(f'DROP VIEW IF EXISTS "{reader}"')
            connection.execute(statement)
        connection.execute(f"COMMENT ON VIEW \"{name}\" IS '{told}'")


def _comment(connection: psycopg.Connection[Any], view: str) -> str | None:
    found = connection.execute(
        "SELECT obj_description(to_regclass(quote_ident(current_schema()) || '.' || quote_ident($1)), 'pg_class')",
        (view,),
    ).fetchone()
    return None if found is None else found[0]
