"""What keeps readers of one organization from the rows of all others, made where it is not what `tenants.sql` says.

Workers take up what is anybody's, and write as the owner of the tables, whom policies do not concern and cost nothing. Who reads
for one organization takes on a role for that transaction, which has the right to read and nothing else, and sees by its policies
what is that organization's. Where such a role cannot be made, everything goes on without it, and the doctor says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

import psycopg
from msgspec import Struct
from psycopg import errors, sql

from perdure.store.sql.statements import queries


class Role(Struct, frozen=True):
    """The role that readers of one organization take on; whether this user and the owner of the tables may."""

    name: str
    owner: str
    is_there: bool
    may: bool
    owner_may: bool

    @property
    def quoted(self) -> str:
        return sql.Identifier(self.name).as_string(None)

    @property
    def for_an_administrator(self) -> str:
        """What has to be said once by somebody who may. Then the owner of the tables can do the rest."""
        made = "" if self.is_there else f"CREATE ROLE {self.quoted} NOLOGIN; "
        return (
            f"{made}GRANT {self.quoted} TO {sql.Identifier(self.owner).as_string(None)} WITH INHERIT FALSE, SET TRUE;"
        )


def separate(connection: psycopg.Connection[Any]) -> None:
    """Make it, in the transaction that brings the database up to date. Who may not make roles, or does not own the tables, leaves
    it as it is.
    """
    role = role_of(connection)
    told = f"made by Perdure: {sha256(_text('separate', role).encode()).hexdigest()}"
    if role.may and _made(connection) == told and not not_apart(connection, role):
        return
    try:
        with connection.transaction():
            if not role.is_there:
                connection.execute(_text("make_role", role))
            if not role_of(connection).may:
                connection.execute(_text("may_take_it_on", role))
            connection.execute(_text("separate", role))
            connection.execute(_text("model_with", role).replace("{schema}", _schema(connection)))
            connection.execute(_text("lend_models", role))
            connection.execute(f"COMMENT ON POLICY perdure_tenant ON executions IS '{told}'")
    except errors.InsufficientPrivilege:
        return


def role_of(connection: psycopg.Connection[Any]) -> Role:
    found = connection.execute(_texts()["role"]).fetchone()
    assert found is not None
    return Role(*found)


def not_apart(connection: psycopg.Connection[Any], role: Role) -> list[str]:
    """The tables whose rows this role is not kept from, or cannot read at all."""
    if not role.is_there:
        return []
    return [table for (table,) in connection.execute(_text("apart", role), (role.name,)).fetchall()]


def complaints(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, str]]:
    """What is missing, and what to do about it."""
    role = role_of(connection)
    if not role.owner_may:
        missing = f"cannot be taken on by {role.owner}" if role.is_there else "is not there"
        yield role.name, f"{missing}; an administrator of the server has to say: {role.for_an_administrator}"
    for table in not_apart(connection, role):
        yield table, f"has no policy for {role.name}, or cannot be read by it"


def role_to_take_on(connection: psycopg.Connection[Any]) -> str | None:
    """None: it is not there, or not for all tables, or not for this user."""
    role = role_of(connection)
    return role.name if role.may and not not_apart(connection, role) else None


def _made(connection: psycopg.Connection[Any]) -> str | None:
    found = connection.execute(_texts()["made"]).fetchone()
    return None if found is None else found[0]


def _schema(connection: psycopg.Connection[Any]) -> str:
    found = connection.execute("SELECT quote_ident(current_schema())").fetchone()
    assert found is not None
    return str(found[0])


def _text(name: str, role: Role) -> str:
    return _texts()[name].replace("{role}", role.quoted)


@cache
def _texts() -> dict[str, str]:
    """Each with what others of them stand for."""
    texts = {name: _without_comments(text) for name, text in queries("perdure.store.postgres", "tenants.sql").items()}
    tables = texts["tables"]
    for condition in ("own", "of_its_execution"):
        tables = tables.replace(f"{{{condition}}}", texts[condition])
    return {name: text.replace("{tables}", tables) for name, text in texts.items()}


def _without_comments(text: str) -> str:
    return "\n".join(line.partition("--")[0].rstrip() for line in text.splitlines() if not line.startswith("--"))
