"""The client for programs without an event loop: the same verbs, each of which waits. A thread of its own has the loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Any, Self

from perdure.client.channel import DEADLINE_SECONDS
from perdure.client.client import Client
from perdure.client.execution import Execution
from perdure.service.errors import Conflict


class SyncClient:
    """`with SyncClient(url, key) as client: client.executions.start("order").result()`. What it is given and
    what it has is what `Client` is and has.
    """

    def __init__(
        self, url: str | None = None, key: str | None = None, *, deadline_seconds: float = DEADLINE_SECONDS
    ) -> None:
        self._client = Client(url, key, deadline_seconds=deadline_seconds)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="perdure-client", daemon=True)
        self._asking, self._is_closed = threading.Lock(), False
        """Nothing is asked of the loop after it was told to end: there would be no answer."""
        self._thread.start()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _waiting(getattr(self._client, name), self._wait)

    def __repr__(self) -> str:
        return f"SyncClient({self._client.url!r})"

    def close(self) -> None:
        with self._asking:
            if self._is_closed:
                return
            self._is_closed = True
            ended = asyncio.run_coroutine_threadsafe(self._ended(), self._loop)
        ended.result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def _ended(self) -> None:
        """Threads that wait for an answer would wait for ever for a loop that has stopped."""
        waited_for = asyncio.all_tasks() - {asyncio.current_task()}
        for each in waited_for:
            each.cancel()
        await asyncio.gather(*waited_for, return_exceptions=True)
        await self._client.aclose()

    def _wait(self, asked: Coroutine[Any, Any, Any]) -> Any:
        """Raises `Conflict` if it is closed, or is while it waits."""
        with self._asking:
            if self._is_closed:
                asked.close()  # nobody will await it, and Python would say so
                raise self._closed()
            future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        try:
            return future.result()
        except CancelledError:
            raise self._closed() from None
        except BaseException:
            future.cancel()  # Ctrl-C ends what is asked, too
            raise

    def _closed(self) -> Conflict:
        return Conflict(f"{self!r} is closed; ask before its `with` block ends, or make another")


class _Waiting:
    """A part of a client, or an execution, whose verbs wait."""

    def __init__(self, inside: Any, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._inside, self._wait = inside, wait

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return _waiting(getattr(self._inside, name), self._wait)

    def __repr__(self) -> str:
        return repr(self._inside)


def _waiting(found: Any, wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> Any:
    """The same, for whoever waits: of a verb, what comes of it; of what happens one after the other, an iterator."""
    if type(found).__module__.startswith("perdure.client") and not inspect.isroutine(found):
        return _Waiting(found, wait)
    if not inspect.isroutine(found):
        return found

    def called(*given: Any, **named: Any) -> Any:
        answer = found(*given, **named)
        if inspect.iscoroutine(answer):
            answer = wait(answer)
        if isinstance(answer, AsyncIterator):
            return _each(answer, wait)
        return _Waiting(answer, wait) if isinstance(answer, Execution) else answer

    return called


def _each(items: AsyncIterator[Any], wait: Callable[[Coroutine[Any, Any, Any]], Any]) -> Iterator[Any]:
    async def following() -> tuple[Any, ...]:
        try:
            return (await anext(items),)
        except StopAsyncIteration:
            return ()

    while found := wait(following()):
        yield found[0]
