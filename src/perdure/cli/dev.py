"""`perdure dev`: everything on one's own machine, with something to look at."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from perdure.cli.database import from_environment, to_work_on
from perdure.cli.examples import load_examples
from perdure.cli.options import AsJson, ConnectionsFile, DatabaseUrl, Tasks
from perdure.cli.saying import refusal
from perdure.cli.serving import PORT, Port, serving
from perdure.cli.settings import require_settings
from perdure.service.engine import Engine
from perdure.tasks.addresses import is_own_machine

DATABASE = "sqlite:///perdure.db"


def dev_command(
    *,
    host: Annotated[
        str, Parameter(metavar="ADDRESS", help="an address of this machine alone (default: 127.0.0.1)")
    ] = "127.0.0.1",
    port: Port = PORT,
    tasks: Tasks = (),
    connections: ConnectionsFile = None,
    no_examples: Annotated[bool, Parameter(help="leave an empty database empty")] = False,
    db: DatabaseUrl = None,
    json: AsJson = False,
) -> int:
    """A server and a worker on this machine, for this machine: nobody needs a key, and whoever asks may do everything.

    An empty database gets the examples. Without --db it is perdure.db in this folder.

    Example: perdure dev
    """
    require_settings()
    if not is_own_machine(host):
        raise refusal(
            "invalid_option",
            f"--host {host}: `perdure dev` asks nobody for a key, and is for this machine alone; use `perdure serve`",
        )
    database = to_work_on(db or from_environment() or DATABASE)

    async def prepare(engine: Engine) -> str:
        return "" if no_examples else await load_examples(engine)

    return serving(
        database,
        host,
        port,
        needs_key=False,
        tasks=tasks,
        connections=connections,
        prepare=prepare,
        as_json=json,
    )
