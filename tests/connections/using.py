"""A pool of sessions on its own, for tests of them: no engine, no database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from perdure.model.values import Json
from perdure.tasks.addresses import Allowed
from perdure.tasks.door import Door
from perdure.tasks.limits import Limits
from perdure.tasks.mcp.connection import Connection, Http, Stdio
from perdure.tasks.mcp.pool import IDLE_SECONDS, Pool
from perdure.tasks.redaction import Redactor

KEY = ("default", "it")
Answer = TypeVar("Answer")


def program(command: list[str], **more: Any) -> Stdio:
    return Stdio(tuple(command), **{"connect_ms": 20_000, **more})


class Using:
    """`call` and `tools` of one connection."""

    def __init__(self, pool: Pool, connection: Connection) -> None:
        self.pool, self.connection = pool, connection

    async def call(
        self,
        tool: str = "do",
        seconds: float = 20.0,
        key: str = "k1",
        redactor: Redactor | None = None,
        **arguments: Json,
    ) -> Json:
        return await self.pool.use(
            KEY, self.connection, None, lambda session: session.call(tool, arguments, key, seconds, None, redactor)
        )

    async def tools(self, *, anew: bool = False) -> Any:
        return await self.pool.use(KEY, self.connection, None, lambda session: session.tools(anew=anew))


def using(
    connection: Connection,
    play: Callable[[Using], Awaitable[Answer]],
    *,
    allowed: Allowed | None = None,
    limits: Limits | None = None,
    idle_seconds: float = IDLE_SECONDS,
) -> Answer:
    """Nothing is left running afterwards."""

    async def played() -> Answer:
        pool = Pool(lambda: Door(allowed, limits), limits or Limits(), idle_seconds)
        try:
            return await play(Using(pool, connection))
        finally:
            await pool.close()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            assert not others, others

    return asyncio.run(played())


def address(url: str, **more: Any) -> Http:
    return Http(url, **more)


def here(*ports: int) -> Allowed:
    """Ports of this machine that may be called."""
    return Allowed([], [f"127.0.0.1:{port}" for port in ports])


async def until(is_so: Callable[[], object]) -> None:
    """What nothing tells of: a process that is gone, say."""
    while not is_so():  # noqa: ASYNC110
        await asyncio.sleep(0.01)
