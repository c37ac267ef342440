"""What `perdure dev` and `perdure serve` share: a server, and a worker beside it in the same process."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address
from typing import Annotated

import uvloop
from cyclopts import Parameter

from perdure.api.handing_over import Inheritance, Restarts, inherited
from perdure.api.server import given, listening, serve
from perdure.cli.connecting import read_connections
from perdure.cli.database import Database
from perdure.cli.engines import with_tasks
from perdure.cli.logs import logs_printed
from perdure.cli.saying import print_json, refusal
from perdure.cli.systemd import activated, notify
from perdure.hosts.log_queue import write_line
from perdure.hosts.settings import allow_files, public_url_of
from perdure.service.engine import Engine
from perdure.settings.environment import environment

PORT = 8400
UNKNOWN_PUBLIC = (
    "links begin with no address, as it listens on all there are; set PERDURE_PUBLIC_URL to the one people use"
)
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
    restarts: bool = False,
    as_json: bool = False,
) -> int:
    """Until it is told to stop. `prepare` has the running engine first, and what it says is printed below the address.

    `restarts`: SIGHUP has it followed by another one. At a terminal it does not: there it says that the terminal is gone.
    `as_json`: where it listens is one object on stdout, when it does.
    """
    by_hangup = restarts and not _is_at_a_terminal()
    operators = read_connections(connections)
    if not 0 <= port < 1 << 16:
        raise refusal("invalid_option", f"--port {port} is no port; choose one from 0 to 65535")
    followed = inherited()
    with contextlib.closing(_place(followed, host, port)) as place:
        found, number = place.getsockname()[:2]
        address = f"http://{_named(found)}:{number}"
        public = public_url_of(environment()) or ("" if _is_every(found) else address)
        allow_files(environment())
        engine = with_tasks(Engine(database.url, connections=operators, public_url=public), tasks)

        async def work() -> None:
            async with engine:
                said = await prepare(engine)
                new = ", a new database" if database.is_new else ""

                def tell() -> None:
                    if as_json:
                        print_json({"url": address, "database": database.name, "new": database.is_new})
                        sys.stdout.flush()
                    else:
                        write_line(f"perdure on {address}, with {database.name}{new}; Ctrl-C stops it")
                        if said:
                            write_line(said)
                        if not public:
                            write_line(UNKNOWN_PUBLIC)
                    settle()
                    if followed is None:
                        notify("READY=1")
                    else:
                        followed.say_ready()

                restarts = Restarts(place, _say, lambda pid: notify(f"MAINPID={pid}")) if by_hangup else None
                await serve(engine, place, needs_key=needs_key, ready=tell, restarts=restarts)

        with logs_printed(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(work())
    return 0


def _place(followed: Inheritance | None, host: str, port: int) -> socket.socket:
    """Where it listens: on what it was given, by whoever was here before or by systemd, or else on what was typed."""
    number = activated() if followed is None else followed.place
    return listening(host, port) if number is None else given(number)


def _say(words: str) -> None:
    write_line(f"perdure, process {os.getpid()}: {words}")


def _is_at_a_terminal() -> bool:
    return sys.stdin is not None and not sys.stdin.closed and sys.stdin.isatty()


def _is_every(host: str) -> bool:
    return ip_address(host).is_unspecified


def settle() -> None:
    """What there is by now stays: to look through all of it for garbage, again and again, would take a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _named(host: str) -> str:
    return f"[{host}]" if ":" in host else host
