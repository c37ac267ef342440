"""Databases that are refused, whoever asks."""

from __future__ import annotations

from perdure.errors import PerdureError


class CannotRead(PerdureError, code="cannot_read"):
    """There is no database of Perdure to read; the message says why, and what to do."""


class DatabaseTooNew(PerdureError, code="database_too_new"):
    """The database was written by a newer version of Perdure."""


def must_be_known(version: int, known: int) -> None:
    """`version`: how far it was brought; `known`: how far this program can bring one."""
    if version > known:
        raise DatabaseTooNew(
            f"the database has version {version}, and this program knows {known}; install a newer Perdure"
        )
