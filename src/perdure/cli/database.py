"""Which database a command is about."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from perdure.errors import PerdureError
from perdure.expressions.wording import near
from perdure.hosts.stores import with_its_driver
from perdure.settings.environment import environment
from perdure.settings.table import DATABASE
from perdure.store.postgres.urls import is_postgres, without_password

_SQLITE = "sqlite:///"


class NoDatabase(PerdureError, code="no_database"):
    """It was not said which database is meant, or not one that the command can use; the message says how to."""


class Database(Struct, frozen=True):
    """`url` opens it; `name` is what people are told: the path of a file, or the URL without its password."""

    url: str
    name: str
    is_new: bool = False


def chosen(url: str | None) -> str:
    """The URL that was typed, or else that of the environment; of a kind that can be used."""
    url = url or from_environment()
    if url is None:
        raise NoDatabase(
            f"which database? pass --db sqlite:///flows.db or --db postgresql://user@host/database, or set {DATABASE.name}"
        )
    if is_postgres(url) or (url.startswith(_SQLITE) and url != _SQLITE):
        return url
    if url.startswith("memory:"):
        raise NoDatabase(f"{url} is in the memory of another process and cannot be looked at; use sqlite:///path")
    if "://" not in url:
        raise NoDatabase(f"{url!r} is not the URL of a database; did you mean sqlite:///{url}?")
    kind = url.partition("://")[0]
    raise NoDatabase(
        f"'{kind}://' is no database that this command knows; use sqlite:///path or postgresql://user@host/database"
    )


def to_look_at(url: str | None) -> Database:
    """One that is there: who only looks must not make one."""
    url = chosen(url)
    if is_postgres(url):
        with with_its_driver():
            from perdure.store.postgres.reaching import must_be_there  # noqa: PLC0415
        must_be_there(url)
        return Database(url, without_password(url))
    path = sqlite_path(url)
    if not Path(path).exists():
        raise NoDatabase(f"{path}: there is no such file{_meant(Path(path))}")
    return _file(path)


def to_work_on(url: str | None) -> Database:
    """One that is there, or can be made where it is named."""
    url = chosen(url)
    if is_postgres(url):
        with with_its_driver():
            from perdure.store.postgres.reaching import holds_nothing  # noqa: PLC0415
        return Database(url, without_password(url), holds_nothing(url))
    return _file(sqlite_path(url))


def _meant(path: Path) -> str:
    """Another database beside it, or where a path begins."""
    meant = near(path.name, sorted(each.name for each in path.parent.glob("*.db")))
    if meant is not None:
        return f"; did you mean {str(path.with_name(meant))!r}?"
    return "; check the path" if path.is_absolute() else f"; check the path, which is relative to {Path.cwd()}"


def _file(path: str) -> Database:
    """It is there and can be written, or can be made where it is named."""
    file = Path(path)
    if file.is_dir():
        raise NoDatabase(f"{path} is a folder; name a file in it, as in {_SQLITE}{file / 'flows.db'}")
    if not file.parent.is_dir():
        raise NoDatabase(f"{path}: there is no folder {file.parent}; make it, or name another file")
    if not os.access(file if file.exists() else file.parent, os.W_OK) or not os.access(file.parent, os.W_OK):
        raise NoDatabase(f"{path} cannot be written, or the folder it is in; use it as the user that owns it")
    return Database(f"{_SQLITE}{path}", path, not file.exists())


def sqlite_path(url: str) -> str:
    """The path of the file that a URL names."""
    return url.removeprefix(_SQLITE)


def from_environment() -> str | None:
    return DATABASE.read(environment())
