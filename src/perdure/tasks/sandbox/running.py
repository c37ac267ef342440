"""The sandbox of an engine: its children, who of them does what, and what becomes of a transform.

Children are started when there is work for them, and kept. The time of a transform is what it computes, so that it does not
depend on what else the machine is at. It is counted twice: by QuickJS, which lets the child live, and from outside, because some
of what is built into QuickJS never looks up. What is ended from outside costs one child, and another takes its place at once.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final

import msgspec
from msgspec import Struct

from perdure.expressions.canonical import NotJson
from perdure.model.executors import TRANSFORM_MS, TRANSFORM_MS_MAX
from perdure.model.values import Json
from perdure.tasks.offload import INLINE_BYTES_MAX, ORGANIZATION, run_in_thread
from perdure.tasks.sandbox import failures, wire
from perdure.tasks.sandbox.answers import Line, Ran, lines_of, result_of, thrown_of
from perdure.tasks.sandbox.children import RESET_SECONDS_MAX, RETIRES_AFTER_SECONDS, Child
from perdure.tasks.sandbox.turns import Turns

CHILDREN_MIN: Final = 2
GRACE_SECONDS: Final = 0.15
"""So long after its time a child has to say so itself; it lives on then, and what was logged is known."""

STARVED_TIMES: Final = 10
"""So many times its time a transform is waited for on a machine that does not let it compute. Then the machine is at fault."""

ABANDONED_SECONDS: Final = 0.05
"""So long a child has left when nobody waits for its answer any more: most are done by then, and a new one takes longer."""

TRIES_MAX: Final = 2
STARTS_MAX: Final = 3
"""So many children in a row may end before they were ready. Then something is wrong with this machine."""

BROKEN_SECONDS: Final = 10.0

_SIGNALS_OF_CRASHES: Final = frozenset({signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE})
"""Signals that a process raises by what it does. An operator, or the kernel short of memory, sends others."""

_log = logging.getLogger("perdure.sandbox")


_COMPILED: Final = "var $default = () => null, $compiled = function () {{ 'use strict';\n{}\n}};"
"""Code as it stands in the wrapper of a call, one line further down, in a function that nobody calls."""


class Fault(Struct, frozen=True):
    """`line` and `column` are those of the code; None, if they are not known."""

    message: str
    line: int | None = None
    column: int | None = None


class _Call:
    def __init__(self, organization: str, code: bytes, given: bytes, timeout_ms: int) -> None:
        self.organization, self.code, self.given, self.timeout_ms = organization, code, given, timeout_ms
        self.answer: asyncio.Future[Ran] = asyncio.get_running_loop().create_future()
        self.child: Child | None = None
        self.tries = self.crashes = 0

    def fail(self, error: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(error)


class Sandbox:
    """One for an engine, of one event loop at a time: after `close` it can be used again, in another one.

    `children`: so many processes, at least two; one more than there are cores, if it is not given. An organization has at most
    all but one of them. `requires_all`: a child that could not lock itself in fully is not used.
    """

    def __init__(self, children: int | None = None, *, requires_all: bool = False) -> None:
        self._requires_all = requires_all
        self._children_max = max(CHILDREN_MIN, _cores() + 1 if children is None else children)
        self._children: dict[Child, _Call | None] = {}
        """All children, each with its call until it is ready for another one."""
        self._idle: list[Child] = []
        self._unread: set[Child] = set()
        """Children whose last answer is being read."""
        self._turns: Turns[_Call] = Turns(self._children_max - 1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed_starts = 0
        self._broken: tuple[float, str] | None = None
        """Until when nothing is tried, and why."""
        self._is_closing = False
        self._has_told = False

    async def run(self, javascript: str, given: Json, *, organization: str, timeout_ms: int = TRANSFORM_MS) -> Ran:
        """Calls `$default`, which the code defines, with what is given. Raises `TransformFailed`, or one of its kind, or
        `SandboxBroken`.
        """
        call = _Call(organization, *_texts(javascript, given), max(1, min(timeout_ms, TRANSFORM_MS_MAX)))
        self._require_whole()
        self._turns.add(call)
        self._go_on()
        try:
            return await call.answer
        except asyncio.CancelledError:
            self._give_up(call)
            raise

    async def fault(self, javascript: str, *, organization: str) -> Fault | None:
        """Why code cannot run, whatever it is given: rules of the language that show only when all of it is compiled. None of it
        is run. Raises `SandboxBroken`.
        """
        try:
            await self.run(_COMPILED.format(javascript), None, organization=organization)
        except failures.TransformTimeout:
            return None  # no rule of the language says how fast this machine is
        except failures.TransformFailed as error:
            details = error.details if isinstance(error.details, dict) else {}
            line = details.get("line")
            return Fault(error.said, None if line is None else line - 1, details.get("column"))
        return None

    async def close(self) -> None:
        """All that runs is given up."""
        self._is_closing = True
        for call in self._turns.clear():
            call.fail(failures.SandboxBroken("the sandbox was closed before this transform had its turn"))
        while self._children:
            for child in self._children:
                child.kill()
            await asyncio.sleep(0.001)
        self._idle.clear()
        self._failed_starts, self._broken, self._is_closing = 0, None, False

    def _require_whole(self) -> None:
        if self._is_closing:
            raise failures.SandboxBroken("the sandbox is being closed; nothing is begun in it any more")
        if self._broken is None:
            return
        left = self._broken[0] - asyncio.get_running_loop().time()
        if left > 0:
            raise failures.SandboxBroken(self._broken[1], retry_after_ms=int(left * 1_000) + 1)
        self._broken = None

    def _go_on(self) -> None:
        """Hand out what waits, and see to it that there are children for the rest."""
        while self._idle and (call := self._turns.next()) is not None:
            self._hand_out(self._idle.pop(), call)
        soon_ready = sum(child.will_be_ready for child in self._children)
        for _ in range(min(self._turns.startable - soon_ready, self._children_max - len(self._children))):
            self._start_one()

    def _hand_out(self, child: Child, call: _Call) -> None:
        self._children[child], call.child = call, child
        wait_seconds = STARVED_TIMES * call.timeout_ms / 1_000 + GRACE_SECONDS
        child.ask(call.code, call.given, call.timeout_ms, GRACE_SECONDS, wait_seconds)

    def _start_one(self) -> None:
        child = Child(self, requires_all=self._requires_all)
        self._children[child] = None
        self._begin(child.start())

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _give_up(self, call: _Call) -> None:
        if call.answer.done() and not call.answer.cancelled():
            call.answer.exception()  # it came at the same moment, and nobody asks for it
            return
        if call.child is None:
            self._turns.remove(call)
        elif self._children.get(call.child) is call:
            call.child.hurry(ABANDONED_SECONDS)

    def ready(self, child: Child, missing: Sequence[str]) -> None:
        self._failed_starts = 0
        if missing and not self._has_told:
            self._has_told = True
            _log.warning("transforms run in processes that lack a part of what shuts them in: %s", "; ".join(missing))
        if child in self._unread:
            return
        self._release(child)
        self._idle.append(child)
        self._go_on()

    def answered(self, child: Child, kind: bytes, body: bytes, logged: bytes) -> None:
        call = self._children[child]
        assert call is not None
        if call.answer.done():
            self._judged(child, call, None)
        elif len(body) + len(logged) <= INLINE_BYTES_MAX:
            self._judged(child, call, _outcome(kind, body, logged, call.timeout_ms))
        else:
            self._unread.add(child)
            self._begin(self._judge(child, call, partial(_outcome, kind, body, logged, call.timeout_ms)))

    async def _judge(self, child: Child, call: _Call, read: Callable[[], Ran | Exception]) -> None:
        """Read a large answer in a thread. Its child takes no other call until it is known that it can be trusted."""
        ORGANIZATION.set(call.organization)
        outcome = await run_in_thread(read)
        self._unread.discard(child)
        self._judged(child, call, outcome)
        if child in self._children and child.is_ready:
            self.ready(child, ())

    def _judged(self, child: Child, call: _Call, outcome: Ran | Exception | None) -> None:
        if isinstance(outcome, Ran):
            if not call.answer.done():
                call.answer.set_result(outcome)
        elif outcome is not None:
            call.fail(outcome)
        if isinstance(outcome, failures.SandboxBroken):
            _log.error("%s; it was at a transform of organization %r, and is killed", outcome, call.organization)
            child.kill()
        elif child.worked_seconds > RETIRES_AFTER_SECONDS:
            child.kill()

    def slow_reset(self, child: Child) -> None:
        del child
        self._go_on()

    def _release(self, child: Child) -> None:
        """Its call has ended, and with it the share of the organization in the children."""
        call = self._children[child]
        if call is not None:
            self._children[child] = None
            self._turns.ended(call)

    def expired(self, child: Child, has_had_its_time: bool) -> None:
        call = self._children[child]
        assert call is not None
        if child.is_resetting:
            _log.warning(
                "a process of the sandbox was killed: after a transform of organization %r it was not ready again within %g s",
                call.organization,
                RESET_SECONDS_MAX,
            )
            return
        call.fail(_timeout(call.timeout_ms, ()) if has_had_its_time else _starved(call.timeout_ms))

    def ended(self, child: Child, why: str, exit_code: int) -> None:
        call = self._children.pop(child)
        if child in self._idle:
            self._idle.remove(child)
        if call is not None:
            self._turns.ended(call)
            self._lost(call, why, exit_code, was_read=child in self._unread)
        if self._is_closing:
            return
        if child.is_starting:
            self._not_started(why)
        elif len(self._children) < self._children_max:
            self._start_one()
        self._go_on()

    def _lost(self, call: _Call, why: str, exit_code: int, *, was_read: bool) -> None:
        """Try a call again whose child has ended without an answer: a transform has no side effects."""
        if exit_code == -signal.SIGSYS:
            _log.error(
                "a transform of organization %r tried to get out of its sandbox, and was killed", call.organization
            )
        has_crashed = -exit_code in _SIGNALS_OF_CRASHES
        if was_read or call.answer.done():
            if has_crashed:
                _log.error(
                    "after a transform of organization %r, %s while its context was freed", call.organization, why
                )
            return
        call.tries, call.crashes, call.child = call.tries + 1, call.crashes + has_crashed, None
        if exit_code == -signal.SIGSYS:
            call.fail(
                failures.TransformIntrusion(
                    "this transform asked the kernel for what no transform needs, and was killed; the operator has been told"
                )
            )
        elif self._is_closing:
            call.fail(failures.SandboxBroken("the sandbox was closed while this transform ran"))
        elif call.tries < TRIES_MAX:
            _log.warning("a process of the sandbox is gone (%s); what it was at is done again in another one", why)
            self._turns.add_first(call)
        elif call.crashes == call.tries:
            _log.error(
                "a transform of organization %r has crashed %d processes of the sandbox: %s",
                call.organization,
                call.tries,
                why,
            )
            call.fail(
                failures.TransformCrashed(
                    f"this transform has crashed the JavaScript engine {call.tries} times ({why}), as very deep nesting does, of "
                    "iterator helpers for example; rewrite it as a loop"
                )
            )
        else:
            call.fail(failures.SandboxBroken(f"the process that ran this transform is gone, {call.tries} times: {why}"))

    def _not_started(self, why: str) -> None:
        self._failed_starts += 1
        if self._failed_starts < STARTS_MAX:
            return
        message = (
            f"no process for transforms can be started here ({why}), {self._failed_starts} times in a row; "
            f"see what the log of this machine says. It is tried again in {BROKEN_SECONDS:g} seconds"
        )
        _log.error("%s", message)
        self._broken = (asyncio.get_running_loop().time() + BROKEN_SECONDS, message)
        for call in self._turns.clear():
            call.fail(failures.SandboxBroken(message, retry_after_ms=int(BROKEN_SECONDS * 1_000)))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _texts(javascript: str, given: Json) -> tuple[bytes, bytes]:
    code, written = javascript.encode("utf-8", "replace"), msgspec.json.encode(given)
    for what, data, most in (("input", written, wire.TEXT_BYTES_MAX), ("code", code, wire.CODE_BYTES_MAX)):
        if len(data) > most:
            raise failures.TransformInput(
                f"the {what} of this transform has {len(data):,} bytes; {most:,} are the most. Give it only what it needs"
            )
    return code, written


def _outcome(kind: bytes, body: bytes, logged: bytes, timeout_ms: int) -> Ran | Exception:
    """`SandboxBroken` for what no child says, unless somebody has taken it over."""
    try:
        logs = lines_of(logged) if logged else ()
        return _value(body, logs) if kind == wire.VALUE else _failure(kind, body, logs, timeout_ms)
    except (ValueError, NotJson) as error:
        return failures.SandboxBroken(f"a process of the sandbox has answered what cannot be read ({error})")


def _value(body: bytes, logs: tuple[Line, ...]) -> Ran | Exception:
    try:
        return Ran(result_of(body), logs)
    except NotJson as error:
        return failures.TransformOutput(f"the result of this transform cannot be kept: {error}", logs)


def _timeout(timeout_ms: int, logs: tuple[Line, ...]) -> failures.TransformTimeout:
    return failures.TransformTimeout(
        f"this transform took longer than the {timeout_ms:,} ms that it has; {TRANSFORM_MS_MAX:,} are the most it can have",
        logs,
    )


def _starved(timeout_ms: int) -> failures.SandboxBroken:
    return failures.SandboxBroken(
        f"this transform has not had the {timeout_ms:,} ms of the processor that it may have, in {STARVED_TIMES} times as long; "
        "this machine has more to do than it can"
    )


def _failure(kind: bytes, body: bytes, logs: tuple[Line, ...], timeout_ms: int) -> Exception:
    match kind:
        case wire.OUT_OF_TIME:
            return _timeout(timeout_ms, logs)
        case wire.THREW:
            thrown = thrown_of(body)
            line, column = thrown.place or (None, None)
            details = {"error": thrown.name, "line": line, "column": column}
            message = f"this transform threw {thrown}"
            return failures.TransformFailed(message, logs, details, thrown.frames, thrown.message)
        case wire.OUT_OF_MEMORY:
            return failures.TransformMemory(
                f"this transform needs more than the {wire.HEAP_MB} MB of memory that it has; give it less, or have it keep less",
                logs,
            )
        case wire.THREW_NULL:
            message = (
                f"this transform threw null, as QuickJS does when the {wire.HEAP_MB} MB of memory that it has are used up; "
                "have it keep less, or throw an Error if it throws null itself"
            )
            return failures.TransformMemory(message, logs)
        case wire.NOT_A_FUNCTION:
            message = f"the default export of this transform is of type {body.decode()}; it has to be a function"
            return failures.TransformFailed(message, logs)
        case wire.PROMISE:
            message = "this transform gave a promise; it has to give its result at once, without async and await"
            return failures.TransformOutput(message, logs)
        case wire.NOT_JSON:
            return failures.TransformOutput(f"the result of this transform is not JSON: {thrown_of(body)}", logs)
        case wire.NO_JSON:
            return failures.TransformOutput(
                f"this transform gave a value of type {body.decode()}, which is not JSON", logs
            )
        case wire.TOO_LARGE:
            message = (
                f"the result of this transform is larger than {wire.TEXT_BYTES_MAX:,} bytes of JSON, which are the most"
            )
            return failures.TransformOutput(message, logs)
        case _:
            return failures.SandboxBroken(f"a process of the sandbox has answered {kind!r}, which means nothing")
