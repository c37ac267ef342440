"""What `perdure dev` and `perdure serve` share: a server, and a worker beside it in the same process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Annotated

import uvloop
from cyclopts import Parameter

from perdure.api.server import listening, serve
from perdure.cli.connecting import read_connections
from perdure.cli.database import Database
from perdure.cli.engines import with_tasks
from perdure.cli.logs import logs_printed
from perdure.cli.saying import refusal
from perdure.service.engine import Engine

PORT = 8400
Port = Annotated[int, Parameter(metavar="N", help=f"the port to listen on (default: {PORT}); 0: any that is free")]


def serving(
    database: Database,
    host: str,
    port: int,
    *,
    needs_key: bool,
    tasks: Sequence[str],
    connections: str | None,
    prepare: Callable[[Engine], Awaitable[str]],
) -> int:
    """Until it is told to stop. `prepare` has the running engine first, and what it says is printed below the address."""
    operators = read_connections(connections)
    if not 0 <= port < 1 << 16:
        raise refusal("invalid_option", f"--port {port} is no port; choose one from 0 to 65535")
    with contextlib.closing(listening(host, port)) as place:
        address = f"http://{_named(host)}:{place.getsockname()[1]}"
        os.environ.setdefault("PERDURE_PUBLIC_URL", address)
        engine = with_tasks(Engine(database.url, connections=operators), tasks)

        async def work() -> None:
            async with engine:
                said = await prepare(engine)
                new = ", a new database" if database.is_new else ""

                def tell() -> None:
                    print(f"perdure on {address}, with {database.name}{new}; Ctrl-C stops it", file=sys.stderr)
                    if said:
                        print(said, file=sys.stderr)
                    sys.stderr.flush()
                    settle()

                await serve(engine, place, needs_key=needs_key, ready=tell)

        with logs_printed(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
    return 0


def settle() -> None:
    """What there is by now stays: to look through all of it for garbage, again and again, would take a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def is_own_machine(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
