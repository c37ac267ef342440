"""Which database a command is about."""

from __future__ import annotations

import os
from pathlib import Path

from perdure.errors import PerdureError
from perdure.expressions.wording import nearest

_VARIABLES = ("PERDURE_DATABASE_URL", "DATABASE_URL")
_SQLITE = "sqlite:///"


class NoDatabase(PerdureError):
    """It was not said which database is meant, or not one that the command can use; the message says how to."""


def database_url(url: str | None) -> str:
    """The URL that was typed, or else that of the environment; of a kind that can be used."""
    return f"{_SQLITE}{sqlite_path(url)}"


def existing(url: str | None) -> str:
    """The URL of a database that is there: who only looks must not make one."""
    path = sqlite_path(url)
    if not Path(path).exists():
        raise NoDatabase(f"{path}: there is no such file{_meant(Path(path))}")
    return usable(path)


def _meant(path: Path) -> str:
    """Another database beside it, or where a path begins."""
    others = sorted(str(each) for each in path.parent.glob("*.db"))
    relative = "" if path.is_absolute() else f", which is relative to {Path.cwd()}"
    return nearest(str(path), others) or f"; check the path{relative}"


def usable(path: str) -> str:
    """The URL of a file that is there and can be written, or can be made where it is named."""
    file = Path(path)
    if file.is_dir():
        raise NoDatabase(f"{path} is a folder; name a file in it, as in {_SQLITE}{file / 'flows.db'}")
    if not file.parent.is_dir():
        raise NoDatabase(f"{path}: there is no folder {file.parent}; make it, or name another file")
    if not os.access(file if file.exists() else file.parent, os.W_OK) or not os.access(file.parent, os.W_OK):
        raise NoDatabase(f"{path} cannot be written, or the folder it is in; use it as the user that owns it")
    return f"{_SQLITE}{path}"


def sqlite_path(url: str | None) -> str:
    """The path of the file that a URL names, or else the environment."""
    url = url or from_environment()
    if url is None:
        raise NoDatabase(f"which database? pass --db sqlite:///flows.db, or set {_VARIABLES[0]}")
    if url.startswith(_SQLITE) and url != _SQLITE:
        return url.removeprefix(_SQLITE)
    if url.startswith("memory:"):
        raise NoDatabase(f"{url} is in the memory of another process and cannot be looked at; use sqlite:///path")
    if "://" not in url:
        raise NoDatabase(f"{url!r} is not the URL of a database; did you mean sqlite:///{url}?")
    raise NoDatabase(f"{url!r} is no database that this command knows; use sqlite:///path")


def from_environment() -> str | None:
    return next((os.environ[name] for name in _VARIABLES if os.environ.get(name)), None)
