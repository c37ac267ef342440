"""Whether there is a database where a URL says: what keeps one from it, in plain words. Nothing that is told holds a password."""

from __future__ import annotations

import re
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from perdure.errors import PerdureError
from perdure.store.postgres.database import Connected, connect, known_version, migrate, version_of
from perdure.store.postgres.errors import first_line
from perdure.store.postgres.urls import without_password
from perdure.store.sql.refusals import CannotRead

_UNREADABLE = (
    "the URL of the database cannot be read; write it as postgresql://user:password@host:5432/database, and each of / @ : ? # % "
    "in the user or the password as %2F %40 %3A %3F %23 %25"
)


class CannotReach(PerdureError, code="cannot_reach"):
    """There is no server or no database where the URL says, or it lets nobody in; the message says which, and what to do."""


def reach(url: str) -> psycopg.Connection[Any]:
    """A connection; or else why there is none."""
    where = _where(url)
    try:
        return connect(url)
    except psycopg.OperationalError as error:
        raise CannotReach(_why(str(error), where)) from error


def must_be_up_to_date(connection: psycopg.Connection[Any], name: str) -> None:
    """Whoever only reads must not make, and not change."""
    version = version_of(connection)
    if version is None:
        raise CannotRead(_nothing_in(name))
    if version < known_version():
        raise CannotRead(
            f"{name} has version {version}, and this program reads {known_version()}; `perdure db upgrade` brings it up to date"
        )


def must_be_there(url: str) -> None:
    """Raises `CannotRead` where nothing of Perdure is: whoever only looks must not make it."""
    with reach(url) as connection:
        if version_of(connection) is None:
            raise CannotRead(_nothing_in(without_password(url)))


def holds_nothing(url: str) -> bool:
    """Whether nothing of Perdure is there yet."""
    with reach(url) as connection:
        return version_of(connection) is None


def bring_up_to_date(url: str) -> tuple[int, int]:
    """From which version to which. A new database gets its tables."""
    with reach(url) as connection:
        before = version_of(connection) or 0
    connected = Connected(url)
    try:
        return before, migrate(connected)
    finally:
        connected.close()


def _nothing_in(name: str) -> str:
    return (
        f"{name} holds nothing of Perdure; name the database, and the schema, that the engines use, or make the tables: "
        "`perdure db upgrade`"
    )


def _where(url: str) -> str:
    """The address of the server. What a password with an @ or / in it makes of a URL is no address, and is not shown."""
    before, _, after = url.partition("://")[2].partition("?")[0].partition("@")
    try:
        found = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        raise CannotReach(_UNREADABLE) from None
    host, port = str(found.get("host") or "the local socket"), str(found.get("port") or "5432")
    if "@" in after or (after and "/" in before) or not re.fullmatch(r"[\d,]+", port):
        raise CannotReach(_UNREADABLE)
    return f"{host}:{port}"


def _why(told: str, where: str) -> str:
    missing = re.search(r'database "(.*)" does not exist', told)
    if missing is not None:
        return f"there is no database {missing[1]} at {where}; check its name, or make it: createdb {missing[1]}"
    if "password authentication failed" in told or "no password supplied" in told:
        return f"{where} refuses the user: a wrong password, or none; it is given in the URL, in PGPASSWORD or in ~/.pgpass"
    _, refused, said = told.partition("FATAL:")
    if refused:
        return f"{where} refuses: {said.strip().splitlines()[0]}"
    reason = first_line(told).rpartition("failed: ")[2]
    return f"no server answers at {where}: {reason}; is it running, and is that its address?"
