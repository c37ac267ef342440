"""The way into Restate: messages that are durable when they are taken. Of several nodes, one that answers will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2

from perdure.errors import PerdureError

SECONDS = 30.0


class RestateUnreachable(PerdureError, code="restate_unreachable"):
    """No node of Restate took it. It may have been taken nevertheless: whoever sends it again uses the same idempotency key."""


class Ingress:
    def __init__(self, urls: Sequence[str]) -> None:
        self._urls = list(urls)
        self._client = httpx2.AsyncClient(timeout=SECONDS, trust_env=False)

    async def close(self) -> None:
        await self._client.aclose()

    async def call(self, service: str, key: str, handler: str, data: bytes, idempotency_key: str) -> None:
        """Until it is dealt with."""
        await self._post(f"{service}/{key}/{handler}", data, idempotency_key)

    async def send(self, service: str, key: str, handler: str, data: bytes, idempotency_key: str) -> None:
        """Until it is durable. The same key twice is one message, for a day."""
        await self._post(f"{service}/{key}/{handler}/send", data, idempotency_key)

    async def _post(self, path: str, data: bytes, idempotency_key: str) -> None:
        headers = {"content-type": "application/json", "idempotency-key": idempotency_key}
        why: Any = None
        for url in tuple(self._urls):
            try:
                answer = await self._client.post(f"{url}/{path}", content=data, headers=headers)
            except httpx2.TransportError as error:
                why = error
            else:
                if answer.is_success:
                    return
                why = f"{answer.status_code} {answer.text}"
            self._urls.append(self._urls.pop(0))  # the others first, from now on
        raise RestateUnreachable(f"no node of Restate at {', '.join(self._urls)} took a message for {path}: {why!r}")
