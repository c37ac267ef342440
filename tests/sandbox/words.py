"""Short words for what the tests of the sandbox do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.sandbox import Ran, Sandbox

Answer = TypeVar("Answer")

SHORT_MS = 300
SLACK_SECONDS = 0.5


@asynccontextmanager
async def sandbox(children: int = 2) -> AsyncIterator[Sandbox]:
    made = Sandbox(children)
    try:
        yield made
    finally:
        await made.close()


def using(work: Callable[[Sandbox], Awaitable[Answer]], children: int = 2) -> Answer:
    """What `work` answers, in a sandbox that is closed afterwards."""

    async def use() -> Answer:
        async with sandbox(children) as made:
            return await work(made)

    return asyncio.run(use())


async def outcome(made: Sandbox, javascript: str, given: Any = None, timeout_ms: int = SHORT_MS) -> Any:
    """What it came to: `Ran`, or what was raised."""
    try:
        return await made.run(javascript, given, organization="acme", timeout_ms=timeout_ms)
    except (NonRetryable, Retryable) as error:
        return error


def ran(javascript: str, given: Any = None) -> Ran:
    """Of code that fails nowhere."""
    return using(lambda made: made.run(javascript, given, organization="acme"))


def failed(javascript: str, given: Any = None) -> Any:
    error = using(lambda made: outcome(made, javascript, given))
    assert isinstance(error, NonRetryable | Retryable), error
    return error
