"""Threads for functions that are not async. A process that ends does not wait for them, as it does for those of the standard
library: one that hangs would keep it from ending, long after its time of grace.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, ParamSpec, TypeAlias, TypeVar

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
_Call: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Threads(Executor):
    """At most `count_max` of them, begun as they are needed. `submit` and `shutdown` are called from one thread."""

    def __init__(self, count_max: int, name: str) -> None:
        self._count_max, self._name = count_max, name
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._free = threading.Semaphore(0)
        self._count = 0

    def submit(self, function: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Answer]:
        future: Future[Answer] = Future()
        self._calls.put((future, partial(function, *args, **kwargs)))
        if not self._free.acquire(blocking=False) and self._count < self._count_max:
            self._count += 1
            threading.Thread(target=self._run, name=f"{self._name}-{self._count}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002  they are not waited for
        """Threads end when they have nothing more to do; what has not begun is dropped if it is to be cancelled."""
        while cancel_futures:
            try:
                call = self._calls.get_nowait()
            except Empty:
                break
            if call is not None:
                call[0].cancel()
        for _ in range(self._count):
            self._calls.put(None)

    def _run(self) -> None:
        while (call := self._calls.get()) is not None:
            _perform(*call)
            self._free.release()


def _perform(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = call()
    except StopIteration as error:  # no future can hold it
        future.set_exception(RuntimeError(f"the task raised StopIteration: {error}"))
    except BaseException as error:  # noqa: BLE001  it belongs to whoever waits for the answer
        future.set_exception(error)
    else:
        future.set_result(answer)
