"""A copy of a database while others work on it, and bringing a file up to date by hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw

from perdure.errors import PerdureError
from perdure.store.sql.refusals import CannotRead
from perdure.store.sqlite.database import connect, known_version, migrate, version_of
from perdure.store.sqlite.errors import translated
from perdure.store.sqlite.locks import OWN_MODE
from perdure.store.sqlite.read_only import connect_to_read

PAGES_AT_ONCE = 2_000
_TABLES = "SELECT count(*) FROM sqlite_master WHERE type = 'table'"


class CannotCopy(PerdureError, code="cannot_copy"):
    """There is no copy, and nothing was left behind; the message says why, and what to do."""


def back_up(path: str, target: str, progress: Callable[[int, int], None] = lambda _done, _total: None) -> int:
    """Copy one moment of the database into a new file, checked before it has its name; how many bytes it has.

    Who works on the database goes on meanwhile. `progress` is told the pages that are copied, and all there are.
    """
    made = Path(target)
    if made.exists() or made.is_symlink():
        raise CannotCopy(f"{target} is there already, and is not overwritten; name another file, or remove it first")
    unfinished = made.with_name(f".{made.name}.{os.getpid()}.unfinished")
    source = connect_to_read(path)
    try:
        _make(unfinished)
        _copy(source, unfinished, progress)
        os.link(unfinished, made)  # unlike a rename, it does not overwrite what came meanwhile
    except FileExistsError as error:
        raise CannotCopy(
            f"{target} has come into being meanwhile, and is not overwritten; name another file"
        ) from error
    except (OSError, apsw.Error) as error:
        raise CannotCopy(f"{target} cannot be written: {getattr(error, 'strerror', None) or error}") from error
    finally:
        source.close()
        for leftover in (
            unfinished,
            Path(f"{unfinished}-journal"),
            Path(f"{unfinished}-wal"),
            Path(f"{unfinished}-shm"),
        ):
            with suppress(OSError):
                leftover.unlink()
    return made.stat().st_size


def bring_up_to_date(path: str) -> tuple[int, int]:
    """From which version of the file to which."""
    if not Path(path).is_file():
        raise CannotRead(f"{path}: there is no such file; an engine makes it when it starts")
    with translated():
        looking = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        try:
            before, tables = version_of(looking), int(looking.execute(_TABLES).get)
        except apsw.NotADBError as error:
            raise CannotRead(f"{path} is not a database; name the file that the engines use") from error
        finally:
            looking.close()
    if before == 0 and tables:
        raise CannotRead(f"{path} is not a database of Perdure; name the file that the engines use")
    if before == known_version():
        return before, before
    connection = connect(path)
    try:
        return before, migrate(connection)
    finally:
        connection.close()


def _make(path: Path) -> None:
    """A copy holds what the database holds: it is for its owner alone."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, OWN_MODE))


def _copy(source: apsw.Connection, path: Path, progress: Callable[[int, int], None]) -> None:
    copy = apsw.Connection(str(path))
    try:
        # The source is within a read transaction: every page is of the same moment, whoever writes beside it.
        with copy.backup("main", source, "main") as copying:
            while not copying.done:
                copying.step(PAGES_AT_ONCE)
                progress(copying.page_count - copying.remaining, copying.page_count)
        copy.pragma("journal_mode", "DELETE")  # one file that is complete without companions
        found = copy.execute("PRAGMA quick_check").fetchall()
    finally:
        copy.close()
    if found != [("ok",)]:
        raise CannotCopy(f"the copy is damaged, and was removed: {found[0][0]}; `perdure doctor` looks at the database")
    with path.open("rb") as written:
        os.fsync(written.fileno())
