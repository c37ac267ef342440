"""Sessions with real servers: what a call brings, how many share one, and what becomes of those that end."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest

from connections.servers import OverHttp, everything, filesystem, hostile, plain
from connections.using import KEY, Using, address, here, program, until, using
from perdure.tasks.disguises import Disguises
from perdure.tasks.mcp.failing import McpRefused, McpTimedOut, McpToolFailed, McpUnavailable
from perdure.tasks.mcp.session import Session
from perdure.tasks.redaction import Redactor

SOON = 10


def test_a_server_by_stdio_lists_its_tools_and_answers() -> None:
    async def play(it: Using) -> None:
        tools = await it.tools()
        assert {"echo", "get-sum", "get-structured-content"} <= tools.keys()
        assert tools["echo"].description == "Echoes back the input string"
        assert tools["echo"].input["required"] == ["message"]
        assert tools["get-structured-content"].output["type"] == "object"
        assert await it.call("echo", message="hello") == "Echo: hello"
        said = await it.call("get-structured-content", location="Chicago")
        assert said == {"temperature": 36, "conditions": "Light rain / drizzle", "humidity": 82}
        image = await it.call("get-tiny-image")
        assert [block["type"] for block in image] == ["text", "image", "text"]

    using(program(everything()), play)


def test_a_server_of_files_reads_and_writes_them(tmp_path: Path) -> None:
    async def play(it: Using) -> None:
        path = str(tmp_path / "note.txt")
        await it.call("write_file", path=path, content="durable")
        assert (tmp_path / "note.txt").read_text() == "durable"
        assert await it.call("read_text_file", path=path) == {"content": "durable"}
        with pytest.raises(McpToolFailed, match="Access denied"):
            await it.call("read_text_file", path="/etc/passwd")

    using(program(filesystem(tmp_path)), play)


@pytest.mark.parametrize("mode", ["--sse", "--json"])
def test_a_server_by_http_answers_as_a_stream_and_as_an_object(mode: str) -> None:
    async def play(it: Using) -> None:
        assert sorted(await it.tools()) == ["add", "headers", "refuse"]
        assert await it.call("add", a=1, b=2) == {"result": 3}
        assert await it.call("headers", name="x-shop") == {"result": "lamps"}
        with pytest.raises(McpToolFailed, match="not today") as failed:
            await it.call("refuse", why="not today")
        assert failed.value.code == "MCP_TOOL_ERROR"

    with OverHttp(plain(mode)) as server:
        using(address(server.url, headers={"X-Shop": "lamps"}), play, allowed=here(server.port))


def test_many_calls_share_one_process_and_do_not_wait_for_each_other() -> None:
    async def play(it: Using) -> float:
        await it.tools()
        began = time.monotonic()
        calls = [it.call("trigger-long-running-operation", duration=1, steps=2) for _ in range(20)]
        assert set(await asyncio.gather(*calls)) == {"Long running operation completed. Duration: 1 seconds, Steps: 2."}
        return time.monotonic() - began

    assert using(program(everything()), play) < 10.0


def test_a_process_that_dies_fails_what_is_under_way_and_is_started_again(tmp_path: Path) -> None:
    async def play(it: Using) -> None:
        with pytest.raises(
            McpUnavailable,
            match=r"the server ended while the tool .* was called: it exited with 3.*the disk is on fire",
        ):
            await it.call(n=1)
        assert await it.call(n=2) == {"n": 2}

    using(program(hostile("dies", str(tmp_path / "once"))), play)


def test_one_that_died_while_nobody_called_is_started_again_unnoticed() -> None:
    async def play(it: Using) -> None:
        first = await it.call(n=1)
        os.kill(first["pid"], signal.SIGKILL)
        await asyncio.sleep(0)  # nobody has noticed
        kept = it.pool._kept[KEY].session
        assert kept is not None
        await until(lambda: kept.is_over)
        second = await it.call(n=2)
        assert second["given"] == {"n": 2}
        assert second["pid"] != first["pid"]

    using(program(hostile("well")), play)


def test_a_server_that_was_started_anew_knows_no_session_and_is_given_a_new_one() -> None:
    with OverHttp(everything("streamableHttp")) as server:

        async def play(it: Using) -> None:
            assert await it.call("echo", message="1") == "Echo: 1"
            server.kill()
            with pytest.raises(McpUnavailable, match="cannot be reached"):
                await it.call("echo", message="2")
            server.start()
            assert await it.call("echo", message="3") == "Echo: 3"

        using(address(server.url), play, allowed=here(server.port))


def test_a_call_by_http_that_its_server_does_not_survive_fails() -> None:
    with OverHttp(everything("streamableHttp")) as server:

        async def play(it: Using) -> None:
            await it.tools()
            call = asyncio.create_task(it.call("trigger-long-running-operation", duration=30, steps=30))
            await asyncio.sleep(0.5)
            server.kill()
            with pytest.raises(McpUnavailable) as failed:
                await call
            assert failed.value.code == "MCP_UNAVAILABLE"

        using(address(server.url), play, allowed=here(server.port))


def test_a_call_that_is_cancelled_tells_the_server_and_leaves_the_session_as_it_is(tmp_path: Path) -> None:
    told = tmp_path / "told"

    async def play(it: Using) -> None:
        await it.tools()
        session = it.pool._kept[KEY].session
        call = asyncio.create_task(it.call(n=1))
        await asyncio.sleep(0.1)
        call.cancel("nobody waits for it")
        with pytest.raises(asyncio.CancelledError):
            await call
        await it.tools(anew=True)
        assert "caller cancelled" in told.read_text()
        assert it.pool._kept[KEY].session is session

    using(program(hostile("never answers a call", str(told))), play)


def test_a_call_that_takes_too_long_fails_and_leaves_the_session_as_it_is(tmp_path: Path) -> None:
    told = tmp_path / "told"

    async def play(it: Using) -> None:
        with pytest.raises(McpTimedOut, match=r"has not answered within 0\.2 seconds"):
            await it.call(seconds=0.2)
        assert list(await it.tools(anew=True)) == ["do"]
        assert told.exists()

    using(program(hostile("never answers a call", str(told))), play)


def test_who_is_heard_of_says_that_it_goes_on() -> None:
    heard: list[int] = []

    async def play(it: Using) -> None:
        await it.pool.use(
            KEY,
            it.connection,
            None,
            lambda session: session.call(
                "trigger-long-running-operation",
                {"duration": 0.3, "steps": 3},
                "k",
                20.0,
                lambda: heard.append(1),
            ),
        )

    using(program(everything()), play)
    assert len(heard) >= 2


def test_a_session_that_nobody_uses_is_closed() -> None:
    async def play(it: Using) -> None:
        pid = (await it.call())["pid"]
        await until(lambda: not it.pool._kept and not it.pool._closing)
        assert _is_gone(pid)

    using(program(hostile("well")), play, idle_seconds=0.05)


def test_another_connection_under_the_same_name_has_a_session_of_its_own() -> None:
    async def play(it: Using) -> None:
        first = (await it.call())["pid"]
        it.connection = program(hostile("well"), env={"OTHER": "1"})
        assert (await it.call())["pid"] != first

    using(program(hostile("well")), play)


def test_what_cannot_be_opened_is_told_to_all_who_wait_and_not_tried_again_at_once() -> None:
    async def play(it: Using) -> None:
        outcomes = await asyncio.gather(*(it.call() for _ in range(20)), return_exceptions=True)
        assert {str(each) for each in outcomes} == {str(outcomes[0])}
        assert isinstance(outcomes[0], McpUnavailable)
        assert it.pool._kept[KEY].failures == 1

    using(program(hostile("exits at once")), play)


def test_one_that_is_still_being_opened_is_not_waited_for_when_it_is_closed(tmp_path: Path) -> None:
    started = tmp_path / "started"

    async def play(it: Using) -> None:
        call = asyncio.create_task(it.call())
        await until(started.exists)
        async with asyncio.timeout(SOON):
            await it.pool.close()
        await asyncio.gather(call, return_exceptions=True)

    silent = ["sh", "-c", f"touch {started}; while read asked; do :; done"]
    using(program(silent, connect_ms=2_000 * SOON), play)


def test_a_list_of_tools_that_does_not_come_fails_all_who_wait_for_it_at_the_same_time() -> None:
    async def play(it: Using) -> None:
        session = await it.pool.use(KEY, it.connection, None, _itself)
        began = time.monotonic()
        session._seconds = 0.05
        outcomes = await asyncio.gather(*(session.tools() for _ in range(20)), return_exceptions=True)
        assert time.monotonic() - began < 20 * 0.05
        assert {str(each) for each in outcomes} == {
            "the list of tools of the connection 'it' has not come within 0.05 seconds"
        }
        assert isinstance(outcomes[0], McpTimedOut)

    using(program(hostile("never lists")), play)


def test_many_who_need_the_tools_have_them_listed_once_and_who_wants_them_anew_once_more(tmp_path: Path) -> None:
    told = tmp_path / "told"

    async def play(it: Using) -> None:
        session = await it.pool.use(KEY, it.connection, None, _itself)
        for listed in await asyncio.gather(*(session.tools() for _ in range(20))):
            assert list(listed) == ["do"]
        await session.tools()
        assert told.read_text().count("listed") == 1
        under_way = asyncio.create_task(session.tools())
        await session.tools(anew=True)
        await under_way
        assert told.read_text().count("listed") == 2

    using(program(hostile("counts lists", str(told))), play)


def test_a_secret_that_a_server_says_in_its_list_is_hidden_once_for_all_who_ask(tmp_path: Path) -> None:
    told = tmp_path / "told"
    told.write_text("send hunter2-hunter2 along")

    async def play(it: Using) -> None:
        session = await it.pool.use(KEY, it.connection, Redactor([Disguises("hunter2-hunter2")]), _itself)
        listed = await session.tools()
        assert listed["do"].description == "send *** along"
        assert await session.tools() is listed

    using(program(hostile("reads description", str(told))), play)


def test_who_waits_for_a_list_is_told_when_the_session_is_closed() -> None:
    async def play(it: Using) -> None:
        session = await it.pool.use(KEY, it.connection, None, _itself)
        waiting, cancelled = (asyncio.create_task(session.tools()) for _ in range(2))
        await asyncio.sleep(0)
        cancelled.cancel()
        async with asyncio.timeout(SOON):
            await it.pool.close()
        with pytest.raises(McpUnavailable, match="was closed before it had listed its tools"):
            await waiting
        assert cancelled.cancelled()

    using(program(hostile("never lists")), play)


async def _itself(session: Session) -> Session:
    return session


def test_all_that_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    said = tmp_path / "child"

    async def play(it: Using) -> None:
        await it.call()

    using(program(hostile("has a child", str(said))), play)
    assert _is_gone(int(said.read_text()))


def test_a_program_that_will_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("perdure.tasks.mcp.stdio.END_SECONDS", 0.1)

    async def play(it: Using) -> int:
        return int((await it.call())["pid"])

    assert _is_gone(using(program(hostile("will not end")), play))


def test_a_program_has_nothing_of_our_environment_but_where_things_are(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PERDURE_SECRET_KEY", "OPENAI_API_KEY", "PERDURE_DATABASE_URL", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "not for you")

    async def play(it: Using) -> None:
        found = await it.call()
        assert found["SHOP"] == "lamps"
        assert found.keys() - {"LC_CTYPE"} <= {"PATH", "HOME", "LANG", "SHOP"}  # Python sets LC_CTYPE itself

    using(program(hostile("environment"), env={"SHOP": "lamps"}), play)


def test_every_attempt_carries_the_key_of_its_operation() -> None:
    async def play(it: Using) -> None:
        assert (await it.call(key="op-7"))["perdure/idempotencyKey"] == "op-7"

    using(program(hostile("meta")), play)


def test_a_program_that_is_not_there_is_named() -> None:
    async def play(it: Using) -> None:
        with pytest.raises(McpUnavailable, match="cannot be started: no-such-program: No such file or directory"):
            await it.tools()

    using(program(["no-such-program"]), play)


def test_a_tool_that_is_not_there_is_an_error_of_the_server() -> None:
    async def play(it: Using) -> None:
        with pytest.raises((McpToolFailed, McpRefused), match="nope"):
            await it.call("nope")

    using(program(everything()), play)


def _is_gone(pid: int) -> bool:
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            with Path(f"/proc/{pid}/stat").open() as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True  # nobody has asked how it ended: it is no child of ours
        except FileNotFoundError:
            return True
        time.sleep(0.01)
    return False
