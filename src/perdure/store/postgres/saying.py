"""Several statements, said to the server at once and answered once: it is the way there and back that takes the time.

It is psycopg's pipeline but for one thing: nothing is sent before all of it has been said, and the last that is sent is the Sync,
which tells the server that this is all for now. Only then it counts how long nobody says anything in the middle of a transaction,
and cuts off a worker that has stopped there. (psycopg sends each statement by itself and a Flush after the Sync, which stops that
clock; and `Pipeline.sync` may leave part of a long message unsent, and wait for the answer.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias

import psycopg
from psycopg.generators import send

Said: TypeAlias = tuple[str, Any]
"""A statement, and what is given to it."""


class Line(Protocol):
    """Where statements are said."""

    def tell(self, statement: Said) -> None:
        """Nobody wants to know what comes of it, unless it fails."""
        ...

    def ask(self, *statements: Said) -> list[psycopg.Cursor[Any]]:
        """The answers, in their order."""
        ...


class Direct:
    """One connection, as long as it lasts."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def tell(self, statement: Said) -> None:
        say(self._connection, (statement,))

    def ask(self, *statements: Said) -> list[psycopg.Cursor[Any]]:
        return say(self._connection, statements)


class _AllAtOnce(psycopg.Pipeline):
    """Of psycopg 3.3: what it overrides is not promised to stay. `tests/store/test_postgres_saying.py` would notice."""

    def _communicate_gen(self) -> Any:
        while self.command_queue:
            self.command_queue.popleft()()
        yield from ()

    def _exit_gen(self) -> Any:
        self._enqueue_sync()
        yield from self._communicate_gen()
        yield from send(self.pgconn)
        yield from self._fetch_gen(flush=False)


@contextmanager
def _at_once(connection: psycopg.Connection[Any]) -> Iterator[None]:
    pipeline = connection._pipeline = _AllAtOnce(connection)  # noqa: SLF001
    try:
        with pipeline:
            yield
    finally:
        connection._pipeline = None  # noqa: SLF001


def say(connection: psycopg.Connection[Any], statements: Sequence[Said]) -> list[psycopg.Cursor[Any]]:
    """The answers, in their order. Raises what goes wrong first; the server skips what comes after it. If several were said, the
    connection is not to be used after that: psycopg takes a statement for prepared as soon as it has been said.
    """
    if len(statements) == 1:
        return [connection.execute(*statements[0])]
    with _at_once(connection):
        return [connection.execute(text, given) for text, given in statements]
