"""How messages speak of values and texts."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from perdure.expressions.protocol import Undefined

SHOWN_MAX = 80


def kind(value: Any) -> str:
    """What a value is, in words for messages."""
    match value:
        case Undefined():
            return "undefined"
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "an array"
        case _:
            return "an object"


def shown(text: str) -> str:
    """A text as it stands in a message: quoted, and not too long."""
    return repr(text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…")


def pointer(key: str) -> str:
    """A key as a part of a path, by RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not there."""
    found = get_close_matches(name, list(known), 1, 0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
