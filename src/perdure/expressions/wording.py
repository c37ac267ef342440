"""How messages speak of values and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from json import dumps
from typing import Any

from perdure.errors import TOLD_MAX
from perdure.expressions.protocol import Undefined
from perdure.model.similarity import closest

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


def escape_unprintable(json: str) -> str:
    """Return JSON with every character that cannot be seen, or that a terminal acts on, as its `\\u` escape: C1 controls,
    changes of the direction of text, zero-width characters. The value is the same. Line ends stay.
    """
    return "\n".join(line if line.isprintable() else _escaped(line) for line in json.split("\n"))


def _escaped(line: str) -> str:
    return "".join(char if char.isprintable() else dumps(char)[1:-1] for char in line)


def pointer(key: str) -> str:
    """A key as a part of a path, by RFC 6901."""
    return key.replace("~", "~0").replace("/", "~1")


def listed(names: Sequence[str], most: int = TOLD_MAX) -> str:
    """Names in a message: those that it has room for, and how many there are beside them."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f", … and {more} more" if more > 0 else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not there."""
    found = near(name, known)
    return "" if found is None else f"; did you mean {found!r}?"


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is close enough to be meant, if there is one."""
    return closest(name, known)
