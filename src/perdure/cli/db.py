"""`perdure db`: the database itself."""

from __future__ import annotations

import sys
import time
from typing import Annotated

from cyclopts import App, Parameter

from perdure.cli.database import NoDatabase, chosen, sqlite_path
from perdure.cli.options import AsJson, DatabaseUrl
from perdure.cli.saying import print_json
from perdure.cli.wording import size
from perdure.hosts.stores import with_its_driver
from perdure.store.postgres.urls import is_postgres, without_password
from perdure.store.sqlite.copying import back_up, bring_up_to_date

DB = App(name="db", help="Upgrade a database, or back it up while it is used.")
QUIET_SECONDS = 1.0


@DB.command
def upgrade(*, db: DatabaseUrl = None, json: AsJson = False) -> int:
    """Bring a database up to the version of this program. An engine does so by itself when it starts.

    Example: perdure db upgrade --db sqlite:///flows.db
    """
    url = chosen(db)
    name, before, after = _upgraded(url)
    if json:
        print_json({"database": name, "from": before, "to": after})
    elif before == after:
        print(f"{name} is up to date: version {after}")
    else:
        print(f"{name} was brought from version {before} to version {after}")
    return 0


def _upgraded(url: str) -> tuple[str, int, int]:
    """What it is called, from which version, to which."""
    if not is_postgres(url):
        return sqlite_path(url), *bring_up_to_date(sqlite_path(url))
    with with_its_driver():
        from perdure.store.postgres.reaching import bring_up_to_date as bring_postgres  # noqa: PLC0415
    return without_password(url), *bring_postgres(url)


@DB.command
def backup(
    target: Annotated[str, Parameter(help="the file to make; one that is there is not overwritten")],
    /,
    *,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Copy a database while it is used: one moment of it, checked before it gets its name.

    Example: perdure db backup flows-monday.db --db sqlite:///flows.db
    """
    url = chosen(db)
    if is_postgres(url):
        raise NoDatabase(
            f"Postgres has a command for it: pg_dump --format=custom --file={target} '{without_password(url)}'"
        )
    path = sqlite_path(url)
    length = back_up(path, target, _Progress())
    if json:
        print_json({"database": path, "backup": target, "bytes": length, "checked": True})
    else:
        print(f"{path} was copied to {target}: {size(length)}, checked")
    return 0


class _Progress:
    """A line that is written over, for a copy that takes long, where somebody is looking."""

    def __init__(self) -> None:
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._begun > QUIET_SECONDS:
            end = "\r" if done < total else "\r\033[K"
            print(f"copied {done / max(total, 1):.0%}", end=end, file=sys.stderr, flush=True)
