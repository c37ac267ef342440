"""What a connection is: a program that is started here, or an address that is called; and where secrets belong in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from perdure.model.catalog import LOCAL

CONNECT_MS: Final = 10_000
CALL_MS: Final = 60_000
TIME_MS_MAX: Final = 3_600_000

NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
SECRET: Final = re.compile(r"\{\{\s*secrets\.([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}")


class Stdio(Struct, frozen=True, tag="stdio", omit_defaults=True):
    """A program that speaks the protocol by its stdin and stdout. Only operators can say so: it runs where workers run.

    `connect_ms` is for its start and for what it says of itself, `call_ms` for each call of a tool.
    """

    command: tuple[str, ...]
    env: dict[str, str] = {}
    cwd: str | None = None
    connect_ms: int = CONNECT_MS
    call_ms: int = CALL_MS


class Http(Struct, frozen=True, tag="http", omit_defaults=True):
    """An address that speaks the protocol by streamable HTTP."""

    url: str
    headers: dict[str, str] = {}
    connect_ms: int = CONNECT_MS
    call_ms: int = CALL_MS


Connection: TypeAlias = Stdio | Http


def is_name(name: str) -> bool:
    """Whether a connection may be called so. `local` is that of tasks without one."""
    return NAME.fullmatch(name) is not None and name != LOCAL


def secrets_in(connection: Connection) -> tuple[str, ...]:
    """The names of the secrets that it needs."""
    return tuple(dict.fromkeys(name for text in _texts(connection) for name in SECRET.findall(text)))


def place(url: str) -> str:
    """What everybody may see of an address: a query often holds a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def misused(text: str) -> bool:
    """Whether it holds braces that are no reference to a secret: nothing else is filled in."""
    rest = SECRET.sub("", text)
    return "{{" in rest or "}}" in rest


def filled(connection: Connection, secrets: Mapping[str, str]) -> Connection:
    """The same with its secrets in it, for the session. It is kept nowhere."""

    def fill(texts: Mapping[str, str]) -> dict[str, str]:
        return {key: SECRET.sub(lambda found: secrets[found[1]], text) for key, text in texts.items()}

    if isinstance(connection, Stdio):
        return replace(connection, env=fill(connection.env))
    return replace(connection, headers=fill(connection.headers))


def _texts(connection: Connection) -> Iterable[str]:
    return connection.env.values() if isinstance(connection, Stdio) else connection.headers.values()
