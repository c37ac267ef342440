"""Run work whose time grows with the size of a value in a thread, so that the event loop serves others meanwhile.

It helps with work in Python, which yields to other threads every few milliseconds. A parser in C holds the interpreter until it
is done, in a thread too; it takes a tenth of the time.
"""

from __future__ import annotations

from asyncio import wrap_future
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache, partial
from threading import Lock
from typing import Any, Final, TypeVar

INLINE_BYTES_MAX: Final = 32_768
"""Maximum size of a value that is parsed in the event loop. A thread takes 0.1 ms more; this much takes 25 ms at worst."""

THREADS_MAX: Final = 4
"""They share one interpreter with the event loop: more of them would be fairer to each other, and slower for the loop."""

ORGANIZATION: Final[ContextVar[str]] = ContextVar("perdure.offload.organization", default="")
"""The organization that the calling context works for."""

Answer = TypeVar("Answer")


@contextmanager
def working_for(organization: str) -> Iterator[None]:
    """Count what is computed within as work for this organization."""
    token = ORGANIZATION.set(organization)
    try:
        yield
    finally:
        ORGANIZATION.reset(token)


async def run_by_size(size: int, compute: Callable[[], Answer]) -> Answer:
    """Compute it here if `size`, in bytes or characters, is small; otherwise as `run_in_thread` does."""
    return compute() if size <= INLINE_BYTES_MAX else await run_in_thread(compute)


async def run_in_thread(compute: Callable[[], Answer]) -> Answer:
    """Compute it in a thread, with the context variables of the caller. If the caller is cancelled, the result is dropped.

    Waiting calls are served by organization, in turn; one organization has at most all threads but one.
    """
    return await wrap_future(_threads().submit(ORGANIZATION.get(), partial(copy_context().run, compute)))


class FairThreads:
    """Threads that serve the calls of organizations round robin."""

    def __init__(self, threads_max: int) -> None:
        self._threads_max = threads_max
        self._pool = ThreadPoolExecutor(threads_max, thread_name_prefix="perdure-parse")
        self._lock = Lock()
        self._waiting: dict[str, deque[tuple[Future[Any], Callable[[], Any]]]] = {}
        """By organization, the one first whose turn is next."""
        self._running: Counter[str] = Counter()

    def submit(self, organization: str, compute: Callable[[], Answer]) -> Future[Answer]:
        future: Future[Answer] = Future()
        with self._lock:
            self._waiting.setdefault(organization, deque()).append((future, compute))
            self._begin()
        return future

    def _begin(self) -> None:
        """With the lock: give the free threads to those whose turn it is."""
        while self._running.total() < self._threads_max:
            share = max(self._threads_max - 1, 1)
            organization = next((name for name in self._waiting if self._running[name] < share), None)
            if organization is None:
                return
            calls = self._waiting.pop(organization)
            future, compute = calls.popleft()
            if calls:
                self._waiting[organization] = calls  # after the others
            self._running[organization] += 1
            self._pool.submit(self._run, organization, future, compute)

    def _run(self, organization: str, future: Future[Any], compute: Callable[[], Any]) -> None:
        try:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = compute()
            except BaseException as error:  # noqa: BLE001  it is raised to the caller
                future.set_exception(error)
            else:
                future.set_result(result)
        finally:
            with self._lock:
                self._running[organization] -= 1
                if not self._running[organization]:
                    del self._running[organization]
                self._begin()


@cache
def _threads() -> FairThreads:
    return FairThreads(THREADS_MAX)
