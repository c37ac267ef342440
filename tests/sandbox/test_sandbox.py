"""What a transform is given and gives, what becomes of it when it fails, and of the processes that it runs in."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from perdure.model.failure import Category
from perdure.tasks.failing import failure_of
from perdure.tasks.sandbox import Line, Ran, Sandbox, SandboxBroken, TransformFailed, children, running, wire
from sandbox.words import failed, outcome, ran, sandbox, using

SOON = 10
ENDLESS = "const $default = () => { for (;;); }"
NATIVE = "const $default = () => new Array(2 ** 32 - 1).join('').length"
"""Some minutes in which QuickJS never looks up."""


BRIEF = "const $default = () => { for (let i = 0; i < 100_000; i++); return 1 }"
"""Some milliseconds."""


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may not let the child say itself that its time is over, before it is looked at from outside."""
    monkeypatch.setattr(running, "GRACE_SECONDS", 20.0)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "GRACE_SECONDS", 0.005)


def processes(made: Sandbox) -> list[int]:
    return [child._process.pid for child in made._children]


@pytest.mark.parametrize(
    ("javascript", "given", "value"),
    [
        ("const $default = (input) => input", {"a": [1, 2.5, "ä😀", None, True]}, {"a": [1, 2.5, "ä😀", None, True]}),
        ("function $default({ items }) { return items.map((x) => x * 2) }", {"items": [1, 2]}, [2, 4]),
        ("const f = (x) => x + 1;\nconst $default = (n) => f(n);", 41, 42),
        ("const $default = () => {}", None, None),
        ("const $default = () => undefined", None, None),
        ("const $default = () => [undefined, NaN, 1e400, () => 1]", None, [None, None, None, None]),
        ("const $default = () => ({ a: undefined, b: 1 })", None, {"b": 1}),
        ("const $default = (x) => x", 12345678901234567890, 12345678901234567000),
        ("const $default = () => '\\ud83d'", None, "�"),
        ("const $default = () => '\\ud83d\\ude00'", None, "😀"),
        ("const $default = () => '\\0'", None, "�"),
        ("const $default = () => ({'a\\0': ['\\u0000']})", None, {"a�": ["�"]}),
        ("const $default = () => '\\\\u0000'", None, "\\u0000"),
        ("const $default = (x) => x.length", "\u0000😀", 3),
        ("const $default = (x) => Object.keys(x)", {"__proto__": 1, "b": 2}, ["__proto__", "b"]),
        ("const $default = (x) => { const { __proto__: p, ...r } = x; return r }", {"b": 2}, {"b": 2}),
        ("const $default = () => typeof this", None, "undefined"),
        ("// percent: %s %d\nconst $default = () => '100%s'", None, "100%s"),
        ("const $default = () => 1 // no line after this", None, 1),
    ],
)
def test_a_value_goes_in_and_a_value_comes_out(javascript: str, given: Any, value: Any) -> None:
    assert ran(javascript, given) == Ran(value)


def test_a_function_goes_down_as_deep_as_a_value_may_be() -> None:
    given: Any = 1
    for _ in range(200):
        given = [given]
    code = "const f = (x) => Array.isArray(x) ? x.map(f) : x + 1;\nconst $default = f;"
    found = ran(code, given).value
    for _ in range(200):
        (found,) = found
    assert found == 2


def test_values_may_be_as_large_as_the_engine_keeps_them() -> None:
    text = "ä" * (wire.TEXT_BYTES_MAX // 2 - 10)
    assert ran("const $default = (x) => x", text).value == text
    numbers = list(range(500_000))
    assert ran("const $default = (x) => x", numbers).value == numbers


@pytest.mark.parametrize(
    ("javascript", "code", "category", "message"),
    [
        (
            "const $default = (x) => {\n  const a = x.a;\n  return a.b.c;\n}",
            "TRANSFORM_FAILED",
            Category.BUSINESS,
            "this transform threw TypeError: cannot read property 'b' of undefined (line 3, column 10)",
        ),
        (
            "const $default = () => { throw new RangeError('too few') }",
            "TRANSFORM_FAILED",
            Category.BUSINESS,
            "this transform threw RangeError: too few (line 1, column 36)",
        ),
        ("const $default = () => { throw 'no' }", "TRANSFORM_FAILED", Category.BUSINESS, "this transform threw no"),
        (
            "const $default = () => {\n\n  return 1 +;\n}",
            "TRANSFORM_FAILED",
            Category.BUSINESS,
            "this transform threw SyntaxError: unexpected token in expression: ';' (line 3, column 13)",
        ),
        (
            "const $default = [1]",
            "TRANSFORM_FAILED",
            Category.BUSINESS,
            "the default export of this transform is of type object; it has to be a function",
        ),
        (
            "const other = 1",
            "TRANSFORM_FAILED",
            Category.BUSINESS,
            "this transform threw ReferenceError: $default is not defined",
        ),
        (
            "const $default = () => { const a = []; for (;;) a.push(new Uint8Array(1 << 20)) }",
            "TRANSFORM_MEMORY",
            Category.PERMANENT,
            "this transform needs more than the 64 MB of memory that it has; give it less, or have it keep less",
        ),
        (
            ENDLESS,
            "TRANSFORM_TIMEOUT",
            Category.TIMEOUT,
            "this transform took longer than the 300 ms that it has; 10,000 are the most it can have",
        ),
        (
            "const $default = async () => 1",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "this transform gave a promise; it has to give its result at once, without async and await",
        ),
        (
            "const $default = () => 1n",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform is not JSON: TypeError: BigInt are forbidden in JSON.stringify",
        ),
        (
            "const $default = () => Symbol('x')",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "this transform gave a value of type symbol, which is not JSON",
        ),
        (
            "const $default = () => 'a'.repeat(2 ** 23)",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform is larger than 8,388,608 bytes of JSON, which are the most",
        ),
        (
            "const $default = () => { let d = []; for (let i = 0; i < 3000; i++) d = [d]; return d }",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform cannot be kept: it is more than 200 levels deep; make it flatter, or give what",
        ),
        (
            "const $default = () => { let d = []; for (let i = 0; i < 3000; i++) d = [d]; return ['\\ud83d', d] }",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform cannot be kept: it is more than 200 levels deep; make it flatter, or give what",
        ),
        (
            "const $default = () => { let d = 1; for (let i = 0; i < 201; i++) d = i % 2 ? [d] : { d }; return d }",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform cannot be kept: it is more than 200 levels deep; make it flatter, or give what",
        ),
        (
            "const $default = () => { let d = 1; for (let i = 0; i < 201; i++) d = [d]; return ['\\ud83d', d] }",
            "TRANSFORM_OUTPUT",
            Category.VALIDATION,
            "the result of this transform cannot be kept: it is more than 200 levels deep; make it flatter, or give what",
        ),
        (
            "const $default = () => { throw null }",
            "TRANSFORM_MEMORY",
            Category.PERMANENT,
            "this transform threw null, as QuickJS does when the 64 MB of memory that it has are used up; have it keep less",
        ),
    ],
)
def test_a_failure_says_what_where_and_the_way_out(
    javascript: str, code: str, category: Category, message: str
) -> None:
    failure = failure_of(failed(javascript, {}))
    assert (failure.code, failure.category, failure.retriable) == (code, category, False)
    assert failure.message.startswith(message)


def test_a_result_may_have_as_many_levels_as_are_told() -> None:
    deep = ran("const $default = () => { let d = 1; for (let i = 0; i < 200; i++) d = [d]; return d }", None)
    wide = ran("const $default = () => Array.from({ length: 300 }, (_, i) => [i])", None)
    assert (json.dumps(deep.value).count("["), wide.value) == (200, [[number] for number in range(300)])


def test_where_it_threw_is_told_for_programs_as_well() -> None:
    assert failed("const $default = () => {\n throw new TypeError('x') }").details == {
        "error": "TypeError",
        "line": 2,
        "column": 12,
    }


def test_the_stack_of_a_failure_is_that_of_the_code() -> None:
    code = "const inner = (x) => x.a.b;\nconst middle = (x) => [x].map(inner);\nconst $default = (x) => middle(x);"
    stack = failure_of(failed(code, {})).stack
    assert stack is not None
    assert [line.split("(") for line in stack.splitlines()] == [
        ["at inner ", "1:22)"],
        ["at middle ", "2:31)"],
        ["at $default ", "3:32)"],
    ]
    assert failure_of(failed("const $default = () => { throw 1 }")).stack is None


def test_an_input_that_is_too_large_never_leaves_the_engine() -> None:
    error = failed("const $default = (x) => x.length", "a" * wire.TEXT_BYTES_MAX)
    assert (error.code, error.category) == ("TRANSFORM_INPUT", Category.VALIDATION)
    assert "8,388,610 bytes; 8,388,608 are the most" in str(error)


@pytest.mark.usefixtures("unhurried")
def test_what_was_logged_comes_with_the_result_and_with_every_failure() -> None:
    log = "console.log('a', 1, { b: [1] }); console.warn('w'); console.error(new TypeError('t'), undefined);"
    lines = (Line("log", 'a 1 {"b":[1]}'), Line("warn", "w"), Line("error", "TypeError: t undefined"))
    assert ran(f"const $default = () => {{ {log} return 1 }}") == Ran(1, lines)
    for end in ("throw 1", "for (;;);", "return 1n", "const a = []; for (;;) a.push({})"):
        assert failed(f"const $default = () => {{ {log} {end} }}").logs == lines


def test_only_so_much_is_kept_of_what_was_logged() -> None:
    many = ran("const $default = () => { for (let i = 0; i < 2000; i++) console.log(i) }").logs
    assert len(many) == wire.LOGGED_LINES_MAX + 1
    assert many[0] == Line("log", "0")
    assert many[-1] == Line("warn", "[cut off here: more was logged than is kept]")
    long = ran("const $default = () => { for (let i = 0; i < 9; i++) console.log('é'.repeat(30000)) }").logs
    assert [len(line.text) for line in long[:-1]] == [30_000, 30_000, wire.LOGGED_LETTERS_MAX - 60_000]
    assert long[-1] == many[-1]


def test_what_one_call_leaves_the_next_does_not_find() -> None:
    async def both(made: Sandbox) -> list[Any]:
        leave = (
            "globalThis.left = 1; Array.prototype.left = 2; String.prototype.trim = () => 'x'; const $default = () => 1"
        )
        find = "const $default = () => [typeof left, typeof [].left, ' a '.trim()]"
        return [(await made.run(code, None, organization="acme")).value for code in (leave, find)]

    assert using(both)[1] == ["undefined", "undefined", "a"]


def test_a_child_that_never_looks_up_is_killed_and_another_takes_its_place() -> None:
    async def killed(made: Sandbox) -> None:
        await outcome(made, "const $default = () => 1")
        (before,) = processes(made)
        error = await outcome(made, NATIVE)
        assert error.code == "TRANSFORM_TIMEOUT"
        assert (await outcome(made, "const $default = () => 1", timeout_ms=5_000)) == Ran(1)
        assert processes(made) != [before]
        assert not _is_alive(before)

    using(killed)


@pytest.mark.usefixtures("unhurried")
def test_a_child_that_only_loops_lives_on() -> None:
    async def looped(made: Sandbox) -> None:
        await outcome(made, "const $default = () => 1")
        before = processes(made)
        error = await outcome(made, ENDLESS, timeout_ms=100)
        assert error.code == "TRANSFORM_TIMEOUT"
        assert processes(made) == before

    using(looped)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process has computed")
@pytest.mark.usefixtures("hurried")
def test_a_transform_that_is_not_let_compute_has_not_used_its_time() -> None:
    """As on a machine where many compute: a transform is judged by what it does, and not by what others do."""

    async def held_up(made: Sandbox) -> Any:
        await _stop(made)
        call = asyncio.create_task(outcome(made, BRIEF, timeout_ms=50))
        await _stopped_at_work(made)
        await asyncio.sleep(0.08)
        assert not call.done()
        for pid in processes(made):
            os.kill(pid, signal.SIGCONT)
        return await call

    assert using(held_up) == Ran(1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what another process has computed")
@pytest.mark.usefixtures("hurried")
def test_a_child_that_is_never_let_compute_is_not_waited_for_for_ever() -> None:
    async def stopped(made: Sandbox) -> Any:
        await _stop(made)
        call = asyncio.create_task(outcome(made, BRIEF, timeout_ms=5))
        pid = await _stopped_at_work(made)
        async with asyncio.timeout(SOON):
            error = await call
        await _until(lambda: not _is_alive(pid))
        return error

    error = using(stopped)
    assert isinstance(error, SandboxBroken)
    assert failure_of(error).retriable
    assert str(error) == (
        "this transform has not had the 5 ms of the processor that it may have, in 10 times as long; this machine has more to do "
        "than it can"
    )


@pytest.mark.usefixtures("hurried")
def test_where_the_kernel_tells_nothing_of_other_processes_the_clock_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "_processor_clock", lambda _: 1 << 20)

    async def stopped(made: Sandbox) -> Any:
        await _stop(made)
        call = asyncio.create_task(outcome(made, BRIEF, timeout_ms=5))
        await _stopped_at_work(made)
        return await call

    assert using(stopped).code == "TRANSFORM_TIMEOUT"


def test_code_that_was_not_compiled_in_time_is_not_wrong_for_that() -> None:
    async def late(made: Sandbox) -> Any:
        await _stop(made)
        call = asyncio.create_task(made.fault(BRIEF, organization="acme"))
        await _stopped_at_work(made)
        (child,) = (child for child, at in made._children.items() if at is not None)
        child.data_received(wire.ANSWER.pack(wire.OUT_OF_TIME, 0, 0))
        return await call

    assert using(late) is None


def test_a_child_that_somebody_kills_costs_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever has killed it, a transform does nothing to anybody: it is done again."""

    async def killed(made: Sandbox) -> Any:
        slow = "const $default = (n) => { let a = 0; for (let i = 0; i < n; i++) a += i; return a }"
        call = asyncio.create_task(made.run(slow, 5_000_000, organization="acme", timeout_ms=10_000))
        await _until(lambda: any(made._children.values()))
        for pid in processes(made):
            os.kill(pid, signal.SIGKILL)
        return (await call).value

    assert using(killed) == 12499997500000
    assert "it was ended by SIGKILL" in caplog.text


@pytest.mark.parametrize(
    "sent",
    [
        (signal.SIGKILL, signal.SIGKILL),
        (signal.SIGSEGV, signal.SIGSEGV),
        (signal.SIGBUS, signal.SIGABRT),
        (signal.SIGKILL, signal.SIGSEGV),
        (signal.SIGSEGV, signal.SIGTERM),
        (signal.SIGUSR1, signal.SIGUSR1),
    ],
)
def test_a_transform_whose_child_ends_each_time_is_not_tried_for_ever(
    sent: tuple[signal.Signals, signal.Signals],
) -> None:
    """Only two crashes are its fault."""

    async def killed(made: Sandbox) -> Any:
        call = asyncio.create_task(outcome(made, ENDLESS, timeout_ms=10_000))
        seen: set[int] = set()
        while not call.done():
            for child, at in list(made._children.items()):
                if at is not None and child._process.pid not in seen:
                    child._process.send_signal(sent[len(seen)])
                    seen.add(child._process.pid)
            await asyncio.sleep(0.001)
        return call.result(), len(seen)

    error, count = using(killed)
    assert count == running.TRIES_MAX
    if not {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT}.issuperset(sent):
        assert isinstance(error, SandboxBroken)
        assert (error.code, error.category) == ("SANDBOX", Category.SYSTEM)
        assert failure_of(error).retriable
        assert f"2 times: it was ended by {sent[1].name}" in str(error)
    else:
        assert (error.code, error.category) == ("TRANSFORM_CRASHED", Category.PERMANENT)
        assert not failure_of(error).retriable
        assert f"2 times (it was ended by {sent[1].name})" in str(error)


def test_a_crash_while_the_context_is_freed_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """The answer stands; what comes after it is told to the operator."""

    async def crash(made: Sandbox) -> Ran:
        answer = await made.run("const $default = () => 1", None, organization="acme")
        (child,) = (child for child in made._children if child.is_resetting or child in made._idle)
        call = running._Call("acme", b"", b"", 1)
        call.answer.set_result(answer)
        if child in made._idle:
            made._idle.remove(child)
        made._children[child] = call
        child._process.send_signal(signal.SIGSEGV)
        while child in made._children:  # noqa: ASYNC110  nothing tells that it is gone
            await asyncio.sleep(0.001)
        return answer

    assert using(crash) == Ran(1)
    assert (
        "after a transform of organization 'acme', it was ended by SIGSEGV while its context was freed" in caplog.text
    )


NESTED = "const $default = () => { let it = [1].values(); for (let i = 0; i < 60_000; i++) it = it.%s; return it.next().value }"


@pytest.mark.parametrize("helper", ["map((x) => x)", "filter(() => true)", "take(5)", "drop(0)", "flatMap((x) => [x])"])
def test_nested_iterator_helpers_that_crash_the_engine_fail_for_good(helper: str) -> None:
    """As a value, if a later QuickJS can do it, or as an error that the code could catch; never as a failure to be retried."""
    came = using(lambda made: outcome(made, NESTED % helper, timeout_ms=5_000))
    assert came == Ran(1) or not failure_of(came).retriable, came
    if not isinstance(came, Ran):
        assert came.code in {"TRANSFORM_CRASHED", "TRANSFORM_FAILED", "TRANSFORM_MEMORY"}


def test_a_child_that_the_kernel_has_caught_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    async def caught(made: Sandbox) -> Any:
        call = asyncio.create_task(outcome(made, ENDLESS, timeout_ms=10_000))
        await _until(lambda: any(made._children.values()))
        os.kill(processes(made)[0], signal.SIGSYS)
        return await call

    error = using(caught)
    assert (error.code, error.category) == ("TRANSFORM_INTRUSION", Category.SECURITY)
    assert "organization 'acme' tried to get out of its sandbox" in caplog.text


def test_whoever_is_cancelled_frees_the_child() -> None:
    async def cancelled(made: Sandbox) -> float:
        await outcome(made, "const $default = () => 1")
        call = asyncio.create_task(made.run(NATIVE, None, organization="acme", timeout_ms=10_000))
        waiting = asyncio.create_task(made.run("const $default = () => 1", None, organization="acme"))
        await _until(lambda: any(made._children.values()))
        began = time.monotonic()
        waiting.cancel()
        call.cancel()
        assert await asyncio.gather(call, waiting, return_exceptions=True)
        await made.run("const $default = () => 1", None, organization="acme")
        return time.monotonic() - began

    assert using(cancelled) < 2


def test_whoever_is_cancelled_when_it_fails_is_cancelled() -> None:
    async def cancelled(made: Sandbox) -> Any:
        call = asyncio.create_task(made.run("const $default = () => 1", None, organization="acme"))
        await asyncio.sleep(0)
        closing = asyncio.create_task(made.close())
        asyncio.get_running_loop().call_soon(call.cancel)  # right after it has failed, before it knows
        await closing
        return await asyncio.gather(call, return_exceptions=True)

    (came,) = using(cancelled)
    assert type(came) is asyncio.CancelledError


def test_a_child_that_says_what_it_was_not_asked_is_ended() -> None:
    """As if somebody had taken it over: it is one side of a socket, and we are the other."""

    async def spoken(made: Sandbox, said: bytes) -> None:
        await outcome(made, "const $default = () => 1")
        await _until(lambda: made._idle)
        (child,) = made._children
        (pid,) = processes(made)
        child.data_received(said)
        await _until(lambda: not _is_alive(pid))
        assert (await outcome(made, "const $default = () => 1", timeout_ms=5_000)) == Ran(1)

    for said in (
        wire.ANSWER.pack(wire.VALUE, 1, 0) + b"1",
        wire.ANSWER.pack(wire.VALUE, 2**31, 0),
        wire.ANSWER.pack(wire.VALUE, 0, 2**31),
        wire.ANSWER.pack(wire.VALUE, 1, 0) + b"123",
    ):
        using(lambda made, said=said: spoken(made, said))  # type: ignore[misc]


DEEP = b"[" * 100_000


@pytest.mark.parametrize(
    ("kind", "body", "logged"),
    [
        (wire.VALUE, b"{", b""),
        (wire.VALUE, b"\xff", b""),
        (wire.VALUE, b"1", b"["),
        (wire.VALUE, b"1", b'[{"level":"shout","text":"a"}]'),
        (wire.VALUE, b"1", b'[{"level":"log","text":"a","more":' + DEEP),
        (wire.THREW, b"[]", b""),
        (wire.THREW, b'{"name":' + DEEP, b""),
        (wire.THREW, b'{"name":1}', b""),
        (wire.NOT_JSON, b"\xff", b""),
        (wire.NOT_A_FUNCTION, b"\xff", b""),
        (wire.NO_JSON, b"\xff", b""),
        (b"?", b"", b""),
    ],
)
def test_a_child_that_answers_what_cannot_be_read_is_ended(
    kind: bytes, body: bytes, logged: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    """As if somebody had taken it over. The next transform is not given to it."""

    async def answered(made: Sandbox) -> Any:
        call = asyncio.create_task(outcome(made, ENDLESS, timeout_ms=10_000))
        await _until(lambda: any(made._children.values()))
        (child,) = (child for child, at in made._children.items() if at is not None)
        pid = child._process.pid
        child.data_received(wire.ANSWER.pack(kind, len(body), len(logged)) + body + logged)
        assert child not in made._idle
        await _until(lambda: not _is_alive(pid))
        assert (await outcome(made, "const $default = () => 1", timeout_ms=5_000)) == Ran(1)
        return await call

    error = using(answered)
    assert isinstance(error, SandboxBroken)
    assert str(error).startswith("a process of the sandbox has answered ")
    assert "it was at a transform of organization 'acme', and is killed" in caplog.text


def test_a_child_that_has_worked_for_long_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "RETIRES_AFTER_SECONDS", 0.0)

    async def worked(made: Sandbox) -> set[int]:
        seen = set()
        for _ in range(3):
            assert (await outcome(made, "const $default = () => 1", timeout_ms=5_000)) == Ran(1)
            seen.update(processes(made))
        return seen

    assert len(using(worked)) >= 3


@pytest.mark.parametrize("python", ["/bin/false", "/no/such/python"])
def test_where_no_child_can_be_started_that_is_said_and_not_tried_for_ever(
    python: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    starts: list[int] = []
    start = children.Child.start

    async def counted(self: children.Child) -> None:
        starts.append(1)
        await start(self)

    monkeypatch.setattr(children.Child, "start", counted)
    monkeypatch.setattr(sys, "executable", python)

    async def broken(made: Sandbox) -> list[Any]:
        calls = [outcome(made, "const $default = () => 1") for _ in range(20)]
        return [*await asyncio.gather(*calls), await outcome(made, "const $default = () => 1")]

    for error in using(broken):
        assert isinstance(error, SandboxBroken)
        assert str(error).startswith("no process for transforms can be started here (")
        assert error.retry_after_ms is not None
    assert running.STARTS_MAX <= len(starts) <= running.STARTS_MAX + 1
    assert [record.levelno for record in caplog.records if record.name == "perdure.sandbox"][-1] == logging.ERROR


@pytest.mark.parametrize("what", ["a pair of sockets", "a connection", "a connection in time"])
def test_what_a_child_needs_of_this_process_may_be_missing(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where too many files are open: it is said, nothing hangs, and nothing is left of the child."""
    monkeypatch.setattr(children, "START_SECONDS", 0.05)
    started: list[int] = []

    def refused(*_: object) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    async def unconnected(*_: object, sock: socket.socket) -> Any:
        started.extend(pid for pid in _children_of_this_process() if pid not in started)
        if what == "a connection":
            refused()
        with sock:
            await asyncio.Event().wait()

    async def broken(made: Sandbox) -> Any:
        if what == "a pair of sockets":
            monkeypatch.setattr(socket, "socketpair", refused)
        else:
            monkeypatch.setattr(asyncio.get_running_loop(), "create_unix_connection", unconnected)
        async with asyncio.timeout(SOON):
            error = await outcome(made, "const $default = () => 1")
            await made.close()
        return error

    error = using(broken)
    assert isinstance(error, SandboxBroken)
    assert ("not ready within 0.05 seconds" if what.endswith("time") else "Too many open files") in str(error)
    assert bool(started) == (what != "a pair of sockets")
    until = time.monotonic() + SOON
    while any(_is_alive(pid) for pid in started):
        assert time.monotonic() < until
        time.sleep(0.001)


def _children_of_this_process() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def test_it_is_tried_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "BROKEN_SECONDS", 0.0)

    async def mended(made: Sandbox) -> Any:
        with monkeypatch.context() as patch:
            patch.setattr(sys, "executable", "/no/such/python")
            assert isinstance(await outcome(made, "const $default = () => 1"), SandboxBroken)
        return await outcome(made, "const $default = () => 1", timeout_ms=5_000)

    assert using(mended) == Ran(1)


def test_nothing_is_left_when_it_is_closed_and_it_can_be_used_again() -> None:
    made = Sandbox(3)

    async def used() -> list[int]:
        code = "const $default = () => { for (let i = 0; i < 1e5; i++); return 1 }"
        await asyncio.gather(*(made.run(code, None, organization=str(at)) for at in range(9)))
        began = processes(made)
        endless = asyncio.create_task(outcome(made, ENDLESS, timeout_ms=10_000))
        await _until(lambda: any(made._children.values()))
        await made.close()
        assert isinstance(await endless, SandboxBroken)
        return began

    for _ in range(2):
        left = asyncio.run(used())
        assert len(left) > 1
        assert not any(_is_alive(pid) for pid in left)


def test_what_comes_while_it_is_closed_is_refused_and_does_not_wait_for_ever() -> None:
    async def late(made: Sandbox) -> Any:
        endless = asyncio.create_task(outcome(made, ENDLESS, timeout_ms=10_000))
        await _until(lambda: any(made._children.values()))
        closing = asyncio.create_task(made.close())
        await asyncio.sleep(0)
        async with asyncio.timeout(SOON):
            error = await outcome(made, "const $default = () => 1")
            await asyncio.gather(closing, endless)
        return error

    error = using(late)
    assert isinstance(error, SandboxBroken)
    assert str(error) == "the sandbox is being closed; nothing is begun in it any more"


def test_no_process_is_started_before_the_first_transform() -> None:
    async def unused(made: Sandbox) -> list[int]:
        return processes(made)

    assert using(unused) == []


def test_children_end_with_the_engine_however_that_ends() -> None:
    program = (
        "import asyncio, os, signal\n"
        "from perdure.tasks.sandbox import Sandbox\n"
        "async def main():\n"
        "    made = Sandbox(2)\n"
        f"    calls = [asyncio.create_task(made.run({NATIVE!r}, None, organization=str(n), timeout_ms=10_000)) for n in (1, 2)]\n"
        "    while len([call for call in made._children.values() if call]) < 2: await asyncio.sleep(0.001)\n"
        "    print(*(child._process.pid for child in made._children), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=SOON, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2
    deadline = time.monotonic() + SOON
    while any(_is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "they go on"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_where_a_container_forbids_filters_transforms_run_all_the_same_and_it_is_said_once() -> None:
    program = Path(__file__).with_name("contained.py")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=SOON, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "WARNING transforms run in processes that lack a part of what shuts them in: seccomp ([Errno 1] Operation not permitted)",
        str([1 + number for number in range(10)]),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")
def test_where_all_is_required_nothing_runs_without_filters() -> None:
    program = [sys.executable, str(Path(__file__).with_name("contained.py")), "all"]
    done = subprocess.run(program, capture_output=True, text=True, timeout=SOON, check=False)
    assert done.returncode == 0, done.stderr
    logged, raised = done.stdout.splitlines()
    assert logged == f"ERROR {raised}"
    assert raised.startswith(
        "no process for transforms can be started here (it lacks a part of what shuts it in, and PERDURE_SANDBOX_REQUIRE asks for "
        "all: seccomp ([Errno 1] Operation not permitted)), 3 times in a row"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has all of it")
def test_where_all_is_required_and_there_transforms_run() -> None:
    async def used() -> Any:
        made = Sandbox(2, requires_all=True)
        try:
            return await outcome(made, "const $default = () => 1", timeout_ms=5_000)
        finally:
            await made.close()

    assert asyncio.run(used()) == Ran(1)


def test_calls_from_many_tasks_get_their_own_answers() -> None:
    async def many(made: Sandbox) -> list[Any]:
        code = "const $default = (n) => ({ n, text: 'x'.repeat(n % 1000) })"
        calls = (made.run(code, number, organization=f"org-{number % 7}") for number in range(1_000))
        return [each.value for each in await asyncio.gather(*calls)]

    assert using(many, 3) == [{"n": number, "text": "x" * (number % 1_000)} for number in range(1_000)]


async def _stop(made: Sandbox) -> None:
    """All children that are there, before they have anything to do: one that works may be done before it is stopped."""
    await outcome(made, "const $default = () => 1")
    await _until(lambda: made._idle)
    for pid in processes(made):
        os.kill(pid, signal.SIGSTOP)


async def _stopped_at_work(made: Sandbox) -> int:
    """The process of the one child that has something to do, from now on without doing it."""
    while True:
        await asyncio.sleep(0)
        for child, at in made._children.items():
            if at is not None:
                os.kill(child._process.pid, signal.SIGSTOP)
                return child._process.pid


async def _until(condition: Any) -> None:
    async with asyncio.timeout(SOON):
        while not condition():  # noqa: ASYNC110  nobody tells
            await asyncio.sleep(0.001)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def test_a_transform_failed_is_what_all_its_failures_are() -> None:
    assert isinstance(failed(ENDLESS), TransformFailed)


def test_a_sandbox_is_closed_by_its_user() -> None:
    async def used() -> list[int]:
        async with sandbox() as made:
            await made.run("const $default = () => 1", None, organization="acme")
            return processes(made)

    assert not any(_is_alive(pid) for pid in asyncio.run(used()))
