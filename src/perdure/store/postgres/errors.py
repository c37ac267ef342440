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
)


@contextmanager
def translated() -> Iterator[None]:
    """The connection is lost, the server stops, the disk is full, two stood in each other's way: nothing is half done. What
    cannot be written at all, half a character say, is a `ValueError`, as it is everywhere.
    """
    try:
        yield
    except psycopg.DataError as error:
        raise ValueError(str(error).strip()) from error
    except (*_AGAIN, psycopg.OperationalError, psycopg.InterfaceError) as error:
        told = str(error).strip().splitlines()
        raise Unavailable(
            f"the database cannot be used for now ({told[0] if told else type(error).__name__}); nothing is lost, and it is "
            "tried again"
        ) from error
