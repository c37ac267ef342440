"""Connections as commands are given them: the file of an operator, and a word to whoever waits for a server."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from perdure.cli.files import read_bytes
from perdure.cli.saying import Refusal

LONG_SECONDS = 1.0


def read_connections(file: str | None) -> dict[str, Any]:
    """What the file says, without what is disabled, or all that is wrong with it and where."""
    if file is None:
        return {}
    from perdure import dialects  # noqa: PLC0415  a command without connections does not wait for what reads them
    from perdure.tasks.mcp import reading  # noqa: PLC0415

    text = read_bytes(file)
    try:
        document = dialects.read(text)
    except dialects.BadDocument as error:
        raise Refusal(error.problems, file, text) from error
    found = reading.read_connections(document.value)
    if found.problems:
        raise Refusal(dialects.located(found.problems, document), file, text)
    given = document.value.get("mcpServers", document.value)
    return {name: given[name] for name in found.connections}


@contextmanager
def said_if_it_takes_long(names: Collection[str], *, quiet: bool) -> Iterator[None]:
    """A server may have to be downloaded before it is there."""
    told = None if quiet else asyncio.get_running_loop().call_later(LONG_SECONDS, _say, ", ".join(sorted(names)))
    try:
        yield
    finally:
        if told is not None:
            told.cancel()


def _say(names: str) -> None:
    print(f"asking for the tools of {names} …", file=sys.stderr)
