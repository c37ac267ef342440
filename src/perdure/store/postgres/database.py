"""One connection to the database: opened, protected, brought up to date, and opened again when it was lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from typing import Any

import psycopg
from psycopg.errors import InvalidSqlStatementName
from psycopg.types.numeric import Int8Dumper

from perdure.store.port import BATCH_BYTES_MAX, LEASE_MS
from perdure.store.postgres.errors import CannotUse, translated
from perdure.store.postgres.numbering import continue_numbers
from perdure.store.postgres.saying import Said, say
from perdure.store.postgres.tenants import separate
from perdure.store.postgres.views import make_views
from perdure.store.sql.refusals import must_be_known

CONNECT_SECONDS = 5
IDLE_PART = 0.4
"""A worker that stops in the middle of a transaction, because its machine does, is cut off after so much of its lease: whoever
takes over must not wait for it.
"""

STATEMENT_MS = 60_000
TRANSACTION_MS = 2 * STATEMENT_MS
"""A worker that stops while it says several statements is not idle to the server, and is cut off after this, where the server can
(Postgres 17).
"""

IF_IT_IS_GONE = (
    *("tcp_keepalives_idle = 5", "tcp_keepalives_interval = 2", "tcp_keepalives_count = 3", "tcp_user_timeout = 10000"),
)
"""A machine without power says nothing, and the server is to find out: what a transaction of it holds, others wait for."""

BY_INDEX = (
    *("enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off", "enable_material = off"),
    *("plan_cache_mode = force_generic_plan", "jit = off", "max_parallel_workers_per_gather = 0"),
)
"""Every statement of ours finds its few rows by an index, however many there are. What the server would guess from its figures of
yesterday, an empty table say, is worse; and with several processes at its hands it would rather read a whole table in parallel.
"""

OLDEST = 160_000
"""Postgres 16 is the first that can say whether a text is JSON."""

MIGRATING = 0x7065726475726501
"""The lock of whoever brings a database up to date."""


def connect(url: str) -> psycopg.Connection[Any]:
    """A connection that notices when the other side is gone."""
    connection: psycopg.Connection[Any] = psycopg.connect(
        url,
        autocommit=True,
        connect_timeout=CONNECT_SECONDS,
        cursor_factory=psycopg.RawCursor,
        application_name="perdure",
        keepalives_idle=5,
        keepalives_interval=2,
        keepalives_count=3,
        tcp_user_timeout=10_000,
    )
    connection.adapters.register_dumper(int, _Numbers)
    version = connection.info.server_version
    if version < OLDEST:
        connection.close()
        raise CannotUse(f"the server is Postgres {version // 10_000}; use Postgres {OLDEST // 10_000} or newer")
    return connection


class Connected:
    """A connection that is made when it is asked for, and made anew when it was lost. Keeps the contract of `saying.Line`."""

    def __init__(self, url: str, lease_ms: int = LEASE_MS, *, reads_only: bool = False) -> None:
        self._url, self._idle_ms, self._reads_only = url, int(lease_ms * IDLE_PART), reads_only
        self._connection: psycopg.Connection[Any] | None = None
        self.setup: list[str] = []
        """Statements for each new connection."""
        self.unsaid: list[Said] | None = None
        """What of a brisk transaction waits to be said."""
        self.unsaid_bytes = 0
        self.is_stepwise = False
        """Whether each statement is sent alone, so that an error leaves the connection usable."""

    def __call__(self) -> psycopg.Connection[Any]:
        connection = self._connection
        if connection is None or connection.closed or connection.broken:
            self.close()
            connection = self._connection = self._connect()
        return connection

    def tell(self, statement: Said) -> None:
        if self.unsaid is None:
            self.ask(statement)
        else:
            self.unsaid.append(statement)
            self.unsaid_bytes += parameters_size(statement[1])
            if self.unsaid_bytes > BATCH_BYTES_MAX:
                self.ask()

    def ask(self, *statements: Said) -> list[psycopg.Cursor[Any]]:
        before, connection = self.unsaid or [], self()
        if self.unsaid is not None:
            self.unsaid, self.unsaid_bytes = [], 0
        try:
            if self.is_stepwise:
                return [connection.execute(*statement) for statement in statements]
            return say(connection, (*before, *statements))[len(before) :]
        except psycopg.Error as error:
            is_pipelined = len(before) + len(statements) > 1 and not self.is_stepwise
            if is_pipelined or isinstance(error, InvalidSqlStatementName):
                self.close()
            raise

    def _connect(self) -> psycopg.Connection[Any]:
        connection = connect(self._url)
        try:
            connection.execute(f"SET idle_in_transaction_session_timeout = {self._idle_ms}")
            connection.execute(f"SET statement_timeout = {STATEMENT_MS}")
            for setting in (*IF_IT_IS_GONE, *BY_INDEX):
                connection.execute(f"SET {setting}")
            if self._reads_only:
                connection.execute("SET default_transaction_read_only = on")
            for statement in self.setup:
                connection.execute(statement)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def parameters_size(parameters: Any) -> int:
    """Return the approximate size of the parameters of a statement: what of it is text."""
    size = 0
    for value in parameters:
        if isinstance(value, str):
            size += len(value)
        elif isinstance(value, list):
            size += parameters_size(value)
    return size


class _Numbers(Int8Dumper):
    """Every number has the same size: a statement is prepared once."""


@contextmanager
def transaction(connected: Connected) -> Iterator[None]:
    """All or nothing. However it ends, the next one can begin."""
    with translated(), connected().transaction():
        yield


@contextmanager
def brisk_transaction(connected: Connected) -> Iterator[None]:
    """The same, and the server is waited for only where its answer is wanted: the rest is said with what comes after it. What
    goes wrong is raised as it is: some of it is tried again at once.
    """
    connection = connected()
    connected.unsaid, connected.unsaid_bytes = [("BEGIN", ())], 0
    try:
        yield
        connected.ask(("COMMIT", ()))
    except BaseException:
        with suppress(psycopg.Error):
            connection.execute("ROLLBACK")
        raise
    finally:
        connected.unsaid = None


@contextmanager
def stepwise_transaction(connected: Connected) -> Iterator[None]:
    """The same, statement by statement: one that fails in a savepoint ends that savepoint only."""
    connection = connected()
    connected.is_stepwise = True
    try:
        with connection.transaction():
            yield
    finally:
        connected.is_stepwise = False


@contextmanager
def at_one_moment(connected: Connected) -> Iterator[None]:
    """What is read within it is read at one moment, whoever writes beside it."""
    with translated():
        connection = connected()
        connection.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        try:
            yield
        finally:
            with suppress(psycopg.Error):
                connection.execute("ROLLBACK")


def migrate(connected: Connected) -> int:
    """Bring the database up to date, whoever comes first; its version."""
    steps = _migrations()
    with transaction(connected):
        connection = connected()
        connection.execute("SELECT pg_advisory_xact_lock($1)", (MIGRATING,))
        version = version_of(connection)
        if version is None:
            connection.execute("CREATE TABLE perdure (version bigint NOT NULL)")
            connection.execute("INSERT INTO perdure (version) VALUES (0)")
        for number in range(version or 0, len(steps)):
            connection.execute(steps[number])
            connection.execute("UPDATE perdure SET version = $1", (number + 1,))
        continue_numbers(connection)
        make_views(connection)
        separate(connection)
    return len(steps)


def version_of(connection: psycopg.Connection[Any]) -> int | None:
    """How far the schema has been brought; None if nothing of Perdure is in it. Raises `DatabaseTooNew` for one that this program
    does not know.
    """
    found = connection.execute(
        "SELECT to_regclass(quote_ident(current_schema()) || '.perdure') IS NOT NULL, current_schema() IS NULL"
    ).fetchone()
    assert found is not None
    is_there, has_no_schema = found
    if has_no_schema:
        raise CannotUse("there is no schema to work in: make the one that search_path names (CREATE SCHEMA …)")
    if not is_there:
        return None
    row = connection.execute("SELECT version FROM perdure").fetchone()
    version = 0 if row is None else int(row[0])
    must_be_known(version, known_version())
    return version


def known_version() -> int:
    """The version of a database that has been brought up to date."""
    return len(_migrations())


def _migrations() -> list[str]:
    folder = files("perdure.store.postgres") / "migrations"
    return [
        entry.read_text()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".sql")
    ]
