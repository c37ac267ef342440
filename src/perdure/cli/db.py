"""`perdure db`: the database itself."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import Annotated, Literal, TypeAlias

from cyclopts import Parameter

from perdure.cli.database import NoDatabase, chosen, sqlite_path, to_look_at
from perdure.cli.groups import group
from perdure.cli.options import AsJson, DatabaseUrl
from perdure.cli.saying import print_json, refusal
from perdure.cli.wording import many, shown, size
from perdure.clock import now_ms
from perdure.hosts.stores import Opened, opened, with_its_driver
from perdure.model.values import Json
from perdure.runtime.retention_guard import (
    AHEAD_MAX_MS,
    CARD,
    ORGANIZATION,
    REGISTER,
    describe_lead,
    newest_evidence_ms,
    release,
)
from perdure.runtime.tidying import Budget
from perdure.service.acting import PROGRAM
from perdure.settings.kinds import duration_ms
from perdure.store.port import CRASHES_MAX, LEASE_MS, Store
from perdure.store.postgres.urls import is_postgres, without_password
from perdure.store.registers import Card
from perdure.store.sqlite.copying import back_up, bring_up_to_date

DB = group("db", "Upgrade a database, back it up while it is used, or have it forget what is old.")
EndedStatus: TypeAlias = Literal["completed", "failed", "cancelled"]
QUIET_SECONDS = 1.0
_WAY_OUT = "Check the clock; if it is right, run the command again with --trust-clock (see docs/operations.md)"
SCRUBBED_AT_ONCE, SCRUB_REST_SECONDS, SCRUBBED_NAMES_TOLD = 200, 0.01, 100


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
            f"Postgres has a command for it: pg_dump --format=custom --file={target} '{without_password(url)}'; it copies one "
            f"moment while others write, and pg_restore --dbname=… {target} brings it back into an empty database"
        )
    path = sqlite_path(url)
    length = back_up(path, target, _Progress("copied"))
    if json:
        print_json({"database": path, "backup": target, "bytes": length, "checked": True})
    else:
        print(f"{path} was copied to {target}: {size(length)}, checked")
    return 0


@DB.command
def forget(
    *,
    older_than: Annotated[str, Parameter(metavar="DURATION", help="what ended longer ago than this: 12h, 90d, 2w")],
    status: Annotated[
        tuple[EndedStatus, ...],
        Parameter(help="only executions that ended so: completed, failed, cancelled; it can be given several times"),
    ] = (),
    dry_run: Annotated[bool, Parameter(help="only count them")] = False,
    trust_clock: Annotated[
        bool, Parameter(help="the clock is right: delete although it looks wrong, and turn retention on again")
    ] = False,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Forget executions that ended long ago, with all that belongs to them, and old events that nobody can look back to.

    It cannot be undone. Others go on working meanwhile. Stopped, it has forgotten what it has; run again, it goes on.
    PERDURE_KEEP_EXECUTIONS has workers do the same all the time. If their retention is off because a clock seemed to be wrong,
    or if the clock is ahead of all that is stored, nothing is deleted; check the clock, then give --trust-clock, which turns
    retention on again. On Postgres, ages go by the clock of the database.

    Example: perdure db forget --older-than 90d --dry-run --db sqlite:///flows.db
    """
    age = duration_ms(older_than)
    if not age:
        raise refusal("invalid_option", f"--older-than {older_than!r} is no duration; write one like 12h, 90d or 2w")
    database = to_look_at(db)
    store, _ = opened(database.url, CRASHES_MAX, LEASE_MS)
    with closing(store):
        now, doubts = _time_of(store)
        if doubts and not dry_run and not trust_clock:
            raise refusal("clock_untrusted", f"{doubts}; nothing was deleted. {_WAY_OUT}")
        if doubts:
            print(f"warning: {doubts}", file=sys.stderr)
        before = now - age
        count = store.forgettable(before, status)
        done = 0 if dry_run else _forgotten(store, before, status, _Progress("forgotten"), count)
        released = trust_clock and not dry_run and _release_hold(store, now)
    if json:
        told = {"database": database.name, "older_than": older_than, "forgettable": count, "forgotten": done}
        print_json({**told, "released": released})
    elif dry_run:
        print(f"{many(count, 'execution')} of {database.name} ended more than {older_than} ago, and would be forgotten")
    else:
        print(f"{many(done, 'execution')} of {database.name} forgotten")
        if released:
            print("retention is enabled again; it was suspended because of a clock error")
    return 0


def _time_of(store: Opened) -> tuple[int, str]:
    """Return the time of the database, else of this host; and why it cannot be trusted, or nothing."""
    in_database = store.database_ms()
    now = now_ms() if in_database is None else in_database
    newest = newest_evidence_ms(store, now, LEASE_MS)
    if newest is not None and now - newest > AHEAD_MAX_MS:
        return now, describe_lead(now, newest, " of this host" if in_database is None else " of the database")
    hold = _hold(store)
    return now, "" if hold is None else f"retention is off: {hold.data.get('reason', 'a hold is stored')}"


def _hold(store: Opened) -> Card | None:
    with closing(store.reader()) as reader:
        return reader.card(ORGANIZATION, REGISTER, CARD)


def _release_hold(store: Opened, now: int) -> bool:
    """Turn retention on again, if a worker has turned it off. Return whether it was off."""
    if _hold(store) is None:
        return False
    store.commit([release(now, PROGRAM, f"{os.uname().nodename}-{os.getpid()}-forget")])
    return True


@DB.command
def scrub_triggers(
    *,
    dry_run: Annotated[
        bool, Parameter(help="change nothing; count the executions, and list what would be removed")
    ] = False,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Remove credentials of webhook requests from the trigger data of stored executions.

    Headers and query parameters that are credentials by their name are removed, as they are before storage today. Others go on
    working meanwhile. Inputs, outputs and variables are not changed. Run again, it changes nothing more.

    Example: perdure db scrub-triggers --dry-run --db sqlite:///flows.db
    """
    from perdure.service.credentials import removed_names, scrubbed_trigger_data  # noqa: PLC0415

    names: Counter[str] = Counter()

    def scrub(data: dict[str, Json]) -> dict[str, Json] | None:
        clean = scrubbed_trigger_data(data)
        if clean is not None:
            names.update(removed_names(data, clean))
        return clean

    database = to_look_at(db)
    store, _ = opened(database.url, CRASHES_MAX, LEASE_MS)
    read = changed = after = 0
    with closing(store):
        while True:
            batch = store.scrub_triggers(after, SCRUBBED_AT_ONCE, scrub, write=not dry_run)
            read, changed, after = read + batch.read, changed + batch.changed, batch.next
            if batch.read < SCRUBBED_AT_ONCE:
                break
            time.sleep(SCRUB_REST_SECONDS)
    if json:
        told = {"database": database.name, "read": read, "withCredentials": changed, "dryRun": dry_run}
        print_json({**told, "names": dict(names.most_common())})
        return 0
    if dry_run:
        print(f"{many(changed, 'execution')} of {read:,} in {database.name} hold credentials of webhook requests")
    else:
        print(f"credentials removed from {many(changed, 'execution')} of {read:,} in {database.name}")
    for name, count in names.most_common(SCRUBBED_NAMES_TOLD):
        print(f"  {shown(name)}: {many(count, 'execution')}")
    if len(names) > SCRUBBED_NAMES_TOLD:
        print(f"  and {len(names) - SCRUBBED_NAMES_TOLD:,} other names; --json lists all of them")
    return 0


def _forgotten(store: Store, before: int, statuses: Sequence[str], progress: _Progress, count: int) -> int:
    """A little at a time, with pauses in which others write."""
    budget = Budget()
    while budget.spend(lambda at_once, store: store.forget(before, at_once, None, statuses), store):
        progress(count - store.forgettable(before, statuses), count)
        time.sleep(budget.rest_seconds)
    return count - store.forgettable(before, statuses)


class _Progress:
    """A line that is written over, for what takes long, where somebody is looking."""

    def __init__(self, word: str) -> None:
        self._word = word
        self._begun = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        if sys.stderr.isatty() and time.monotonic() - self._begun > QUIET_SECONDS:
            end = "\r" if done < total else "\r\033[K"
            print(f"{self._word} {done / max(total, 1):.0%}", end=end, file=sys.stderr, flush=True)
