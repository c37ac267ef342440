"""Large values from outside are read beside the event loop, and give the same as small ones."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from threading import Event, Semaphore, current_thread
from typing import Any

import msgspec
import pytest

from connections.servers import hostile
from connections.using import Using, program, using
from perdure import schemas
from perdure.hosts.envelopes import new_key
from perdure.service.engine import Engine
from perdure.tasks import NonRetryable, Registry, Retryable, TaskContext, call
from perdure.tasks.answering import CALLS_MAX, Function, Message, ToolCall, calls_of
from perdure.tasks.builtin import TaskSettings, builtins
from perdure.tasks.decoding import _without_collections, decode_json
from perdure.tasks.disguises import Disguises
from perdure.tasks.door import Allowed, Door, Limits
from perdure.tasks.llm_input import ToolSpec
from perdure.tasks.offload import INLINE_BYTES_MAX, FairThreads, run_by_size
from perdure.tasks.redaction import Redactor
from perdure.tasks.sandbox import Sandbox
from stalls import Stall, longest_stall
from tasks.servers import Reply, http_server

CPU_SECONDS_MAX = 0.1
"""Of the loop's own thread at a stretch."""

NAME: ContextVar[str] = ContextVar("name", default="")


def test_small_values_are_read_in_the_loop_and_large_ones_in_a_thread() -> None:
    async def both() -> tuple[str, str]:
        name = lambda: current_thread().name  # noqa: E731
        return await run_by_size(INLINE_BYTES_MAX, name), await run_by_size(INLINE_BYTES_MAX + 1, name)

    small, large = asyncio.run(both())
    assert small == current_thread().name
    assert large.startswith("perdure-parse")


def test_a_thread_has_the_context_of_its_caller_and_raises_to_it() -> None:
    async def asked() -> str:
        NAME.set("ada")
        with pytest.raises(ZeroDivisionError):
            await run_by_size(1 << 20, lambda: 1 // 0)
        return await run_by_size(1 << 20, NAME.get)

    assert asyncio.run(asked()) == "ada"


MANY: dict[str, Any] = {
    "lists": [[] for _ in range(1_500_000)],
    "records": [{"id": number, "name": "abc", "at": [1, 2]} for number in range(150_000)],
}


@pytest.mark.parametrize("kind", MANY)
def test_the_answer_of_a_task_does_not_stop_the_loop(kind: str) -> None:
    registry = Registry()

    @registry.task("much")
    async def much(_: Any) -> Any:
        return MANY[kind]

    task = registry.find("much")
    assert task is not None
    result, stall = asyncio.run(_stalled(call(task, None, None)))
    print(f"\n{kind}: {stall}")
    assert result.data == MANY[kind]
    assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


async def _stalled(work: Any) -> tuple[Any, Stall]:
    return await longest_stall(work)


def test_an_answer_that_cannot_be_kept_fails_in_a_thread_as_in_the_loop() -> None:
    registry = Registry()
    deep: Any = 1
    for _ in range(300):
        deep = [deep]

    @registry.task("deep")
    async def much(given: Any) -> Any:
        return [deep, "x" * given]

    task = registry.find("deep")
    assert task is not None

    async def failed(size: int) -> str:
        with pytest.raises(Exception, match="a value is at most 200 levels deep") as caught:
            await call(task, size, None)
        return str(caught.value)

    assert asyncio.run(failed(1)) == asyncio.run(failed(2 * INLINE_BYTES_MAX))


def test_the_answer_of_an_mcp_server_does_not_stop_the_loop() -> None:
    async def play(it: Using) -> tuple[Any, Stall]:
        await it.tools()
        return await longest_stall(it.call(n=3_000_000))

    value, stall = using(program(hostile("numbers")), play)
    print(f"\n{stall}")
    assert value == [1] * 3_000_000
    assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


SHORT = Redactor([Disguises("hunter2")])
"""A short secret is looked for piece by piece."""


def test_secrets_are_looked_for_beside_the_loop_in_the_answer_of_an_mcp_server() -> None:
    async def play(it: Using) -> tuple[Any, Stall]:
        await it.tools()
        return await longest_stall(it.call(n=1_500_000, redactor=SHORT))

    value, stall = using(program(hostile("numbers")), play)
    print(f"\n{stall}")
    assert value == [1] * 1_500_000
    assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


def test_secrets_are_looked_for_beside_the_loop_in_the_parts_of_a_task() -> None:
    async def play() -> tuple[Any, Stall]:
        async with Engine("memory://", secret_keys=new_key()) as engine:

            @engine.task("part")
            async def part(_: Any, ctx: TaskContext) -> int:
                return len(await ctx.run("large", lambda: [1] * 1_500_000))

            await engine.secrets.set("TOKEN", "hunter2")
            config = {"type": "part", "parameters": {"token": "{{secrets.TOKEN}}"}}
            steps = [{"stepSlug": "call", "stepType": "action", "config": config}]
            started = await engine.executions.start({"name": "parts", "steps": steps})
            return await longest_stall(started.result())

    length, stall = asyncio.run(play())
    print(f"\n{stall}")
    assert length == 1_500_000
    assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


def test_the_result_of_a_transform_does_not_stop_the_loop() -> None:
    async def play() -> tuple[Any, Stall]:
        sandbox = Sandbox(2)
        try:
            await sandbox.run("const $default = () => 1", None, organization="acme")
            code = "const $default = (n) => { const none = []; return Array.from({ length: n }, () => none) }"
            ran, stall = await longest_stall(sandbox.run(code, 1_500_000, organization="acme", timeout_ms=10_000))
            again = await sandbox.run("const $default = () => 2", None, organization="acme", timeout_ms=10_000)
            assert again.value == 2
            return ran.value, stall
        finally:
            await sandbox.close()

    value, stall = asyncio.run(play())
    print(f"\n{stall}")
    assert value == [[]] * 1_500_000
    assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


def _tool(properties: int) -> ToolSpec:
    schema = {f"p{number}": {"type": "string", "pattern": "^[a-z]{3,9}$"} for number in range(properties)}
    return ToolSpec("add", "", {"type": "object", "properties": schema | {"n": {"type": "integer"}}})


def _calls(arguments: list[str]) -> Message:
    return Message(tool_calls=[ToolCall(f"c{at}", Function("add", text)) for at, text in enumerate(arguments)])


def test_of_more_calls_than_are_made_the_arguments_are_not_read() -> None:
    """Whether those before them were right or wrong."""
    arguments = ['{"n":1}'] * (CALLS_MAX - 2) + ['{"n":"x"}', "{"] + ['{"n":2}', "{", '{"n":"x"}']
    message, made, refused = calls_of(_calls(arguments), [_tool(1)])
    assert len(message["tool_calls"]) == len(arguments)
    assert [each["id"] for each in made] == [f"c{at}" for at in range(CALLS_MAX - 2)]
    assert [each["tool_call_id"] for each in refused] == [f"c{at}" for at in range(CALLS_MAX - 2, CALLS_MAX + 3)]
    assert "do not fit" in refused[0]["content"]
    assert "are not JSON" in refused[1]["content"]
    assert [each["content"] for each in refused[2:]] == [f"error: {CALLS_MAX} calls at once are the most"] * 3


def test_a_tool_is_compiled_once_for_all_of_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[Any] = []
    compile_ = schemas.checker

    def counted(schema: Any) -> schemas.Checker:
        compiled.append(schema)
        return compile_(schema)

    monkeypatch.setattr(schemas, "checker", counted)
    tool = _tool(5)
    _, made, _ = calls_of(_calls(['{"n":1}'] * CALLS_MAX), [tool, ToolSpec("other", "", {"type": "object"})])
    assert len(made) == CALLS_MAX
    assert compiled == [tool.parameters]


def test_a_body_of_a_webhook_does_not_stop_the_loop(tmp_path: Path) -> None:
    """A form of a megabyte has a quarter of a million fields."""
    document = {
        "name": "hooked",
        "nodes": [{"id": "hook", "type": "WEBHOOK_TRIGGER"}],
        "connections": [],
    }

    async def play() -> list[Stall]:
        async with Engine(f"sqlite:///{tmp_path}/flows.db", secret_keys=new_key()) as engine:
            saved = await engine.workflows.save(document)
            hook = await engine.webhooks.create(saved.id)
            assert hook.token is not None
            found = []
            form = b"&".join([b"a=1"] * 240_000)
            for media, body in (
                ("application/x-www-form-urlencoded", form),
                ("application/json", msgspec.json.encode({"a": [{}] * 300_000})),
            ):
                _, stall = await longest_stall(engine.webhooks.receive(hook.token, [("content-type", media)], body))
                found.append(stall)
            return found

    for stall in asyncio.run(play()):
        print(f"\n{stall}")
        assert stall.cpu_seconds < CPU_SECONDS_MAX, stall


def test_collections_are_suspended_while_large_json_is_decoded_and_only_then() -> None:
    many, few = msgspec.json.encode([[]] * 100_000), msgspec.json.encode([[]] * 100)
    collections: list[str] = []

    def note(phase: str, info: dict[str, int]) -> None:
        del info
        collections.append(phase)

    gc.collect()
    gc.callbacks.append(note)
    try:
        with _without_collections(), _without_collections():
            collections.clear()
            found = msgspec.json.decode(many)
            assert not gc.isenabled()
            assert collections == []
    finally:
        gc.callbacks.remove(note)
    assert gc.isenabled()
    assert decode_json(many) == found
    assert decode_json(few) == [[]] * 100
    with pytest.raises(msgspec.DecodeError):
        decode_json(b"[" + many)
    assert gc.isenabled()


@pytest.mark.parametrize("status", [200, 500])
def test_a_large_body_of_an_http_answer_is_decoded_in_a_thread(monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    threads: list[str] = []

    def decode(text: bytes) -> Any:
        threads.append(current_thread().name)
        return decode_json(text)

    monkeypatch.setattr("perdure.tasks.answers.decode_json", decode)
    body = msgspec.json.encode([[]] * 100_000)
    registry = builtins(TaskSettings(now_ms=lambda: 0), door=Door(Allowed(hosts=["127.0.0.1"]), Limits()))
    task = registry.find("http")
    assert task is not None
    context = TaskContext(execution_id="e1", step="notify", attempt=1, idempotency_key="e1:7")
    with http_server(Reply(status, {"content-type": "application/json"}, body)) as server:
        given = {"url": server.url(), "failOnError": True}
        with suppress(NonRetryable, Retryable):
            asyncio.run(call(task, given, context))
    assert [name.startswith("perdure-parse") for name in threads] == [True]


def test_threads_are_shared_out_between_organizations() -> None:
    """One organization with many large values leaves a thread to the others, and takes turns with them."""
    threads, begun, go_on = FairThreads(4), Semaphore(0), Event()
    order: list[str] = []

    def wait() -> None:
        begun.release()
        go_on.wait(20)

    try:
        many = [threads.submit("many", wait) for _ in range(20)]
        for _ in range(3):
            assert begun.acquire(timeout=20)
        assert not begun.acquire(timeout=0.1), "all threads but one"
        assert threads.submit("few", lambda: "read").result(timeout=20) == "read"
        cancelled = threads.submit("many", wait)
        assert cancelled.cancel()
        assert isinstance(threads.submit("few", lambda: 1 // 0).exception(timeout=20), ZeroDivisionError)
    finally:
        go_on.set()
    assert [each.result(timeout=20) for each in many] == [None] * 20

    one_thread, held = FairThreads(1), Event()
    first = one_thread.submit("many", partial(held.wait, 20))
    futures = [one_thread.submit(name, partial(order.append, name)) for name in ("many", "many", "few", "few")]
    held.set()
    assert first.result(timeout=20)
    for future in futures:
        future.result(timeout=20)
    assert order == ["many", "few", "many", "few"]
