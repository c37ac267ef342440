"""Something between a client and a server that cuts connections: before anything has come through, or before the answer has."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

Cut = Literal["", "at once", "after the request", "in the answer"]


class Proxy:
    """`cuts` says how each connection fares, in turn; those that come after are left alone."""

    def __init__(self, port: int, cuts: list[Cut]) -> None:
        self._port, self._cuts = port, list(cuts)
        self.url = ""
        self.seen = 0
        """How many requests came through to the server."""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        cut = self._cuts.pop(0) if self._cuts else ""
        if cut == "at once":
            writer.transport.abort()
            return
        theirs, to_them = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            while True:
                request = await _message(reader)
                if not request:
                    return
                to_them.write(request)
                await to_them.drain()
                self.seen += 1
                answer = await _message(theirs)
                if cut == "after the request":
                    writer.transport.abort()
                    return
                writer.write(answer[: len(answer) // 2] if cut else answer)
                await writer.drain()
                if cut:
                    writer.transport.abort()
                    return
        finally:
            to_them.close()
            writer.close()


async def _message(reader: asyncio.StreamReader) -> bytes:
    """A request or an answer, whole; nothing at the end."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return b""
    lengths = [line.split(b":")[1] for line in head.splitlines() if line.lower().startswith(b"content-length:")]
    return head + await reader.readexactly(int(lengths[0]) if lengths else 0)


@asynccontextmanager
async def cutting(port: int, *cuts: Cut) -> AsyncIterator[Proxy]:
    proxy = Proxy(port, list(cuts))
    server = await asyncio.start_server(proxy.handle, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield proxy
