"""What comes back from a call with secrets is without them: results, errors, logs, parts, and what is published."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import pytest

from perdure.model.steps import Retry, Step, Task
from perdure.model.workflow import Entry, Workflow
from perdure.service.errors import ExecutionFailed
from perdure.tasks import Result, TaskContext
from perdure.tasks.context import Published
from perdure.tasks.failing import Retryable
from perdure.testing.words import obj, x
from vault.words import SECRET, calling, engine, run, seeing


def one_task(name: str = "x", **more: Any) -> Workflow:
    return Workflow("w", (Step("s", Task(name, obj(a=x("'key ' + secrets.TOKEN")), **more)),), (Entry("s"),))


def test_results_ports_and_meta_are_without_secrets(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)
        used.task("x")(lambda given: Result({given["a"]: [given]}, port=given["a"], meta={"m": given["a"]}))
        async with used:
            await used.secrets.set("TOKEN", SECRET)
            execution = await used.executions.start(one_task(), {})
            assert await execution.result() == {"key ***": [{"a": "key ***"}]}
            history = repr(await used.host.read(lambda store: store.history(execution.id, 0, 100)))
            assert "port='key ***'" in history
            assert "{'m': 'key ***'}" in history
            assert SECRET not in history

    run(scenario())


def test_errors_are_without_secrets_also_where_their_text_is_cut(url: str) -> None:
    async def scenario() -> None:
        used = engine(url)

        @used.task("x")
        def fail(given: Any, ctx: TaskContext) -> None:
            ctx.logger.info("about to fail with %s", given)
            text = "-" * (1_990 if ctx.attempt == 1 else 0)
            raise Retryable(f"{text}{SECRET}", code=SECRET, details={"said": [SECRET]}) from ValueError(SECRET)

        async with used:
            await used.secrets.set("TOKEN", SECRET)
            execution = await used.executions.start(one_task(retry=Retry(2, delay_ms=1)), {})
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            failure = failed.value.failure
            assert failure is not None
            assert (failure.message, failure.code, failure.details) == ("***", "***", {"said": ["***"]})
            assert SECRET[:6] not in repr(await used.host.read(lambda store: store.history(execution.id, 0, 100)))

    run(scenario())


def test_checkpoints_and_what_is_published_are_without_secrets(url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        used = engine(url)
        told: list[Published] = []
        used.on_published.append(told.append)
        parts: list[Any] = []

        @used.task("x")
        async def work(given: Any, ctx: TaskContext) -> None:
            parts.append(await ctx.run(f"part {given['a']}", lambda: {"of": given["a"]}))
            ctx.publish({"said": given["a"]}, channel=given["a"])
            ctx.heartbeat()
            if ctx.attempt == 1:
                raise Retryable("again")

        async with used:
            await used.secrets.set("TOKEN", SECRET)
            execution = await used.executions.start(one_task(retry=Retry(2, delay_ms=1)), {})
            await execution.result()
            assert parts == [{"of": f"key {SECRET}"}, {"of": "key ***"}]
            assert [(each.data, each.channel) for each in told] == [({"said": "key ***"}, "key ***")] * 2
            assert SECRET not in repr(await used.host.read(lambda store: store.history(execution.id, 0, 100)))

    with caplog.at_level("DEBUG"):
        run(scenario())
    assert SECRET not in repr([vars(each) for each in caplog.records])


def test_a_thread_that_goes_on_after_its_time_logs_no_secrets(url: str, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        used, late = engine(url), asyncio.Event()
        loop = asyncio.get_running_loop()

        @used.task("x")
        def slow(given: Any, ctx: TaskContext) -> None:
            with contextlib.suppress(Exception):
                while True:
                    ctx.heartbeat()
            ctx.logger.warning("too late with %s", given)
            loop.call_soon_threadsafe(late.set)

        async with used:
            await used.secrets.set("TOKEN", SECRET)
            execution = await used.executions.start(one_task(timeout_ms=50), {})
            with pytest.raises(ExecutionFailed, match="took longer than its timeout of 50 ms"):
                await execution.result()
            await late.wait()

    with caplog.at_level("DEBUG"):
        run(scenario())
    assert "too late with {'a': 'key ***'}" in caplog.text


def test_opened_values_stay_in_memory_for_seconds_only(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.hosts.vault.KEPT_SECONDS", 0.01)

    async def scenario() -> None:
        used = engine(url)
        seeing(used)
        async with used:
            await used.secrets.set("TOKEN", SECRET)
            await (await used.executions.start(calling({"a": "{{secrets.TOKEN}}"}), {})).result()
            while used.host.vault._opened:  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    run(scenario())


@pytest.mark.parametrize("secret", ["Tenant.Key.0815", "AcMe.7"])
def test_a_host_that_is_a_secret_is_in_no_error_in_any_case(
    url: str, secret: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def scenario() -> None:
        async with engine(url) as used:
            await used.secrets.set("TENANT", secret)
            document = calling(
                {"endpoint": "https://{{secrets.TENANT}}/orders", "variableName": "orders"}, type_="HTTP_REQUEST"
            )
            execution = await used.executions.start(document, {})
            with pytest.raises(ExecutionFailed) as failed:
                await execution.result()
            failure = failed.value.failure
            assert failure is not None
            assert failure.message == "'***' is not a host: write an IPv4 address as four decimal numbers"
            history = repr(await used.host.read(lambda store: store.history(execution.id, 0, 100)))
            assert secret.lower() not in f"{history}{caplog.text}".lower()

    run(scenario())
