"""Parts of a task, each of which is done once: `ctx.run(name, function)`, and `params.step.run` of a node.

A part is known by its name and by how often the attempt has named it before. Its value is durable when `run` returns; a later
attempt is given the value, and the function is not called. Whoever dies between the effect of a function and its value being
durable has the function called again: hand on the idempotency key to whom you call.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import CancelledError, Executor, Future
from contextvars import copy_context
from functools import partial
from typing import Any, Protocol, TypeAlias

import msgspec

from perdure.expressions.wording import kind
from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.failing import Abandoned, NonRetryable
from perdure.tasks.redaction import hidden
from perdure.tasks.results import plain, plain_by_size

Part: TypeAlias = tuple[str, int]


class InvalidPart(NonRetryable, public_name="InvalidPart"):
    """A part of a task has no name, or nothing to call."""

    category = Category.VALIDATION


class Keep(Protocol):
    """Has the value of a part durable when it is done. In the loop of the engine."""

    def __call__(self, name: str, n: int, value: Json) -> Coroutine[Any, Any, None]: ...


def _nothing() -> None:
    """Nobody listens."""


class Checkpoints:
    """Of one attempt. Without `keep` and `loop`, outside of an engine, every part is called and nothing is kept."""

    __slots__ = ("_counts", "_executor", "_heard", "_is_closed", "_keep", "_known", "_lock", "_loop", "_pending")

    def __init__(
        self,
        known: Iterable[tuple[str, int, Json]] = (),
        keep: Keep | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        executor: Executor | None = None,
        heard: Callable[[], None] = _nothing,
    ) -> None:
        """`heard` is called before each part, from any thread, and raises if nobody waits for the attempt any more."""
        self._known = {(name, n): value for name, n, value in known}
        self._keep, self._loop, self._executor, self._heard = keep, loop, executor, heard
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()
        self._pending: set[Future[Any]] = set()
        """What threads wait for that the loop has to do."""
        self._is_closed = False

    def run(self, name: str, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
        """The value of `function(*arguments)`, which is called once for this name and occurrence, whatever becomes of attempts.

        In an async function it has to be awaited: `page = await step.run("page", fetch, url)`. In one that is not, it is the
        value itself. A `function` that is not async runs in a thread. What it raises is raised here, and not kept.
        """
        part = self._next(name, function)
        call = partial(function, *arguments, **named)
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._run_here(part, call)
        return self._run(part, call, loop)

    def close(self) -> None:
        """The attempt is over. Threads that wait for something of it learn that nobody waits for them."""
        with self._lock:
            self._is_closed = True
            pending = tuple(self._pending)
        for each in pending:
            each.cancel()

    def _next(self, name: object, function: object) -> Part:
        if not isinstance(name, str) or not name:
            raise InvalidPart(f'a part needs a name: write run("charge", function), not run({_said(name)}, …)')
        if not callable(function):
            raise InvalidPart(
                f"run({name!r}, …) needs a function to call, and was given {_said(function)}; write "
                f"run({name!r}, function, argument), without calling it yourself"
            )
        name = hidden(name)  # as it will be known to the next attempt
        with self._lock:
            n = self._counts[name] = self._counts.get(name, 0) + 1
        return name, n

    async def _run(self, part: Part, call: Callable[[], Any], here: asyncio.AbstractEventLoop) -> Json:
        if part in self._known:
            return _own(self._known[part])
        self._heard()
        if inspect.iscoroutinefunction(call):
            answer = await call()
        else:
            executor = self._executor if here is self._loop else None  # which is that of its loop alone
            answer = await here.run_in_executor(executor, copy_context().run, call)
            if inspect.isawaitable(answer):  # a lambda around an async function
                answer = await answer
        value = await plain_by_size(_words(part), answer)
        if self._keep is None or self._loop is None:
            return value
        if here is self._loop:
            await self._keep(*part, value)
        else:  # a loop of its own, in a thread
            await asyncio.wrap_future(self._begun(self._keep(*part, value), self._loop))
        return value

    def _run_here(self, part: Part, call: Callable[[], Any]) -> Json:
        """In a thread, which waits."""
        if part in self._known:
            return _own(self._known[part])
        self._heard()
        answer = call()
        if inspect.isawaitable(answer):
            waiting = _awaited(answer)
            answer = asyncio.run(waiting) if self._loop is None else self._waited(waiting, self._loop)
        value = plain(_words(part), answer)
        if self._keep is not None and self._loop is not None:
            self._waited(self._keep(*part, value), self._loop)
        return value

    def _waited(self, work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Any:
        pending = self._begun(work, loop)
        try:
            return pending.result()
        except CancelledError:
            raise _abandoned() from None

    def _begun(self, work: Coroutine[Any, Any, Any], loop: asyncio.AbstractEventLoop) -> Future[Any]:
        with self._lock:
            if self._is_closed:
                work.close()
                raise _abandoned()
            pending = asyncio.run_coroutine_threadsafe(work, loop)
            self._pending.add(pending)
        pending.add_done_callback(self._done)
        return pending

    def _done(self, pending: Future[Any]) -> None:
        with self._lock:
            self._pending.discard(pending)


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def _own(value: Json) -> Json:
    """A task may change what it is given, and what was kept stays."""
    return msgspec.json.decode(msgspec.json.encode(value))


def _abandoned() -> Abandoned:
    return Abandoned("nobody waits for this attempt any more")


def _words(part: Part) -> str:
    name, n = part
    return f"run({name!r})" if n == 1 else f"run({name!r}), called for the {n}. time,"


def _said(value: object) -> str:
    return getattr(value, "__name__", None) or kind(value) if callable(value) else hidden(repr(value))[:80]
