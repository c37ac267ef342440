"""Servers that do what none must: each is contained, the call says what went wrong, and nothing hangs."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from connections.servers import hostile
from connections.using import Using, program, using
from perdure.model.failure import Category
from perdure.tasks.failing import NonRetryable, Retryable, failure_of
from perdure.tasks.limits import Limits
from perdure.tasks.mcp.session import TOOLS_MAX, Session


def refused(mode: str, *arguments: str, connect_ms: int = 20_000, seconds: float = 20.0) -> NonRetryable | Retryable:
    async def play(it: Using) -> NonRetryable | Retryable:
        try:
            await it.tools()
            said = await it.call(seconds=seconds)
        except (NonRetryable, Retryable) as error:
            return error
        raise AssertionError(said)

    return using(program(hostile(mode, *arguments), connect_ms=connect_ms), play)


@pytest.mark.parametrize(
    ("mode", "code", "said"),
    [
        (
            "exits at once",
            "MCP_UNAVAILABLE",
            "it exited with 4; its last lines on stderr: no such database: prod | set DATABASE_URL",
        ),
        ("never answers", "MCP_UNAVAILABLE", "has not said what it is within 1 seconds: it said nothing"),
        ("rubbish only", "MCP_UNAVAILABLE", "what is no message of the protocol to its stdout: 'Server started!"),
        ("ancient", "MCP_INVALID_ANSWER", "Unsupported protocol version from the server: 1999-01-01"),
    ],
)
def test_who_does_not_say_what_it_is_is_not_called(mode: str, code: str, said: str) -> None:
    error = refused(mode, connect_ms=1_000)
    assert (error.code, said in str(error)) == (code, True), str(error)


@pytest.mark.parametrize(
    ("mode", "code", "said"),
    [
        ("huge", "MCP_TOO_LARGE", "answered with more than 10,485,760 bytes"),
        ("huge, id last", "MCP_TOO_LARGE", "answered with more than 10,485,760 bytes"),
        ("huge, no id", "MCP_UNAVAILABLE", "it wrote a message of more than 10,485,760 bytes"),
        ("malformed", "MCP_INVALID_ANSWER", "answered with what is no answer of the protocol: content"),
        ("not an object", "MCP_INVALID_ANSWER", "answered with what is no answer of the protocol"),
        ("wrong id", "MCP_TIMEOUT", "has not answered within 1 seconds"),
        ("deep", "MCP_INVALID_ANSWER", "answered with what is no answer of the protocol"),
        (
            "dies",
            "MCP_UNAVAILABLE",
            "was called: it exited with 3; its last lines on stderr: the disk is on fire",
        ),
        ("is error", "MCP_TOOL_ERROR", "failed: there is no such customer"),
        ("is error, silently", "MCP_TOOL_ERROR", "failed: it did not say why"),
        ("circles", "MCP_INVALID_ANSWER", "goes round in circles: the page after 'a' came before"),
        ("endless", "MCP_INVALID_ANSWER", "is longer than 100 pages"),
        (
            "malformed tools",
            "MCP_INVALID_ANSWER",
            "the list of tools of the connection 'it' answered with what is no answer",
        ),
    ],
)
def test_what_cannot_be_taken_fails_the_call(mode: str, code: str, said: str) -> None:
    error = refused(mode, seconds=1.0 if code == "MCP_TIMEOUT" else 20.0)
    assert (error.code, said in str(error)) == (code, True), str(error)


@pytest.mark.parametrize(
    ("number", "code", "retriable"),
    [
        (-32602, "MCP_REFUSED", False),
        (-32600, "MCP_REFUSED", False),
        (-32601, "METHOD_NOT_FOUND", False),
        (-32603, "MCP_ERROR", True),
        (-32050, "MCP_ERROR", True),
    ],
)
def test_an_error_of_the_protocol_says_whether_it_helps_to_ask_again(number: int, code: str, retriable: bool) -> None:
    error = failure_of(refused("error", str(number)))
    assert (error.code, error.retriable) == (code, retriable)
    assert "I will not" in error.message


def test_what_a_tool_says_of_its_failure_is_business_and_may_be_tried_again() -> None:
    error = failure_of(refused("is error"))
    assert (error.category, error.retriable) == (Category.BUSINESS, True)


def test_the_answer_after_one_that_was_too_large_is_taken() -> None:
    async def play(it: Using) -> None:
        with pytest.raises(NonRetryable, match=r"more than 1,000 bytes.*ask it for less"):
            await it.call(n="x" * 2_000)
        assert (await it.call(n=1))["given"] == {"n": 1}

    using(program(hostile("well")), play, limits=Limits(response_bytes_max=1_000))


def test_rubbish_between_the_messages_is_left_out_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    async def play(it: Using) -> None:
        assert (await it.call(n=1))["given"] == {"n": 1}

    with caplog.at_level(logging.WARNING, "perdure.mcp"):
        using(program(hostile("rubbish")), play)
    told = [record.getMessage() for record in caplog.records if "no message of the protocol" in record.getMessage()]
    said = "the connection 'it' writes what is no message of the protocol to its stdout, which is left out: "
    assert told == [f"{said}Server started! Listening on stdio."]


def test_what_a_program_complains_of_is_logged_up_to_a_bound(caplog: pytest.LogCaptureFixture) -> None:
    async def play(it: Using) -> None:
        assert await it.call() == "done"

    with caplog.at_level(logging.INFO, "perdure.mcp"):
        using(program(hostile("chatty")), play)
    lines = [record.getMessage() for record in caplog.records if record.name == "perdure.mcp"]
    assert lines[0] == "the connection 'it': line 0"
    assert len(lines) == 201
    assert lines[-1].endswith("no more of it is logged")


def test_a_list_of_tools_is_read_to_its_end() -> None:
    async def play(it: Using) -> list[str]:
        return list(await it.tools())

    assert using(program(hostile("pages")), play) == [f"do-{number}" for number in range(5)]
    assert using(program(hostile("no tools")), play) == []


def test_a_list_of_one_page_has_at_most_as_many_tools_as_one_of_several() -> None:
    async def play(it: Using) -> list[str]:
        return list(await it.tools())

    assert len(using(program(hostile("many", str(TOOLS_MAX))), play)) == TOOLS_MAX
    with pytest.raises(NonRetryable, match=r"is longer than 100 pages or 2,000 tools"):
        using(program(hostile("many", str(TOOLS_MAX + 1))), play)


def test_a_tool_that_is_called_like_none_or_all_of_them_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "names").write_text('["", "do", "*"]')

    async def play(it: Using) -> list[str]:
        return list(await it.tools())

    with caplog.at_level(logging.WARNING, "perdure.mcp"):
        assert using(program(hostile("reads names", str(tmp_path / "names"))), play) == ["do"]
    assert "the connection 'it' offers a tool that it calls '*', which is left out" in caplog.messages


def test_what_a_server_asks_of_us_is_refused() -> None:
    """No model of ours, no files of ours, nobody who could be asked."""

    async def play(it: Using) -> None:
        assert await it.call() == ["s1", "s2", "s3"]

    using(program(hostile("asks")), play)


def test_tools_are_listed_again_when_the_server_says_that_they_changed() -> None:
    async def play(it: Using) -> list[bool]:
        await it.tools()
        session = await it.pool.use(("default", "it"), it.connection, None, _same)
        seen = [session._have_changed]
        await it.call()
        seen.append(session._have_changed)
        await it.tools()
        return [*seen, session._have_changed]

    assert using(program(hostile("notices")), play) == [False, True, False]


async def _same(session: Session) -> Session:
    return session


def test_hostile_words_are_data(caplog: pytest.LogCaptureFixture) -> None:
    """What looks like a template, a secret or a log record is what it is."""
    words = "{{ secrets.KEY }} ${x} %s \x1b[31m @input"

    async def play(it: Using) -> None:
        assert (await it.call(n=words))["given"] == {"n": words}

    using(program(hostile("well")), play)
    assert json.dumps(words) not in caplog.text
