"""Commands that can be pasted: with the database or the server, the tasks and the organization that were typed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from perdure.cli.where import Where
from perdure.store.postgres.urls import without_password

DEFAULT_ORGANIZATION = "default"
OF_A_DATABASE = ("worker", "doctor", "db")


def hint(*words: str, where: Where, tasks: Sequence[str] = (), organization: str = DEFAULT_ORGANIZATION) -> str:
    """`where` as it was typed, but for a password and a key: what the environment says, it says to the next command as well."""
    typed = ["perdure", *words]
    for each in tasks:
        typed += ["--tasks", each]
    if organization != DEFAULT_ORGANIZATION:
        typed += ["--organization", organization]
    if where.at() is not None and words[0] in OF_A_DATABASE:
        return f"`{shlex.join(typed)}` on the database of the server"
    if where.db is not None:
        typed += ["--db", without_password(where.db)]
    if where.server is not None:
        typed += ["--server", where.server]
    if where.key_file is not None:
        typed += ["--key-file", where.key_file]
    return f"`{shlex.join(typed)}`"
