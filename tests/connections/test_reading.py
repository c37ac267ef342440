"""The file of an operator: all that is wrong with it at once, with places and the way out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perdure import Engine
from perdure.hosts.given_connections import BadConnections, given_connections
from perdure.tasks.mcp.connection import Http, Stdio, filled, is_name, secrets_in
from perdure.tasks.mcp.lines import Lines, TooLong, id_of
from perdure.tasks.mcp.reading import read_connections


def test_it_is_read_as_many_clients_write_it() -> None:
    found = read_connections(
        {
            "mcpServers": {
                "fs": {"command": "npx", "args": ["-y", "x"], "env": {"A": "b"}, "cwd": "/tmp", "type": "stdio"},
                "api": {
                    "url": "https://mcp.example.com/mcp",
                    "headers": {"Authorization": "Bearer {{ secrets.API_TOKEN }}"},
                    "timeout": "PT2M",
                    "connectTimeout": 500,
                },
            }
        }
    )
    assert found.problems == ()
    assert found.connections == {
        "fs": Stdio(("npx", "-y", "x"), {"A": "b"}, "/tmp"),
        "api": Http("https://mcp.example.com/mcp", {"Authorization": "Bearer {{ secrets.API_TOKEN }}"}, 500, 120_000),
    }
    assert secrets_in(found.connections["api"]) == ("API_TOKEN",)
    ready = filled(found.connections["api"], {"API_TOKEN": "{{secrets.OTHER}}"})
    assert isinstance(ready, Http)
    assert ready.headers == {"Authorization": "Bearer {{secrets.OTHER}}"}


def test_it_may_be_flat_and_the_command_a_list() -> None:
    assert given_connections({"fs": {"command": ["npx", "-y", "x"]}}) == {"fs": Stdio(("npx", "-y", "x"))}
    assert given_connections({}) == {}
    assert given_connections(None) == {}


@pytest.mark.parametrize(
    ("given", "path", "said"),
    [
        (7, "", "connections are an object by name"),
        ({"mcpServers": []}, "/mcpServers", "'mcpServers' must be an object, not an array"),
        ({"a": 7}, "/a", "a connection is an object with 'command' or 'url', not a number"),
        ({"a/b": {"command": "x"}}, "/a~1b", "it cannot be called so"),
        ({"local": {"command": "x"}}, "/local", "it cannot be called so"),
        ({"a": {}}, "/a", "give 'command' for a program that is started here, or 'url'"),
        ({"a": {"comand": "x"}}, "/a/comand", "did you mean 'command'?"),
        ({"a": {"command": "x", "url": "https://x"}}, "/a", "not both"),
        (
            {"a": {"command": "npx -y x"}},
            "/a/command",
            'it is not a line for a shell; write a list: ["npx", "-y", "x"]',
        ),
        ({"a": {"command": []}}, "/a/command", "'command' is a program, or a list"),
        ({"a": {"command": ["x", 7]}}, "/a/command", "'command' is a program, or a list"),
        ({"a": {"command": "x", "args": "y"}}, "/a/args", "'args' is a list of texts"),
        ({"a": {"command": "x", "cwd": 7}}, "/a/cwd", "'cwd' is a folder, not a number"),
        ({"a": {"command": "x", "env": {"A B": "c"}}}, "/a/env/A B", "cannot be the name of a variable"),
        ({"a": {"command": "x", "env": {"A": 7}}}, "/a/env/A", "the value of 'A' is a text, not a number"),
        ({"a": {"command": "x", "env": []}}, "/a/env", "'env' is an object of texts"),
        ({"a": {"command": "x", "headers": {}}}, "/a/headers", "'headers' is for an address"),
        ({"a": {"url": "https://x", "args": []}}, "/a/args", "'args' is for a program"),
        ({"a": {"url": "ftp://x"}}, "/a/url", "'ftp://x' is no URL that can be called"),
        ({"a": {"url": "https://me:pw@x"}}, "/a/url", "without a user or a password"),
        ({"a": {"url": "https://x:99999"}}, "/a/url", "is no URL"),
        ({"a": {"url": 7}}, "/a/url", "a number is no URL"),
        ({"a": {"url": "https://x", "headers": {"A": "b\r\nC: d"}}}, "/a/headers/A", "has a line break"),
        ({"a": {"url": "https://x", "headers": {"A": "b\x1b[1m"}}}, "/a/headers/A", "or control character; remove it"),
        ({"a": {"url": "https://x", "headers": {"A B": "c"}}}, "/a/headers/A B", "is not the name of a header"),
        ({"a": {"url": "https://x", "headers": {"Host": "internal"}}}, "/a/headers/Host", "is set by the door"),
        ({"a": {"url": "https://x", "headers": {"Expect": "x"}}}, "/a/headers/Expect", "is set by the door"),
        ({"a": {"url": "https://x", "headers": {"Proxy-X": "x"}}}, "/a/headers/Proxy-X", "is set by the door"),
        ({"a": {"url": "https://x", "headers": {"MCP-Session-Id": "1"}}}, "/a/headers/MCP-Session-Id", "the protocol"),
        ({"a": {"url": "https://x", "headers": {"Accept": "*/*"}}}, "/a/headers/Accept", "is set by the protocol"),
        ({"a": {"command": "x", "disabled": "yes"}}, "/a/disabled", "'disabled' is true or false, not a text"),
        ({"a": {"command": "x", "disabled": None}}, "/a/disabled", "'disabled' is true or false, not null"),
        (
            {"a": {"url": "https://x", "type": "sse"}},
            "/a/type",
            "'type' is 'sse', which is not spoken here: an address speaks streamable HTTP",
        ),
        ({"a": {"url": "https://x", "transport": "stdio"}}, "/a/transport", "an address speaks streamable HTTP"),
        ({"a": {"command": "x", "type": "http"}}, "/a/type", "a program speaks by stdio"),
        ({"a": {"command": "x", "type": 7}}, "/a/type", "'type' is a number"),
        ({"a": {"url": "https://x/{{secrets.K}}"}}, "/a/url", "as a header, in 'headers'"),
        ({"a": {"url": "https://x/{{ secrets.K }}"}}, "/a/url", "a secret is not filled in here"),
        ({"a": {"url": "https://x/mcp?k=%7B%7Bsecrets.K%7D%7D"}}, "/a/url", "a secret is not filled in here"),
        ({"a": {"command": "{{secrets.K}}"}}, "/a/command", "as a variable, in 'env'"),
        ({"a": {"command": ["x", "--key={{ secrets.K }}"]}}, "/a/command", "as a variable, in 'env'"),
        ({"a": {"command": "x", "args": ["{{secrets.K}}"]}}, "/a/args", "as a variable, in 'env'"),
        ({"a": {"command": "x", "cwd": "/{{secrets.K}}"}}, "/a/cwd", "as a variable, in 'env'"),
        ({"a": {"command": "x", "env": {"A": "b\0"}}}, "/a/env/A", "has a NUL character"),
        (
            {"a": {"url": "https://x", "headers": {"A": "{{input.x}}"}}},
            "/a/headers/A",
            "only {{secrets.NAME}} is filled in",
        ),
        ({"a": {"url": "https://x", "timeout": 0}}, "/a/timeout", "'timeout' is milliseconds, from 1 to 3,600,000"),
        ({"a": {"url": "https://x", "timeout": True}}, "/a/timeout", "'timeout' is milliseconds"),
        ({"a": {"url": "https://x", "connectTimeout": "soon"}}, "/a/connectTimeout", "is not a duration like PT5M"),
    ],
)
def test_each_mistake_is_told_where_it_is(given: Any, path: str, said: str) -> None:
    problems = read_connections(given).problems
    assert [said in each.message for each in problems if each.path == path] == [True], problems


def test_what_is_disabled_is_left_out() -> None:
    given = {"a": {"command": "x", "disabled": True}, "b": {"url": "https://x", "disabled": True}}
    assert given_connections({**given, "c": {"command": "x", "disabled": False}}) == {"c": Stdio(("x",))}
    (problem,) = read_connections({"a": {"command": 7, "disabled": True}}).problems
    assert problem.path == "/a/command"


@pytest.mark.parametrize("spoken", ["http", "streamable-http", "streamableHttp", "streamable_http"])
def test_what_is_spoken_may_be_said(spoken: str) -> None:
    assert read_connections({"a": {"url": "https://x", "type": spoken}}).problems == ()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://me:hunter2@x.example/mcp?key=hunter2", "'https://x.example'"),
        ("https://me:hunt/er2@x.example", "it"),
        ("me:hunter2@x.example", "it"),
        ("https://x y/hunter2", "'https://x y'"),
        ("https://[hunter2", "it"),
    ],
)
def test_what_is_told_of_a_url_that_is_none_has_no_password(url: str, said: str) -> None:
    (problem,) = read_connections({"a": {"url": url}}).problems
    assert problem.message.startswith(f"connection 'a': {said} is no URL that can be called")
    assert "hunter2" not in problem.message


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    file = tmp_path / "connections.json"
    file.write_text('{"a": {}, "b": {"command": 7}, "local": {"url": "x"}}')
    with pytest.raises(BadConnections) as bad:
        Engine(connections=file)
    assert len(bad.value.problems) == 4
    assert str(bad.value).startswith(f"{file}: /a: connection 'a': give 'command'")


@pytest.mark.parametrize(("text", "said"), [("{", "it is not JSON"), (None, "No such file or directory")])
def test_a_file_that_cannot_be_read_is_named(text: str | None, said: str, tmp_path: Path) -> None:
    file = tmp_path / "connections.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(BadConnections, match=said):
        given_connections(str(file))


@pytest.mark.parametrize(
    ("name", "good"), [("fs", True), ("a.b-c_9", True), ("", False), ("a b", False), ("local", False)]
)
def test_names(name: str, *, good: bool) -> None:
    assert is_name(name) is good


def test_lines_are_cut_where_they_end_whatever_the_pieces() -> None:
    text = b'{"a": 1}\n\n{"b": 2}\nrest'
    for size in (1, 2, 3, 100):
        lines = Lines(100)
        found = [line for at in range(0, len(text), size) for line in lines.feed(text[at : at + size])]
        assert found == [b'{"a": 1}', b"", b'{"b": 2}']


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"jsonrpc": "2.0", "id": 7, "result": "' + b"x" * 900 + b'"}', 7),
        (b'{"result":"' + b"x" * 900 + b'","jsonrpc":"2.0","id":8}', 8),
        (b'{"result":"' + b"x" * 900 + b'","id":9,"jsonrpc":"2.0"}', 9),
        (b'{"result":{"x":"' + b"x" * 900 + b'","id":9}}', None),
        (b"x" * 900, None),
    ],
)
def test_a_line_that_is_too_long_is_left_out_and_says_whom_it_was_for(line: bytes, number: int | None) -> None:
    for size in (7, 500, 2_000):
        lines = Lines(500)
        whole = line + b"\nok\n"
        found = [each for at in range(0, len(whole), size) for each in lines.feed(whole[at : at + size])]
        assert found == [TooLong(number), b"ok"]
    assert id_of(line) == number
