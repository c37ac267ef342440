"""`perdure worker`: carries on what a database holds."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

from cyclopts import Parameter

from perdure.cli.database import sqlite_path, usable
from perdure.cli.engines import with_tasks
from perdure.cli.options import AsJson, DatabaseUrl, Tasks
from perdure.cli.saying import print_json, refusal
from perdure.service.engine import Engine


def worker_command(
    *,
    until_idle: Annotated[bool, Parameter(help="run all that can run, then exit")] = False,
    tasks: Tasks = (),
    connections: Annotated[str | None, Parameter(help="a file with MCP connections; there are none yet")] = None,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """Carry on the executions of a database, until it is told to stop by Ctrl-C or SIGTERM.

    Several workers, on one machine, share a database. Nothing is lost when one is killed: another goes on.

    Example: perdure worker --db sqlite:///flows.db --tasks tasks.py
    """
    if connections is not None:
        raise refusal("unsupported", "--connections: there are no MCP connections yet; leave it out")
    path = sqlite_path(db)
    engine = with_tasks(Engine(usable(path)), tasks)
    if not json:
        names = ", ".join(sorted(engine.tasks.names()))
        print(f"perdure worker on {path}, with {names}", file=sys.stderr)
    asyncio.run(_work(engine, until_idle=until_idle))
    if json:
        print_json({"database": path, "ended": "idle" if until_idle else "told to"})
    else:
        print("idle: nothing is left that can run now" if until_idle else "stopped", file=sys.stderr)
    return 0


async def _work(engine: Engine, *, until_idle: bool) -> None:
    async with engine:
        if until_idle:
            await engine.run_until_idle()
        else:
            await engine.serve()
