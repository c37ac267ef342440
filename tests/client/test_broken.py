"""Servers that are killed and come back, connections that are cut, answers that say "not now", keys that do not count."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from api.house import GREET, house, run
from client.cutting import Cut, Proxy, cutting
from client.serving import served
from perdure import Client, NoServer, SyncClient, Unauthorized
from perdure.cli.main import main
from perdure.client.errors import ServerFailed
from perdure.errors import PerdureError
from perdure.service.errors import Conflict, Forbidden, NotFound, OtherRequest, Outdated, Refused, TooMany
from perdure.store.port import Unavailable

KEY = "prd_abcdefghij_" + "s" * 43 + "_abcdef"


def port_of(url: str) -> int:
    return int(url.rpartition(":")[2])


@pytest.mark.parametrize("cut", ["at once", "after the request", "in the answer"])
def test_a_start_whose_connection_is_cut_is_sent_again_and_is_one_execution(cut: Cut) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, cutting(port_of(there.url), cut, cut) as proxy:
            await there.engine.workflows.save(GREET)
            async with Client(proxy.url) as client:
                execution = await client.executions.start("greet", {"name": "Ada"})
                assert execution.created
                assert await execution.result() == {"name": "Ada", "greeting": "Hello Ada!"}
                found = await client.executions.list()
            assert [each.id for each in found.items] == [execution.id]

    run(scenario())


def test_what_must_not_be_done_twice_is_not_sent_twice() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, cutting(port_of(there.url), "", "after the request") as proxy:
            await there.engine.workflows.save(GREET)
            first = await there.engine.executions.start("greet", {"name": "Ada"})
            await first.result()
            async with Client(proxy.url) as client:
                execution = await client.executions.get(first.id)
                await client.aclose()
                with pytest.raises(NoServer, match="the connection broke"):
                    await execution.rerun()
                assert len((await client.executions.list()).items) == 2

    run(scenario())


def test_what_was_never_sent_is_tried_again_whatever_it_is() -> None:
    """The connection is refused until there is somebody; nothing can have come of what was asked."""

    async def scenario() -> None:
        async with house(needs_key=False) as there:
            await there.engine.workflows.save(GREET)
            first = await there.engine.executions.start("greet", {"name": "Ada"})
            async with _later(port_of(there.url)) as url, Client(url) as client:
                execution = await client.executions.get(first.id)
                await execution.result()
                await (await execution.rerun()).result()
            assert len((await there.engine.executions.list()).items) == 2

    run(scenario())


@asynccontextmanager
async def _later(port: int) -> AsyncIterator[str]:
    """A place at which nobody listens yet, and then somebody."""
    async with cutting(port) as before:
        url = before.url
    opened = asyncio.create_task(_opened(port, port_of(url)))
    try:
        yield url
    finally:
        (await opened).close()


async def _opened(port: int, at: int) -> asyncio.Server:
    await asyncio.sleep(0.2)
    return await asyncio.start_server(Proxy(port, []).handle, "127.0.0.1", at)


def test_a_server_that_is_killed_and_comes_back_is_waited_for(tmp_path: Path) -> None:
    with served(tmp_path, "--no-examples") as server, SyncClient(server.url) as client:
        client.workflows.save(GREET)
        execution = client.executions.start("greet", {"name": "Ada"})
        assert execution.result()["greeting"] == "Hello Ada!"
        server.kill()
        back = threading.Thread(target=server.start)
        back.start()
        again = client.executions.start("greet", {"name": "Eve"})
        assert again.result()["greeting"] == "Hello Eve!"
        assert [entry.kind for entry in again.watch()][-1] == "execution.completed"
        back.join()


def test_whoever_waits_no_longer_is_told_that_there_is_no_server() -> None:
    async def scenario() -> None:
        async with cutting(1) as gone:
            url = gone.url
        async with Client(url, KEY, deadline_seconds=0.3) as client:
            with pytest.raises(NoServer, match="nobody answers there") as told:
                await client.workflows.list()
        assert KEY not in f"{told.value!r} {told.value.__cause__!r} {told.value.__context__!r}"

    run(scenario())


ANSWERS: dict[str, tuple[bytes, type[PerdureError], str]] = {
    "somebody else": (b"200 OK\r\ncontent-type: text/html\r\n\r\n<html>", ServerFailed, "cannot read"),
    "a redirect": (b"302 Found\r\nlocation: http://elsewhere/\r\n\r\n", NoServer, "leads to 'http://elsewhere/'"),
    "a failure": (b"500 No\r\n\r\n", ServerFailed, "answers with 500"),
    "a path of others": (b"404 No\r\n\r\nnope", NoServer, "not as a server of Perdure does"),
    "not now": (
        b'429 No\r\nretry-after: 9\r\n\r\n{"type":"","title":"","status":429,"detail":"so many","code":"x"}',
        TooMany,
        "so many",
    ),
    "not there": (b'503 No\r\n\r\n{"type":"","title":"","status":503,"detail":"full","code":"x"}', Unavailable, "full"),
    "a new word": (b'418 No\r\n\r\n{"type":"","title":"","status":418,"detail":"tea","code":"teapot"}', Refused, "tea"),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_what_is_no_answer_is_told_as_what_it_is(answer: str) -> None:
    content, kind, said = ANSWERS[answer]
    head, _, body = content.partition(b"\r\n\r\n")
    asked: list[bytes] = []

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        length = f"content-length: {len(body)}\r\nconnection: close".encode()
        writer.write(b"HTTP/1.1 " + head + b"\r\n" + length + b"\r\n\r\n" + body)
        writer.close()

    async def scenario() -> None:
        async with await asyncio.start_server(say, "127.0.0.1", 0) as server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            async with Client(url, KEY, deadline_seconds=0.4) as client:
                with pytest.raises(kind, match=said) as told:
                    await client.workflows.list()
        assert KEY not in repr(told.value)

    run(scenario())
    is_busy = answer == "not there"
    assert (len(asked) > 1) == is_busy


def test_errors_are_those_of_an_engine(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def scenario() -> None:
        async with house() as there:
            boss, looker = await there.key("boss", "admin"), await there.key("looker", "viewer")
            async with Client(there.url, boss) as client, Client(there.url, looker) as other:
                await client.workflows.save(GREET)
                execution = await client.executions.start("greet", {"name": "Ada"}, idempotency_key="one")
                await execution.result()
                again = await client.executions.start("greet", {"name": "Ada"}, idempotency_key="one")
                assert (again.id, again.created) == (execution.id, False)
                with pytest.raises(OtherRequest):
                    await client.executions.start("greet", {"name": "Eve"}, idempotency_key="one")
                with pytest.raises(Conflict, match="completed already"):
                    await execution.cancel()
                with pytest.raises(Outdated):
                    await execution.cancel(if_version=1)
                with pytest.raises(NotFound):
                    await client.members.get("nobody")
                with pytest.raises(Refused) as refused:
                    await client.workflows.save(b'{"name": "x",\n "nodes": [{"id": "a", "type": "NOPE"}]')
                assert [problem.line for problem in refused.value.problems] != [None]
                with pytest.raises(Forbidden, match="looker"):
                    await other.workflows.save(GREET)
                with pytest.raises(Forbidden):
                    await other.audit.list()
            for wrong in (None, KEY):
                async with Client(there.url, wrong) as stranger:
                    with pytest.raises(Unauthorized, match="key"):
                        await stranger.workflows.list()
        assert boss not in caplog.text
        assert KEY not in caplog.text

    run(scenario())


@pytest.mark.parametrize("url", ["flows.example.com", "ftp://x", "http://", "http://ann:pw@x", "http://x?a=1", ""])
def test_an_address_that_is_none_is_refused_at_once(url: str) -> None:
    with pytest.raises(NoServer, match="address of a server") as told:
        Client(url)
    assert "pw" not in str(told.value)


@pytest.mark.parametrize("key", ["", "two words", "prd_x\nprd_y", "schlüssel"])
def test_a_key_that_is_none_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(Conflict, match="no key has") as told:
        Client("http://127.0.0.1:1", key)
    assert key == "" or key not in str(told.value)


def test_an_id_may_be_anything_and_leads_nowhere_else() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, Client(there.url) as client:
            await client.workflows.save({**GREET, "name": "a/b ? # %2F ü"})
            found = await client.workflows.show("a/b ? # %2F ü")
            assert found.name == "a/b ? # %2F ü"
            for id_ in ("..", ".", "../workflows", "%2e%2e", "x/y"):
                with pytest.raises(NotFound, match="there is no workflow"):
                    await client.workflows.show(id_)

    run(scenario())


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--db", "sqlite:///x.db", "--server", "http://x"], "--db and --server: it is one or the other"),
        (["--key", "prd_x"], "--key is for a server"),
        (["--server", "http://x", "--key", "a", "--key-file", "b"], "--key and --key-file: give one of them"),
        (["--server", "http://x", "--key-file", "nowhere"], "there is no such file"),
        (["--server", "x"], "is not the address of a server; write it as http://x"),
        (["--server", "ftp://x"], "write it as http://127.0.0.1:8400"),
        (["--server", "http://x", "--organization", "acme"], "--organization cannot be said to a server"),
    ],
)
def test_what_does_not_go_together_is_refused(
    typed: list[str], said: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    assert main(["workflows", "list", *typed]) == 2
    assert said in capsys.readouterr().err


def test_two_places_in_the_environment_are_not_guessed_between(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERDURE_DATABASE_URL", "sqlite:///x.db")
    monkeypatch.setenv("PERDURE_SERVER_URL", "http://x")
    assert main(["workflows", "list"]) == 2
    assert "both set; say with --server or --db" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["worker"], ["doctor"], ["db", "upgrade"], ["serve"], ["secrets", "rotate"]])
def test_what_is_about_a_database_says_so(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, "--server", "http://x"]) == 2
    assert f"perdure {' '.join(command)}: it is about a database, and has no --server" in capsys.readouterr().err


def test_a_key_of_the_environment_or_of_a_file_is_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERDURE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    db = f"sqlite:///{tmp_path}/flows.db"
    assert main(["keys", "create", "ops", "--role", "admin", "--db", db]) == 0
    key = capsys.readouterr().out.splitlines()[0]
    (tmp_path / "key").write_text(f"{key}\n")
    with served(tmp_path, command="serve") as server:
        listing = ["members", "list", "--server", server.url]
        assert main(listing) == 2
        told = capsys.readouterr().err
        assert "who asks?" in told
        assert "--key-file FILE" in told
        assert main([*listing, "--key-file", "key"]) == 0
        monkeypatch.setenv("PERDURE_KEY", key)
        assert main(listing) == 0
        monkeypatch.setenv("PERDURE_SERVER_URL", server.url)
        assert main(["members", "list"]) == 0
        assert capsys.readouterr().out.count("ops") == 3
