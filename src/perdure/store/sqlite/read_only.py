"""A connection that only reads: for whoever looks at a database and must not change, create or repair it."""

from __future__ import annotations

from pathlib import Path
from stat import S_ISREG

import apsw

from perdure.store.sql.refusals import CannotRead
from perdure.store.sqlite.database import BUSY_MS, known_version, version_of

_OURS = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('executions', 'history', 'models')"


def connect_to_read(path: str) -> apsw.Connection:
    """A connection in a read transaction of its own: it sees one moment, whoever writes beside it."""
    _must_be_a_file(path)
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.CantOpenError as error:
        raise CannotRead(f"{path} cannot be opened: {_why(path)}") from error
    try:
        connection.set_busy_timeout(BUSY_MS)
        connection.execute("BEGIN")
        _must_be_ours(connection, path)
    except apsw.NotADBError as error:
        connection.close()
        raise CannotRead(f"{path} is not a database; {_NOT_OURS}") from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        connection.close()
        raise CannotRead(f"{path} cannot be read: {_why(path)}") from error
    except apsw.BusyError as error:
        connection.close()
        raise CannotRead(f"{path} is being opened or repaired by another process; try again in a moment") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _must_be_a_file(path: str) -> None:
    try:
        mode = Path(path).stat().st_mode
    except FileNotFoundError as error:
        hint = "" if Path(path).is_absolute() else f", which is relative to {Path.cwd()}"
        raise CannotRead(f"{path}: there is no such file; check the path{hint}") from error
    except OSError as error:
        raise CannotRead(f"{path} cannot be read: {error.strerror}; {_OWN}") from error
    if not S_ISREG(mode):
        raise CannotRead(f"{path} is not a file; name the database itself, as in sqlite:///flows.db")


def _must_be_ours(connection: apsw.Connection, path: str) -> None:
    tables, version = connection.execute(_OURS).fetchone(), version_of(connection)
    if version == 0 or tables != (3,):
        what = "is empty" if Path(path).stat().st_size == 0 else "is not a database of Perdure"
        raise CannotRead(f"{path} {what}; {_NOT_OURS}")
    if version < known_version():
        raise CannotRead(
            f"{path} has version {version}, and this program reads {known_version()}; "
            "start an engine on it once, which brings it up to date"
        )


def _why(path: str) -> str:
    """SQLite says little. What keeps one from reading is the file, or the folder that its companions have to be in."""
    try:
        with Path(path).open("rb"):
            pass
    except OSError as error:
        return f"{error.strerror}; {_OWN}"
    folder = Path(path).resolve().parent
    return (
        f"nobody has it open, and {folder} cannot be written, where SQLite keeps a file beside the database to read it; "
        f"{_OWN}, or copy the database, with its -wal if there is one, to another folder"
    )


_OWN = "run this as the user whose file it is"
_NOT_OURS = "name the file that the engine was opened with, as in sqlite:///flows.db"
