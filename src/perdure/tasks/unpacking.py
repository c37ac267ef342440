"""Clients of others unpack what they are answered whole, whatever comes of it: a few kilobytes can be gigabytes.

So they get it unpacked, piece by piece and no more than is let in, and do not learn that it was packed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import httpx2

from perdure.tasks.transport import DoorTransport, too_large


class UnpackingTransport(httpx2.AsyncBaseTransport):
    def __init__(self, door: DoorTransport, bytes_max: int) -> None:
        self._door, self._bytes_max = door, bytes_max

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        packed = await self._door.handle_async_request(request)
        if "content-encoding" not in packed.headers:
            return packed
        headers = packed.headers.copy()
        for name in ("content-encoding", "content-length"):
            headers.pop(name, None)
        return httpx2.Response(
            packed.status_code, headers=headers, stream=_Unpacked(packed, self._bytes_max), request=request
        )

    async def aclose(self) -> None:
        await self._door.aclose()


class _Unpacked(httpx2.AsyncByteStream):
    def __init__(self, packed: httpx2.Response, bytes_max: int) -> None:
        self._packed, self._bytes_max = packed, bytes_max

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async with aclosing(self._packed.aiter_bytes()) as parts:
            async for part in parts:
                seen += len(part)
                if seen > self._bytes_max:
                    raise too_large(self._bytes_max)
                yield part

    async def aclose(self) -> None:
        await self._packed.aclose()
