"""A server in this process: the application on a socket, until it is told to end. What has been asked is answered first."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

import uvicorn

from perdure.api.app import application
from perdure.errors import PerdureError
from perdure.hosts.signals import unless_told_to_end
from perdure.service.engine import Engine

GRACE_SECONDS: Final = 10
BACKLOG: Final = 2_048


class CannotListen(PerdureError):
    """The address is taken, or not one of this machine; the message says what to do."""


class _Server(uvicorn.Server):
    """Who is told to end is decided above it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listening(host: str, port: int) -> socket.socket:
    """A socket that takes connections already: whoever connects before the server runs waits, and is not refused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP: only then does asyncio send what is small at once, instead of waiting 40 ms for more to come.
    found = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((host, port))
        found.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        said = getattr(error, "strerror", None) or str(error)
        raise CannotListen(
            f"{host}:{port} cannot be listened on: {said}; choose another with --host and --port"
        ) from error
    found.set_inheritable(True)
    return found


async def serve(
    engine: Engine, place: socket.socket, *, needs_key: bool, ready: Callable[[], object] = lambda: None
) -> None:
    """Until SIGTERM or SIGINT, or until the store fails. The engine has to run."""
    async with answering(engine, place, needs_key=needs_key) as running:
        ready()
        await unless_told_to_end(engine.host.shell.failed(), _over(running))


@contextlib.asynccontextmanager
async def answering(engine: Engine, place: socket.socket, *, needs_key: bool) -> AsyncIterator[asyncio.Task[None]]:
    """While this lasts, requests are answered; at its end, those that have begun are."""
    app = application(engine, needs_key=needs_key)
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="none",
    )
    server = _Server(config)
    running = asyncio.create_task(server.serve(sockets=[place]))
    try:
        yield running
    finally:
        app.state.is_ending = True
        server.should_exit = True
        await asyncio.gather(running, return_exceptions=True)


async def _over(running: asyncio.Task[None]) -> None:
    await asyncio.shield(running)
