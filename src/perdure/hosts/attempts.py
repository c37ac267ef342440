"""One call of a task: how long it may take, how long it may be silent, and whether anybody still waits for it."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Self

from perdure.model.failure import Category
from perdure.tasks.failing import Abandoned, Retryable


class TookTooLong(Retryable, public_name="TookTooLong"):
    """The attempt was given up. It may have had its effect: the next one carries the same idempotency key."""

    category = Category.TIMEOUT


class Attempt:
    """`async with attempt:` around the call. `heard` may be called from any thread. `what` is called, as messages name it."""

    def __init__(self, what: str, timeout_ms: int | None, heartbeat_seconds: float | None) -> None:
        self._what = what
        self._timeout_ms, self._heartbeat_seconds = timeout_ms, heartbeat_seconds
        self._limit = asyncio.timeout(None if timeout_ms is None else timeout_ms / 1_000)
        self._abandoned = False
        self._silent = False
        self._heard_at = time.monotonic()
        self._watch: asyncio.TimerHandle | None = None

    def heard(self) -> None:
        if self._abandoned:
            raise Abandoned("nobody waits for this attempt any more")
        self._heard_at = time.monotonic()

    def abandon(self) -> None:
        """Whoever asks from now on is told that nobody waits for it."""
        self._abandoned = True

    async def __aenter__(self) -> Self:
        await self._limit.__aenter__()
        if self._heartbeat_seconds is not None:
            self._listen_again(self._heartbeat_seconds)
        return self

    def _listen_again(self, seconds: float) -> None:
        self._watch = asyncio.get_running_loop().call_later(seconds, self._listen)

    def _listen(self) -> None:
        assert self._heartbeat_seconds is not None
        left = self._heard_at + self._heartbeat_seconds - time.monotonic()
        if left > 0:
            self._listen_again(left)
            return
        if not self._limit.expired():  # else it has been told already, and takes its time
            self._silent = True
            self._limit.reschedule(0)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._abandoned = True
        if self._watch is not None:
            self._watch.cancel()
        try:
            await self._limit.__aexit__(kind, error, trace)
        except TimeoutError as expired:
            if self._silent:
                silent = f"{self._what} has not been heard of for {self._heartbeat_seconds} seconds"
                raise TookTooLong(silent, code="TIMEOUT") from expired
            late = f"{self._what} took longer than its timeout of {self._timeout_ms} ms"
            raise TookTooLong(late, code="TIMEOUT") from expired
