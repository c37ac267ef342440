"""`perdure worker`: carries on what a database holds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from perdure.cli.connecting import read_connections
from perdure.cli.database import Database, to_work_on
from perdure.cli.engines import with_tasks
from perdure.cli.logs import logs_printed
from perdure.cli.options import AsJson, ConnectionsFile, DatabaseUrl, Tasks
from perdure.cli.saying import STOPPED, only_the_object, print_json
from perdure.cli.settings import require_settings
from perdure.cli.wording import duration, many, shown, time_of_day
from perdure.clock import now_ms
from perdure.expressions.times import iso
from perdure.expressions.wording import near
from perdure.hosts.idle import Idle
from perdure.hosts.log_queue import log_queue, write_line
from perdure.model.executors import NODE
from perdure.model.records import ExecutionRecord
from perdure.service.engine import Engine
from perdure.service.times import local_time
from perdure.store.postgres.urls import is_postgres
from perdure.store.questions import Due

COUNTED = ("completed", "failed", "cancelled", "waiting")


def worker_command(
    *,
    until_idle: Annotated[bool, Parameter(help="run all that can run, then exit")] = False,
    horizon: Annotated[
        float,
        Parameter(metavar="SECONDS", help="with --until-idle: a timer that is due in so many seconds is waited for"),
    ] = 1.0,
    tasks: Tasks = (),
    connections: ConnectionsFile = None,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Carry on the executions of a database, until it is told to stop by Ctrl-C or SIGTERM.

    Several workers share a database: a file on one machine, Postgres on many. Nothing is lost when one is killed:
    another goes on.

    Example: perdure worker --db sqlite:///flows.db --tasks tasks.py
    """
    require_settings()
    operators = read_connections(connections)
    database = to_work_on(db)
    with only_the_object(as_json=json):
        engine = with_tasks(Engine(database.url, connections=operators), tasks)
        banner = None if json else _banner(database, _named(engine.tasks.names()), sorted(operators))
        with logs_printed():
            idle, due = asyncio.run(_work(engine, horizon if until_idle else None, banner))
    told = {"database": database.name, "ended": "stopped" if idle is None or idle.interrupted else "idle"}
    counts = {} if idle is None else {name: getattr(idle, name) for name in COUNTED}
    if json:
        next_due = {} if idle is None else {"next_due": None if due is None else _due_as_json(due)}
        print_json({**told, **counts, **next_due})
    else:
        ended = ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "nothing was to do"
        with log_queue():
            write_line(f"{told['ended']}{'' if idle is None else f': {ended}'}{_next(due)}")
    return STOPPED if idle is not None and idle.interrupted else 0


def _named(tasks: Iterable[str]) -> tuple[str, ...]:
    """Without those that only the engine itself calls."""
    return tuple(name for name in tasks if not name.startswith("perdure."))


def _banner(database: Database, tasks: Iterable[str], connections: Sequence[str]) -> str:
    """What it works on, what it can call, and how to stop it. A new database may be a misspelt one."""
    names = sorted(name.removeprefix(NODE) for name in tasks)
    beside = f", and {many(len(connections), 'connection')}: {', '.join(connections)}" if connections else ""
    able = f"with {many(len(names), 'task')}: {', '.join(names)}{beside}; Ctrl-C stops it"
    name = database.name
    if not database.is_new:
        return f"perdure worker on {name}; {able}"
    path = Path(name)
    others = (each.name for each in sorted(path.parent.glob("*.db")) if each != path)
    meant = None if is_postgres(database.url) else near(path.name, others)
    hint = (
        ""
        if meant is None
        else f"\nthere was no {name} before; if you meant {path.with_name(meant)}, stop, and name that"
    )
    return f"perdure worker on {name}, a new database; {able}{hint}"


def _next(due: Due | None) -> str:
    if due is None:
        return ""
    return f"; next is execution {due.execution}, at {local_time(due.at)}, in {duration(due.at - now_ms())}"


def _due_as_json(due: Due) -> dict[str, str]:
    return {"execution": due.execution, "at": iso(due.at)}


async def _work(engine: Engine, horizon_seconds: float | None, banner: str | None) -> tuple[Idle | None, Due | None]:
    """None: it worked until it was told to stop. `banner` is printed once nothing has kept it from working; None: nothing is."""
    async with engine:
        if banner is not None:
            write_line(banner)
            engine.host.shell.on_ended.append(_tell)
        if horizon_seconds is None:
            await engine.serve()
            return None, None
        idle = await engine.run_until_idle(horizon_seconds=horizon_seconds)
        return idle, await engine.next_due()


def _tell(record: ExecutionRecord) -> None:
    """Failures are worth a line; what goes well can be listed."""
    if record.status == "failed":
        why = "" if record.error is None else f": {shown(record.error.message)}"
        write_line(f"{time_of_day(record.ended_at or now_ms())}  {record.id} failed{why}")
