"""Load from another process: so many connections, each asking again as soon as it was answered.

`python -m api.load PORT CONNECTIONS SECONDS BODY [TOKEN]` prints JSON: how many a second, and how long they took. It speaks just
enough HTTP for that: a client with more to it would be what is measured.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time

import uvloop

_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, request: bytes, until: float, times: list[float], faults: list[bytes]) -> None:
        self._request, self._until, self._times, self._faults = request, until, times, faults
        self._received, self._began = b"", 0.0
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._send()

    def _send(self) -> None:
        self._began = time.perf_counter()
        self._transport.write(self._request)  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(b"\r\n\r\n")
        if not found:
            return
        length = _LENGTH.search(head)
        assert length is not None, head
        if len(body) < int(length.group(1)):
            return
        self._received = b""
        if not head.startswith(b"HTTP/1.1 201"):
            self._faults.append(head[:80] + body[:300])
        self._times.append(time.perf_counter() - self._began)
        if time.perf_counter() < self._until:
            self._send()
        else:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002
        if not self.over.done():
            self.over.set_result(None)


async def main(port: int, connections: int, seconds: float, body: str, token: str) -> None:
    head = (
        f"POST /api/executions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body.encode())}\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "")
    )
    request = f"{head}\r\n{body}".encode()
    loop = asyncio.get_running_loop()
    times: list[float] = []
    faults: list[bytes] = []
    began = time.perf_counter()
    clients = [
        (await loop.create_connection(lambda: Client(request, began + seconds, times, faults), "127.0.0.1", port))[1]
        for _ in range(connections)
    ]
    await asyncio.gather(*(client.over for client in clients))
    took = time.perf_counter() - began
    times.sort()
    print(
        json.dumps(
            {
                "per_second": len(times) / took,
                "p50_ms": times[len(times) // 2] * 1_000,
                "p99_ms": times[int(len(times) * 0.99)] * 1_000,
                "count": len(times),
                "faults": [fault.decode("latin-1") for fault in faults[:3]],
            }
        )
    )


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(
            main(
                int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5] if sys.argv[5:] else ""
            )
        )
