"""Where a command looks: at a database, or at a server. One place decides which."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from cyclopts import Parameter
from msgspec import Struct

from perdure.cli.files import read_bytes
from perdure.cli.saying import refusal
from perdure.settings.environment import environment
from perdure.settings.table import DATABASE, KEY, SERVER

KEY_BYTES_MAX: Final = 1_000

_OF_THE_KEY: Final = "a key belongs to one member of one organization, which is whose it is and who acts"
_OF_THE_SERVER: Final = "tasks and connections are those that the server was started with"
_NOT_BESIDE: Final = {
    "organization": ("--organization", _OF_THE_KEY),
    "as_": ("--as", _OF_THE_KEY),
    "tasks": ("--tasks", _OF_THE_SERVER),
    "connections": ("--connections", _OF_THE_SERVER),
    "with_": ("--with", "save it there first, with `perdure workflows save`"),
    "sign": ("--sign", "the secret of a webhook stays at the server; sign it yourself, with --header"),
}
"""What cannot be said of a server, and why."""


class Server(Struct, frozen=True):
    url: str
    key: str | None

    def __repr__(self) -> str:
        return f"Server({self.url!r})"


@Parameter(name="*")
@dataclass(frozen=True)
class Where:
    """As it was typed; what was not, the environment says."""

    heeds_environment: ClassVar[bool] = True

    db: Annotated[
        str | None,
        Parameter(
            name="--db",
            metavar="URL",
            help="the database, sqlite:///path or postgresql://user@host/database (default: $PERDURE_DATABASE_URL)",
        ),
    ] = None
    server: Annotated[
        str | None,
        Parameter(
            name="--server",
            metavar="URL",
            help="a server instead of a database, https://flows.example.com (default: $PERDURE_SERVER_URL)",
        ),
    ] = None
    key: Annotated[
        str | None,
        Parameter(
            name="--key",
            metavar="KEY",
            help="what the server is asked with (default: $PERDURE_KEY); others on this machine can see what you type",
        ),
    ] = None
    key_file: Annotated[
        str | None,
        Parameter(name="--key-file", metavar="FILE", help="a file that has the key (default: $PERDURE_KEY_FILE)"),
    ] = None

    def __repr__(self) -> str:
        return f"Where(db={self.db!r}, server={self.server!r})"

    def at(self) -> Server | None:
        """The server that is meant; None: it is a database."""
        if self.db is not None and self.server is not None:
            raise refusal("invalid_option", "--db and --server: it is one or the other; leave one of them out")
        url = self.server
        if url is None and self.db is None and self.heeds_environment:
            url = SERVER.read(environment())
            named = DATABASE.place(environment())
            if url is not None and named not in (None, DATABASE.instead):
                both = f"{SERVER.name} and {named} are both set; say with --server or --db which one is meant"
                raise refusal("invalid_option", both)
        if url is None:
            if self.key is not None or self.key_file is not None:
                typed = "--key" if self.key is not None else "--key-file"
                raise refusal("invalid_option", f"{typed} is for a server; say which one with --server URL")
            return None
        return Server(url, self._key())

    def _key(self) -> str | None:
        if self.key is not None and self.key_file is not None:
            raise refusal("invalid_option", "--key and --key-file: give one of them")
        if self.key is not None:
            return self.key.strip()
        if self.key_file is not None:
            return read_bytes(self.key_file, KEY_BYTES_MAX).decode(errors="replace").strip()
        return KEY.read(environment())


@Parameter(name="*")
@dataclass(frozen=True, repr=False)
class Typed(Where):
    """Of a command that needs neither: the environment does not say that it is to ask."""

    heeds_environment: ClassVar[bool] = False


HERE: Final = Where()
TYPED: Final = Typed()


def refuse_beside_a_server(command: Callable[..., Any], typed: Mapping[str, Any]) -> None:
    """What a key or a server says already cannot be said by an option. `typed`: what was, by the names of the parameters."""
    parameter = inspect.signature(command).parameters.get("where")
    where = None if parameter is None else typed.get("where", parameter.default)
    if not isinstance(where, Where) or where.at() is None:
        return
    for name, (option, why) in _NOT_BESIDE.items():
        if name in typed:
            raise refusal("invalid_option", f"{option} cannot be said to a server: {why}; leave it out")
