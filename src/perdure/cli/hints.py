"""Commands that can be pasted: with the database, the tasks and the organization that were typed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from perdure.store.postgres.urls import without_password

DEFAULT_ORGANIZATION = "default"


def hint(*words: str, db: str | None, tasks: Sequence[str] = (), organization: str = DEFAULT_ORGANIZATION) -> str:
    """`db` as it was typed, but for a password: what the environment says, it says to the next command as well."""
    typed = ["perdure", *words]
    for each in tasks:
        typed += ["--tasks", each]
    if organization != DEFAULT_ORGANIZATION:
        typed += ["--organization", organization]
    if db is not None:
        typed += ["--db", without_password(db)]
    return f"`{shlex.join(typed)}`"
