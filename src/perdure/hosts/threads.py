"""Threads for functions that are not async. A process that ends does not wait for them, as it does for those of the standard
library: one that hangs would keep it from ending, long after its time of grace.

Organizations are served in turn, and none has all the threads.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeAlias, TypeVar

from perdure.fair_queue import FairQueue, Slots, slots_for

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
_Call: TypeAlias = tuple[str, Future[Any], Callable[[], Any]]


class Threads(Executor):
    """At most `count_max` of them for one organization, begun as they are needed, and some more for all. `organization` returns
    that of the calling context. `submit` and `shutdown` are called from one thread.
    """

    def __init__(self, count_max: int, name: str, organization: Callable[[], str] = str) -> None:
        self._count_max, self._name, self._organization = slots_for(count_max), name, organization
        self._lock = threading.Lock()
        self._queue: FairQueue[_Call] = FairQueue()
        self._slots = Slots(self._queue, count_max)
        self._wakeups: SimpleQueue[bool] = SimpleQueue()
        """At least one True for each call that can begin; False ends a thread."""
        self._count = self._busy = 0

    def submit(self, function: Callable[Given, Answer], /, *args: Given.args, **kwargs: Given.kwargs) -> Future[Answer]:
        future: Future[Answer] = Future()
        organization = self._organization()
        with self._lock:
            active = self._queue.active
            self._queue.append(organization, (organization, future, partial(function, *args, **kwargs)))
            if self._queue.active == active:  # its organization has its share of threads
                return future
            is_needed = self._queue.active > self._count - self._busy and self._count < self._count_max
            self._count += is_needed
        self._wakeups.put(True)
        if is_needed:
            threading.Thread(target=self._run, name=f"{self._name}-{self._count}", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: ARG002  they are not waited for
        """Threads end when they have nothing more to do; what has not begun is dropped if it is to be cancelled."""
        if cancel_futures:
            with self._lock:
                dropped = self._queue.clear()
            for _, future, _ in dropped:
                future.cancel()
        for _ in range(self._count):
            self._wakeups.put(False)

    def _run(self) -> None:
        while self._wakeups.get():
            with self._lock:
                if not self._queue.active:
                    continue
                organization, future, call = self._queue.pop()
                self._busy += 1
                self._slots.take(organization)
            _perform(future, call)
            with self._lock:
                active = self._queue.active
                self._busy -= 1
                self._slots.free(organization)
                resumed = self._queue.active - active
            for _ in range(resumed):
                self._wakeups.put(True)


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
