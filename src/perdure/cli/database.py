"""Which database a command is about."""

from __future__ import annotations

import argparse
import os

from perdure.errors import PerdureError

_VARIABLES = ("PERDURE_DATABASE_URL", "DATABASE_URL")
_SQLITE = "sqlite:///"


class NoDatabase(PerdureError):
    """It was not said which database is meant, or not one that the command can use; the message says how to."""


def add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--db", metavar="URL", help=f"the database, sqlite:///path (default: ${_VARIABLES[0]})")


def sqlite_path(url: str | None) -> str:
    """The path of the file that a URL names, or else the environment."""
    url = url or next((os.environ[name] for name in _VARIABLES if os.environ.get(name)), None)
    if url is None:
        raise NoDatabase(f"which database? pass --db sqlite:///flows.db, or set {_VARIABLES[0]}")
    if url.startswith(_SQLITE) and url != _SQLITE:
        return url.removeprefix(_SQLITE)
    if url.startswith("memory:"):
        raise NoDatabase(f"{url} is in the memory of another process and cannot be looked at; use sqlite:///path")
    if "://" not in url:
        raise NoDatabase(f"{url!r} is not the URL of a database; did you mean sqlite:///{url}?")
    raise NoDatabase(f"{url!r} is no database that this command knows; use sqlite:///path")
