"""Steps that call tools, on every store: from each dialect, with secrets, over kills, and in each other's place."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from connections.documents import calling, graph, orchestration, parallel, parallel_phase, phases, ports
from connections.servers import OverHttp, clock, connected, everything, filesystem, hostile, plain
from perdure import Engine
from perdure.hosts.envelopes import new_key
from perdure.model.failure import Category
from perdure.model.steps import Retry
from perdure.service.errors import ExecutionFailed

SECRET = "tok-3f9a77c1d2e8"


@pytest.mark.parametrize("write", [ports, graph, orchestration, phases])
def test_every_dialect_calls_a_tool(url: str, write: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("durable")
    document = write("fs", "read_text_file", {"path": str(tmp_path / "a.txt")})

    async def scenario() -> None:
        async with Engine(url, connections={"fs": connected(filesystem(tmp_path))}) as engine:
            saved = await engine.workflows.save(document)
            assert saved.warnings == ()
            result = await (await engine.executions.start(saved.id, {})).result()
            assert result in ({"content": "durable"}, {"answer": {"content": "durable"}})

    asyncio.run(scenario())


@pytest.mark.parametrize("write", [ports, graph, orchestration, phases])
def test_a_server_in_python_that_others_wrote_is_called(write: Any) -> None:
    given = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    document = write("clock", "convert_time", given)

    async def scenario() -> None:
        async with Engine(connections={"clock": connected(clock())}) as engine:
            saved = await engine.workflows.save(document)
            result = await (await engine.executions.start(saved.id, {})).result()
            told = result.get("answer", result)
            assert told["target"]["timezone"] == "Asia/Tokyo"
            assert told["time_difference"] in ("+7.0h", "+8.0h")

    asyncio.run(scenario())


@pytest.mark.parametrize("write", [parallel, parallel_phase])
def test_twenty_parallel_steps_outlive_the_server_that_is_killed_under_them(url: str, write: Any) -> None:
    """It is killed in the middle of all calls; each is tried again on the process that is started then."""
    document = write(20, "every", "trigger-long-running-operation", {"duration": 1, "steps": 2})

    async def scenario() -> None:
        async with Engine(url, connections={"every": connected(everything())}) as engine:
            saved = await engine.workflows.save(document)
            execution = await engine.executions.start(saved.id, {})
            pid = await _pid_of_session(engine, "every")
            await asyncio.sleep(0.3)
            os.killpg(pid, signal.SIGKILL)
            result = await execution.result()
            assert len(result) == 20
            assert set(result.values()) == {"Long running operation completed. Duration: 1 seconds, Steps: 2."}
            tried = [entry for entry in (await execution.history(limit=500)).items if entry.kind == "step.retrying"]
            assert len(tried) >= 20

    asyncio.run(scenario())


async def _pid_of_session(engine: Engine, name: str) -> int:
    pool = engine.host.connections._pool
    while True:
        kept = pool._kept.get(("default", name))
        session = None if kept is None else kept.session
        if session is not None and session._session is not None:
            process = session._transport._process  # type: ignore[attr-defined]
            return int(process.pid)
        await asyncio.sleep(0.01)


def test_a_call_without_a_retry_policy_fails_once_its_server_has_died(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("dies"))}) as engine:
            failed = await _failed(engine, calling())
            assert (failed.code, failed.category, failed.retriable) == ("MCP_UNAVAILABLE", Category.TRANSIENT, True)
            assert "the disk is on fire" in failed.message

    asyncio.run(scenario())


def test_and_is_tried_again_by_one(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("dies", str(tmp_path / "once")))}) as engine:
            execution = await engine.executions.start(calling(retry=Retry(attempts_max=2, delay_ms=1)), {"n": 7})
            assert await execution.result() == {"n": 7}

    asyncio.run(scenario())


def test_what_stands_in_for_a_tool_goes_before_it() -> None:
    async def scenario() -> None:
        engine = Engine(connections={"it": connected(hostile("well"))})

        @engine.task("do", connection="it")
        def do(given: dict[str, int]) -> dict[str, int]:
            return {"stood in": given["n"]}

        async with engine:
            assert await (await engine.executions.start(calling(), {"n": 7})).result() == {"stood in": 7}
            assert not engine.host.connections._pool._kept

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("given", "said"), [(7, "takes an object, not a number"), ("x", "takes an object, not a text")]
)
def test_a_tool_takes_an_object(given: Any, said: str) -> None:
    async def scenario() -> None:
        async with Engine(connections={"it": connected(hostile("well"))}) as engine:
            failed = await _failed(engine, calling(), given)
            assert said in failed.message
            assert failed.category == Category.VALIDATION

    asyncio.run(scenario())


def test_a_tool_that_the_server_does_not_have_fails_by_name() -> None:
    async def scenario() -> None:
        async with Engine(connections={"every": connected(everything())}) as engine:
            failed = await _failed(engine, calling("every/ecko"), {})
            assert failed.message == "the connection 'every' has no tool 'ecko'; did you mean 'echo'?"
            assert (failed.code, failed.retriable) == ("UNKNOWN_TOOL", False)

    asyncio.run(scenario())


def test_where_no_other_may_have_it_a_connection_that_is_not_here_fails_by_name() -> None:
    async def scenario() -> None:
        async with Engine(unknown_tasks="fail") as engine:
            failed = await _failed(engine, calling("fs/read"), {})
            assert failed.code == "UNKNOWN_TASK"
            assert (
                "give the connection by --connections FILE, or add it with `perdure connections add fs URL`"
                in failed.message
            )

    asyncio.run(scenario())


def test_a_call_that_takes_longer_than_its_step_may_is_given_up(tmp_path: Path) -> None:
    told = tmp_path / "told"
    given = ports("it", "do", timeout=200)

    async def scenario() -> None:
        operators = {"it": connected(hostile("never answers a call", str(told)))}
        async with Engine(connections=operators) as engine:
            failed = await _failed(engine, given, {})
            assert failed.code == "TIMEOUT"
            await engine.connections.tools("it", refresh=True)  # the session is as it was
            assert "caller cancelled" in told.read_text()

    asyncio.run(scenario())


def test_a_connection_says_how_long_a_call_may_take() -> None:
    async def scenario() -> None:
        operators = {"it": connected(hostile("never answers a call"), timeout=200)}
        async with Engine(connections=operators) as engine:
            failed = await _failed(engine, calling(), {})
            assert (failed.code, failed.category) == ("MCP_TIMEOUT", Category.TIMEOUT)

    asyncio.run(scenario())


def test_an_execution_that_is_cancelled_cancels_its_call(tmp_path: Path) -> None:
    told = tmp_path / "told"

    async def scenario() -> None:
        operators = {"it": connected(hostile("never answers a call", str(told)))}
        async with Engine(connections=operators) as engine:
            execution = await engine.executions.start(calling(), {})
            await _pid_of_session(engine, "it")
            await asyncio.sleep(0.2)
            await execution.cancel("enough")
            with pytest.raises(ExecutionFailed):
                await execution.result()
            await engine.connections.tools("it", refresh=True)
            assert "caller cancelled" in told.read_text()

    asyncio.run(scenario())


def test_secrets_in_headers_are_sent_and_nobody_else_has_them(
    url: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The server says them back in its answer and in its error; neither history nor log has them."""
    caplog.set_level("DEBUG")
    with OverHttp(plain()) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")

        async def scenario() -> None:
            async with Engine(url, secret_keys=new_key()) as engine:
                await engine.secrets.set("TOKEN", SECRET)
                headers = {"Authorization": "Bearer {{secrets.TOKEN}}", "X-Shop": "lamps"}
                await engine.connections.add("api", server.url, headers=headers)
                shop = await engine.executions.start(calling("api/headers"), {"name": "x-shop"})
                assert await shop.result() == {"result": "lamps"}
                said = await engine.executions.start(calling("api/headers", name="back"), {"name": "authorization"})
                assert await said.result() == {"result": "Bearer ***"}
                failed = await _failed(engine, calling("api/refuse", name="fails"), {"why": f"no, not with {SECRET}"})
                assert failed.message.endswith(
                    "of the connection 'api' failed: Error executing tool refuse: no, not with ***"
                )
                kept = await engine.host.read(
                    lambda store: [store.card("default", register, "api") for register in ("connections", "tools")]
                )
                assert SECRET not in repr((kept, await engine.connections.list(), await said.history()))
                assert SECRET not in repr([record.getMessage() for record in caplog.records])

        asyncio.run(scenario())


def test_a_secret_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        async with Engine(secret_keys=new_key()) as engine:
            headers = {"Authorization": "{{secrets.TOKEN}}"}
            await engine.connections.add("api", "https://mcp.example.com/mcp", headers=headers)
            failed = await _failed(engine, calling("api/x"), {})
            assert (failed.code, failed.category) == ("MISSING_SECRET", Category.SECURITY)
            assert failed.message.startswith("connection 'api' needs the secret 'TOKEN', which organization 'default'")
            assert failed.message.endswith("perdure secrets set TOKEN, and try again"), "nothing may have been executed"

    asyncio.run(scenario())


def test_a_secret_in_the_input_of_a_tool_is_not_in_history(url: str) -> None:
    document = ports("it", "do", {"password": "{{secrets.TOKEN}}"})

    async def scenario() -> None:
        async with Engine(url, secret_keys=new_key(), connections={"it": connected(hostile("well"))}) as engine:
            await engine.secrets.set("TOKEN", SECRET)
            execution = await engine.executions.start(document)
            assert (await execution.result())["given"] == {"password": "***"}
            assert SECRET not in repr(await execution.history())

    asyncio.run(scenario())


def test_organizations_have_connections_and_sessions_of_their_own(url: str) -> None:
    async def scenario() -> None:
        async with Engine(url, connections={"it": connected(hostile("well"))}) as engine:
            pids = []
            for organization in ("default", "other"):
                execution = await engine.executions.start(calling(), {}, organization=organization)
                pids.append((await execution.result())["pid"])
            assert len(set(pids)) == 2
            await engine.connections.add("own", "https://mcp.example.com/mcp", organization="other")
            assert [each.name for each in await engine.connections.list(organization="other")] == ["it", "own"]
            assert [each.name for each in await engine.connections.list()] == ["it"]

    asyncio.run(scenario())


def test_a_program_ends_with_the_engine() -> None:
    async def scenario() -> int:
        async with Engine(connections={"it": connected(hostile("well"))}) as engine:
            return int((await (await engine.executions.start(calling(), {})).result())["pid"])

    pid = asyncio.run(scenario())
    assert not Path(f"/proc/{pid}").exists()


async def _failed(engine: Engine, document: Any, given: Any = None) -> Any:
    execution = await engine.executions.start(document, {} if given is None else given)
    with pytest.raises(ExecutionFailed) as failed:
        await execution.result()
    return failed.value.failure
