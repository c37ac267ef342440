"""A server in this process: the application on a socket, until it is told to end. What has been asked is answered first."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Final, cast

import uvicorn
from fastapi import FastAPI

from perdure.api.app import application
from perdure.api.arriving import Arriving, Room
from perdure.api.handing_over import Restarts
from perdure.errors import PerdureError
from perdure.hosts.settings import connections_max
from perdure.hosts.signals import unless_told_to_end
from perdure.service.engine import Engine
from perdure.settings.environment import environment

GRACE_SECONDS: Final = 10
BACKLOG: Final = 2_048
LOOK_SECONDS: Final = 0.02


class CannotListen(PerdureError, code="cannot_listen"):
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
    return found


def given(number: int) -> socket.socket:
    """A socket that somebody else has made to listen, by the number of its file."""
    try:
        found = socket.socket(fileno=number)
        if found.family not in (socket.AF_INET, socket.AF_INET6) or found.type != socket.SOCK_STREAM:
            found.close()
            raise CannotListen(f"file {number} is not a socket of TCP; give one that listens on an address and a port")
        found.listen(BACKLOG)
    except OSError as error:
        raise CannotListen(f"file {number} was given as a socket to listen on: {error.strerror}") from error
    found.set_inheritable(False)  # a successor is given it by name, and no other program that is started here
    return found


async def serve(
    engine: Engine,
    place: socket.socket,
    *,
    needs_key: bool,
    ready: Callable[[], object] = lambda: None,
    restarts: Restarts | None = None,
) -> None:
    """Until SIGTERM or SIGINT, until a successor has taken over, or until the store fails. The engine has to run."""
    async with answering(engine, place, needs_key=needs_key) as running:
        followed = () if restarts is None else (restarts.succeeded(),)
        with contextlib.nullcontext() if restarts is None else restarts.heard():
            ready()
            await unless_told_to_end(engine.host.shell.failed(), running.over(), *followed)
        engine.host.end_within(GRACE_SECONDS)
        if restarts is not None and restarts.pid is not None:
            await running.drain()


class Answering:
    """The server while it answers."""

    def __init__(self, app: FastAPI, server: uvicorn.Server, place: socket.socket) -> None:
        self._app, self._server = app, server
        self._task = asyncio.create_task(server.serve(sockets=[place]))

    async def over(self) -> None:
        await asyncio.shield(self._task)

    async def drain(self) -> None:
        """Take no more connections; another process does. Whoever is connected already is answered what they ask next, and told
        to come anew: a connection that was closed under them would look to them as if their request were lost. Those that ask
        nothing are closed when they would have been anyway.
        """
        for each in self._server.servers:
            each.close()
        self._app.state.is_followed = True
        self._app.state.ending.set()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_SECONDS):
                while self._server.server_state.connections:  # noqa: ASYNC110  nobody tells when they are gone
                    await asyncio.sleep(LOOK_SECONDS)

    async def end(self) -> None:
        self._app.state.ending.set()
        self._server.should_exit = True
        await asyncio.gather(self._task, return_exceptions=True)


@contextlib.asynccontextmanager
async def answering(engine: Engine, place: socket.socket, *, needs_key: bool) -> AsyncIterator[Answering]:
    """While this lasts, requests are answered; at its end, those that have begun are."""
    app = application(engine, needs_key=needs_key)
    config = uvicorn.Config(
        app,
        http=cast(
            type[Arriving], partial(Arriving, room=Room(connections_max(environment())))
        ),  # it is called, and no more
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="none",
    )
    running = Answering(app, _Server(config), place)
    try:
        yield running
    finally:
        await running.end()
