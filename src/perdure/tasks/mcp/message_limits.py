"""Limits to the number of values in a message of a server: the protocol's library makes objects of them in the event loop."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from perdure.tasks.decoding import LARGE_BYTES, has_more_values

VALUES_MAX: Final = 200_000
"""Maximum number of values in a message; a text counts as one, whatever is in it."""

BLOCKS_MAX: Final = 5_000
"""Maximum number of blocks of content: each costs as much as many plain values."""


class _Blocks(Struct):
    content: list[Raw] = []


class _Outline(Struct):
    id: Any = None
    result: Raw = Raw(b"")


class _Id(Struct):
    id: int | None = None


def excess_of(message: bytes) -> str | None:
    """Return what there is too much of in a message, or None."""
    if len(message) < LARGE_BYTES:
        return None
    if has_more_values(message, VALUES_MAX):
        return f"more than {VALUES_MAX:,} values"
    try:
        outline = msgspec.json.decode(message, type=_Outline)
        blocks = msgspec.json.decode(outline.result, type=_Blocks).content if bytes(outline.result) else []
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None  # the library says what is wrong with it
    return f"more than {BLOCKS_MAX:,} blocks of content" if len(blocks) > BLOCKS_MAX else None


def id_in(message: bytes) -> int | None:
    """Return the request that it answers, without making anything of the rest."""
    try:
        return msgspec.json.decode(message, type=_Id).id
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
