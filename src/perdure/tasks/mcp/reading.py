"""The connections that an operator has written down, as many clients of MCP have them:

    {"mcpServers": {"fs":  {"command": "npx", "args": ["-y", "…"], "env": {"KEY": "…"}},
                    "api": {"url": "https://…/mcp", "headers": {"Authorization": "Bearer {{secrets.API_TOKEN}}"}}}}

`mcpServers` may be left out, and `command` may be a list. What is `disabled` is left out. All that is wrong is told at once.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from perdure.errors import EvaluationError
from perdure.expressions.times import duration_ms
from perdure.expressions.wording import kind, near, nearest, pointer, shown
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.tasks.headers import refusal
from perdure.tasks.mcp.connection import (
    CALL_MS,
    CONNECT_MS,
    SECRET,
    TIME_MS_MAX,
    Connection,
    Http,
    Stdio,
    is_name,
    misused,
)

_TIMES: Final = ("connectTimeout", "timeout")
_STDIO: Final = ("command", "args", "env", "cwd")
_HTTP: Final = ("url", "headers")
_DISABLED: Final = "disabled"
_IGNORED: Final = ("description", "name", "autoApprove", "alwaysAllow")
"""What clients of others write beside it, and nobody needs here."""

_OF_THE_PROTOCOL: Final = ("mcp-session-id", "mcp-protocol-version", "content-type", "accept", "accept-encoding")
_SPOKEN_AS: Final = ("type", "transport")
_SPOKEN: Final = {
    "command": ("stdio", "local"),
    "url": ("http", "streamable-http", "streamable_http", "streamablehttp", "remote"),
}
_WAYS: Final = {"command": "a program speaks by stdio", "url": "an address speaks streamable HTTP, `http`"}
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Read(Struct, frozen=True):
    """What was understood; it counts only if there are no problems."""

    connections: dict[str, Connection]
    problems: tuple[Problem, ...] = ()


def read_connections(value: Json) -> Read:
    problems: list[Problem] = []
    if not isinstance(value, dict):
        message = f'connections are an object by name, {{"fs": {{"command": ["npx", "…"]}}}}, not {kind(value)}'
        return Read({}, (Problem("wrong_type", message),))
    servers, path = (value["mcpServers"], "/mcpServers") if "mcpServers" in value else (value, "")
    if not isinstance(servers, dict):
        return Read({}, (Problem("wrong_type", f"'mcpServers' must be an object, not {kind(servers)}", path),))
    found = {name: _one(name, each, f"{path}/{pointer(name)}", problems) for name, each in servers.items()}
    return Read({name: each for name, each in found.items() if each is not None}, tuple(problems))


def http_problems(name: str, url: str, headers: dict[str, str]) -> tuple[Problem, ...]:
    """What is wrong with a connection that somebody adds by its URL."""
    problems: list[Problem] = []
    _one(name, {"url": url, "headers": headers}, "", problems)
    return tuple(problems)


def _one(name: str, given: Json, path: str, problems: list[Problem]) -> Connection | None:
    return _Reader(name, path, problems).read(given)


class _Reader:
    def __init__(self, name: str, path: str, problems: list[Problem]) -> None:
        self._name, self._path, self._problems = name, path, problems

    def read(self, given: Json) -> Connection | None:
        if not is_name(self._name):
            self._tell(
                "invalid_name",
                "",
                "it cannot be called so: write letters, digits, '_', '-' and '.', and not 'local'",
            )
        if not isinstance(given, dict):
            self._tell("wrong_type", "", f"a connection is an object with 'command' or 'url', not {kind(given)}")
            return None
        for key in given:
            if key not in (*_STDIO, *_HTTP, *_TIMES, *_SPOKEN_AS, _DISABLED, *_IGNORED):
                hint = nearest(key, (*_STDIO, *_HTTP, *_TIMES, _DISABLED))
                self._tell("unknown_field", key, f"{shown(key)} means nothing in a connection{hint}")
        is_disabled = self._is_disabled(given)
        if ("command" in given) == ("url" in given):
            both = "give 'command' for a program that is started here, or 'url' for an address that is called"
            misspelt = near("command", given) or near("url", given)
            hint = f"; is {misspelt!r} meant for one?" if misspelt is not None and "command" not in given else ""
            self._tell("missing_field", "", f"{both}{', not both' if 'url' in given else hint}")
            return None
        self._spoken(given, "url" if "url" in given else "command")
        times = (self._time(given, "connectTimeout", CONNECT_MS), self._time(given, "timeout", CALL_MS))
        if "url" in given:
            self._without(given, _STDIO, "a program")
            http = Http(self._url(given), self._texts(given, "headers"), *times)
            return None if is_disabled else http
        self._without(given, _HTTP, "an address")
        env = self._texts(given, "env")
        stdio = Stdio(self._command(given), env, self._folder(given), *times)
        return None if is_disabled else stdio

    def _is_disabled(self, given: dict[str, Json]) -> bool:
        """Then nobody wants it started or called; what else is wrong with it is told all the same."""
        found = given.get(_DISABLED, False)
        if not isinstance(found, bool):
            self._tell("wrong_type", _DISABLED, f"'disabled' is true or false, not {kind(found)}")
        return found is True

    def _spoken(self, given: dict[str, Json], by: str) -> None:
        """What others write to say how the server speaks has to be what is spoken here."""
        for key in _SPOKEN_AS:
            found = given.get(key)
            if found is None or (isinstance(found, str) and found.lower() in _SPOKEN[by]):
                continue
            said = shown(found) if isinstance(found, str) else kind(found)
            message = f"{key!r} is {said}, which is not spoken here: {_WAYS[by]}; give the server in that way"
            self._tell("not_spoken", key, message)

    def _command(self, given: dict[str, Json]) -> tuple[str, ...]:
        """A list, and never a line for a shell: nothing in it has to be quoted, and nothing can escape."""
        command, args = given["command"], given.get("args", [])
        words = command if isinstance(command, list) else [command]
        if not words or not all(isinstance(word, str) and word and "\0" not in word for word in words):
            self._tell("wrong_type", "command", "'command' is a program, or a list with its arguments")
            return ()
        self._literal("command", words)
        if not isinstance(args, list) or not all(isinstance(word, str) and "\0" not in word for word in args):
            self._tell("wrong_type", "args", "'args' is a list of texts")
            return ()
        self._literal("args", args)
        if len(words) == 1 and " " in words[0] and not args:
            split = ", ".join(f'"{word}"' for word in words[0].split())
            self._tell("not_a_program", "command", f"it is not a line for a shell; write a list: [{split}]")
        return (*words, *args)

    def _folder(self, given: dict[str, Json]) -> str | None:
        cwd = given.get("cwd")
        if cwd is None or (isinstance(cwd, str) and cwd):
            self._literal("cwd", [cwd])
            return cwd
        self._tell("wrong_type", "cwd", f"'cwd' is a folder, not {kind(cwd)}")
        return None

    def _url(self, given: dict[str, Json]) -> str:
        url = given["url"]
        if self._literal("url", [url]):
            return ""
        if not isinstance(url, str) or not _is_url(url):
            said = _origin(url) if isinstance(url, str) else kind(url)
            message = f"{said} is no URL that can be called; write https://… without a user or a password"
            self._tell("url", "url", message)
            return ""
        return url

    def _literal(self, key: str, texts: list[Json]) -> bool:
        """Whether it names a secret where none is filled in: it would be sent as it stands."""
        if not any(isinstance(text, str) and SECRET.search(unquote(text)) for text in texts):
            return False
        way = "a header, in 'headers'" if key == "url" else "a variable, in 'env'"
        self._tell("not_a_secret", key, f"a secret is not filled in here; give it to the server as {way}")
        return True

    def _texts(self, given: dict[str, Json], key: str) -> dict[str, str]:
        found = given.get(key)
        if found is None:
            return {}
        if not isinstance(found, dict):
            self._tell("wrong_type", key, f"{key!r} is an object of texts, not {kind(found)}")
            return {}
        for name, text in found.items():
            place = f"{key}/{pointer(name)}"
            if key == "headers":
                self._header(name, text if isinstance(text, str) else "", place)
            elif not _VARIABLE.fullmatch(name):
                self._tell("invalid_name", place, f"{shown(name)} cannot be the name of a variable")
            if not isinstance(text, str):
                self._tell("wrong_type", place, f"the value of {shown(name)} is a text, not {kind(text)}")
            elif key == "env" and "\0" in text:
                self._tell("invalid_value", place, f"the value of {shown(name)} has a NUL character; remove it")
            elif misused(text):
                message = f"only {{{{secrets.NAME}}}} is filled in here, and {shown(name)} holds other braces"
                self._tell("not_a_secret", place, message)
        return {name: text for name, text in found.items() if isinstance(text, str)}

    def _header(self, name: str, text: str, place: str) -> None:
        """What the door would refuse at every call, and what the protocol says itself."""
        is_known = name.lower() in _OF_THE_PROTOCOL
        why = f"the header {shown(name)} is set by the protocol; leave it out" if is_known else refusal(name, text)
        if why is not None:
            self._tell("invalid_header", place, why)

    def _time(self, given: dict[str, Json], key: str, default: int) -> int:
        found = given.get(key)
        if found is None:
            return default
        try:
            time_ms = duration_ms(found) if isinstance(found, str) else found
        except EvaluationError as error:
            self._tell("wrong_type", key, f"{key!r}: {error}")
            return default
        if isinstance(time_ms, bool) or not isinstance(time_ms, int | float) or not 1 <= time_ms <= TIME_MS_MAX:
            message = f"{key!r} is milliseconds, from 1 to {TIME_MS_MAX:,}, or a duration like PT30S"
            self._tell("wrong_type", key, message)
            return default
        return int(time_ms)

    def _without(self, given: dict[str, Json], keys: tuple[str, ...], what: str) -> None:
        for key in keys:
            if key in given:
                self._tell("contradiction", key, f"{key!r} is for {what}, which this connection is not; leave it out")

    def _tell(self, type_: str, key: str, message: str) -> None:
        path = f"{self._path}/{key}" if key else self._path
        self._problems.append(Problem(type_, f"connection {shown(self._name)}: {message}", path))


def _origin(text: str) -> str:
    """What a message may tell of a text that is no URL: it may hold a password."""
    try:
        parts = urlsplit(text)
    except ValueError:
        return "it"
    is_told = parts.scheme and parts.hostname and "@" not in text.removeprefix(f"{parts.scheme}://{parts.netloc}")
    return shown(f"{parts.scheme}://{parts.hostname}") if is_told else "it"


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        usable = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return (
        usable
        and parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and "@" not in parts.netloc
        and text.isprintable()
        and " " not in text
    )
