"""Who waits for the end of an execution. Most ends pass through this worker; those of executions that another one has are
found in the history that all of them write.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol

from perdure.errors import PerdureError, UnknownExecution
from perdure.model.records import ExecutionRecord
from perdure.store.port import Unavailable

LOOK_SECONDS = 0.05
IDLE_SECONDS = 1.0
"""So often it is looked while nobody waits: whoever comes then is not to go through all that has ended since."""


class Read(Protocol):
    """Asks the store."""

    def __call__(self, question: Callable[[Any], Any], /) -> Awaitable[Any]: ...


class Ends:
    """`seen` is the place in the history up to which ends are known."""

    def __init__(self, read: Read, seen: int) -> None:
        self._read, self._seen = read, seen
        self._waiting: dict[str, list[asyncio.Future[ExecutionRecord]]] = {}
        self._is_wanted = asyncio.Event()
        """Set when somebody has come to wait."""
        self._looking: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._looking = asyncio.get_running_loop().create_task(self._look())

    async def stop(self) -> None:
        self.close()
        if self._looking is not None:
            await asyncio.gather(self._looking, return_exceptions=True)

    def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()

    def ended(self, record: ExecutionRecord) -> None:
        for waiting in self._waiting.pop(record.id, ()):
            if not waiting.done():
                waiting.set_result(record)

    async def wait(self, execution: str, *, passes_here: bool) -> ExecutionRecord:
        """`passes_here`: this worker has it now, and it has not ended."""
        waiting: asyncio.Future[ExecutionRecord] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(execution, []).append(waiting)
        self._is_wanted.set()
        try:
            if not passes_here:
                record = await self._read(lambda store: store.record(execution))
                if record is None:
                    raise UnknownExecution(f"there is no execution {execution!r}")
                if record.ended_at is not None:
                    self.ended(record)
            return await waiting
        finally:
            self._leave(execution, waiting)

    def _leave(self, execution: str, waiting: asyncio.Future[ExecutionRecord]) -> None:
        """This one waits no longer; others for the same execution may."""
        others = self._waiting.get(execution, [])
        if waiting in others:
            others.remove(waiting)
            if not others:
                del self._waiting[execution]

    def fail(self, error: PerdureError) -> None:
        for many in self._waiting.values():
            for waiting in many:
                if not waiting.done():
                    waiting.set_exception(error)
        self._waiting.clear()

    async def _look(self) -> None:
        while True:
            await self._pause()
            try:
                seen, ended = await self._read(lambda store: store.ends_after(self._seen))
                for execution in ended:
                    if execution in self._waiting:
                        record = await self._read(partial(_record, execution))
                        if record is not None and record.ended_at is not None:
                            self.ended(record)
                self._seen = seen  # not before: what could not be read is read again
            except Unavailable:  # the writer says so
                continue

    async def _pause(self) -> None:
        if not self._waiting:
            self._is_wanted.clear()
            try:
                async with asyncio.timeout(IDLE_SECONDS):
                    await self._is_wanted.wait()
            except TimeoutError:
                return
        await asyncio.sleep(LOOK_SECONDS)


def _record(execution: str, store: Any) -> Any:
    return store.record(execution)
