"""What an error of SQLite means to whoever uses the store: try again, or end. Every other one is ours, and stays as it is."""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType

import apsw

from perdure.store.port import Broken, Unavailable

_FOR_NOW = (
    *(apsw.FullError, apsw.IOError, apsw.BusyError),
    *(apsw.LockedError, apsw.CantOpenError, apsw.NoMemError),
    *(apsw.ReadOnlyError, apsw.PermissionsError, apsw.AuthError),
)
_OF_A_VALUE = (apsw.TooBigError, apsw.MismatchError, apsw.RangeError)
_SYNC_FAILED = (apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC)


class translated(ContextDecorator):  # noqa: N801  it is used as a word: `with translated():`
    """Errors of SQLite become `Unavailable` or `Broken` where they are that, and `ValueError` where a value cannot be stored."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing has happened yet."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            raise_translated(error)


def raise_translated(error: BaseException) -> None:
    """Raise it as what it means. One that is not SQLite's goes its way."""
    meant = _meant(error) if isinstance(error, apsw.Error) else None
    if meant is not None:
        raise meant from error


def _meant(error: apsw.Error) -> Unavailable | Broken | ValueError | None:
    if isinstance(error, _OF_A_VALUE):
        return ValueError(str(error))
    if isinstance(error, apsw.IOError) and getattr(error, "extendedresult", 0) in _SYNC_FAILED:
        return Broken(
            f"the disk did not take what was written ({error}: a sync failed), and nobody can say what is on it; "
            "this process must end. Look after the disk and start again: all that was acknowledged is there"
        )
    if isinstance(error, apsw.NotADBError):
        return Broken(f"this file is no database of Perdure ({error}); name another one, or go back to a copy of it")
    if isinstance(error, apsw.CorruptError):
        return Broken(f"the database cannot be read ({error}); this process must end. Go back to a copy of the file")
    if isinstance(error, apsw.FullError):
        return Unavailable(
            f"there is no room on the disk ({error}); nothing is lost, and it goes on when there is room"
        )
    if isinstance(error, _FOR_NOW):
        return Unavailable(f"the database cannot be used for now ({error}); nothing is lost, and it can be tried again")
    return None
