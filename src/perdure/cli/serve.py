"""`perdure serve`: the server, for others."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.cli.database import to_work_on
from perdure.cli.hints import hint
from perdure.cli.options import AsJson, ConnectionsFile, DatabaseUrl, Tasks
from perdure.cli.saying import refusal
from perdure.cli.serving import PORT, Port, serving
from perdure.cli.settings import require_settings
from perdure.cli.where import Where
from perdure.service.engine import Engine


def serve_command(
    *,
    host: Annotated[
        str,
        Parameter(metavar="ADDRESS", help="the address to listen on (default: 127.0.0.1); 0.0.0.0: all that there are"),
    ] = "127.0.0.1",
    port: Port = PORT,
    tasks: Tasks = (),
    connections: ConnectionsFile = None,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """A server with a worker beside it. Whoever asks needs a key, and it does not start before there is one.

    Several can serve one database: a file on one machine, Postgres on many. Put something in front of it that speaks TLS.
    SIGTERM ends it when it has answered what it was asked; SIGHUP has it followed by a new process, without a request lost.

    Example: perdure serve --host 0.0.0.0 --db postgresql://perdure@db/flows --tasks tasks.py
    """
    require_settings()
    database = to_work_on(db)

    async def prepare(engine: Engine) -> str:
        if not await engine.keys.exist():
            make = hint("keys", "create", "ops", "--role", "admin", where=Where(db=db))
            raise refusal("no_key", f"nobody could ask this server anything: there is no key yet; {make} makes one")
        return ""

    return serving(
        database,
        host,
        port,
        needs_key=True,
        tasks=tasks,
        connections=connections,
        prepare=prepare,
        restarts=True,
        as_json=json,
    )
