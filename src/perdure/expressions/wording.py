"""How messages speak of values and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from heapq import nlargest
from itertools import islice
from typing import Any

from perdure.errors import TOLD_MAX
from perdure.expressions.protocol import Undefined

SHOWN_MAX = 80
KNOWN_MAX = 1_000
"""So many names are looked at for one that is near."""
COMPARED_MAX = 20
"""So many of them letter by letter."""


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


def listed(names: Sequence[str]) -> str:
    """Names in a message: those that it has room for, and how many there are beside them."""
    more = len(names) - TOLD_MAX
    return ", ".join(names[:TOLD_MAX]) + (f", … and {more} more" if more > 0 else "")


def nearest(name: str, known: Iterable[str]) -> str:
    """The end of a message about a name that is not there."""
    found = near(name, known)
    return "" if found is None else f"; did you mean {found!r}?"


def near(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like it, whatever the case, if one is. However many are known, it does not take long."""
    if len(name) > SHOWN_MAX:
        return None
    wanted = name.lower()
    short, long = len(name) * 3 // 7, len(name) * 7 // 3  # others cannot be near enough
    likely = {each.lower(): each for each in islice(known, KNOWN_MAX) if short <= len(each) <= long}
    compared = list(likely)
    if len(compared) > COMPARED_MAX:
        compared = nlargest(COMPARED_MAX, compared, key=lambda each: _ends_alike(wanted, each))
    found = get_close_matches(wanted, compared, 1, 0.6)
    return likely[found[0]] if found else None


def _ends_alike(one: str, other: str) -> int:
    """How many characters at both ends are the same: few typing errors are at both."""
    return _begin_alike(one, other) + _begin_alike(one[::-1], other[::-1])


def _begin_alike(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (mine, its) in pairs if mine != its), min(len(one), len(other)))
