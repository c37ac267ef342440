"""What an error of Postgres means to whoever uses a store. What can be tried again is `Unavailable`, every other one is ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from perdure.store.port import Unavailable

_AGAIN = (
    *(errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable, errors.QueryCanceled),
    *(errors.TransactionTimeout, errors.IdleInTransactionSessionTimeout, errors.ReadOnlySqlTransaction),
    *(errors.InsufficientResources, errors.OperatorIntervention, errors.SystemError, errors.ConnectionException),
    errors.InvalidSqlStatementName,
)


VALUE_ERRORS = (psycopg.DataError, errors.ProgramLimitExceeded)
"""Errors that a value causes."""


class CannotUse(Unavailable, code="cannot_use"):
    """The database is there, and cannot be used as it is; the message says why, and what to do."""


@contextmanager
def translated() -> Iterator[None]:
    """The connection is lost, the server stops, the disk is full, two stood in each other's way: nothing is half done. What
    cannot be written at all, half a character say, is a `ValueError`, as it is everywhere.
    """
    try:
        yield
    except VALUE_ERRORS as error:
        raise value_error(error) from error
    except errors.InsufficientPrivilege as error:
        raise CannotUse(
            f"{first_line(str(error))}: this user may not use the database as Perdure does; give it the right, or a schema "
            "of its own (CREATE SCHEMA perdure AUTHORIZATION … and options=-csearch_path%3Dperdure in the URL)"
        ) from error
    except (errors.DuplicateTable, errors.DuplicateFunction) as error:
        raise CannotUse(
            f"{first_line(str(error))}, and is somebody else's; give Perdure a schema of its own (CREATE SCHEMA perdure, and "
            "options=-csearch_path%3Dperdure in the URL)"
        ) from error
    except (*_AGAIN, psycopg.OperationalError, psycopg.InterfaceError) as error:
        raise Unavailable(
            f"the database cannot be used for now ({first_line(str(error))}); nothing is lost, and it is tried again"
        ) from error


def value_error(error: psycopg.Error) -> ValueError:
    """Return what is told of a value that cannot be stored. The other lines quote our statements, and are not for callers."""
    return ValueError(first_line(str(error)))


def first_line(told: str) -> str:
    """The rest is for whoever runs the server."""
    return (told.strip().splitlines() or ["no reason is given"])[0]
