"""Several statements, said to the server at once and answered once: it is the way there and back that takes the time.

Each time the server is told that this is all for now (a Sync). Only then it counts how long nobody says anything in the middle
of a transaction, and cuts off a worker that has stopped there; so nothing is fetched while more is to come, as psycopg would do it.
Nor is its `Pipeline.sync` used, which may leave part of a long message unsent and wait for the answer (3.3.8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import psycopg
from psycopg.errors import PipelineAborted

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


def say(connection: psycopg.Connection[Any], statements: Sequence[Said]) -> list[psycopg.Cursor[Any]]:
    """The answers, in their order. Raises what goes wrong first; the server skips what comes after it."""
    if len(statements) == 1:
        return [connection.execute(*statements[0])]
    cursors: list[psycopg.Cursor[Any]] = []
    wrong: psycopg.Error | None = None
    try:
        with connection.pipeline():
            try:
                cursors.extend(connection.execute(text, given) for text, given in statements)
            except (
                psycopg.Error
            ) as error:  # of one before, which has just been heard; leaving would only warn of the rest
                wrong = error
    except psycopg.Error as error:
        raise (wrong or _first(error)) from None
    if wrong is not None:
        raise wrong
    return cursors


def _first(error: psycopg.Error) -> psycopg.Error:
    """What went wrong before the rest was skipped."""
    while isinstance(error, PipelineAborted) and isinstance(error.__context__, psycopg.Error):
        error = error.__context__
    return error
