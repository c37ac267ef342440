"""Texts as JavaScript has them: a sequence of UTF-16 code units, which lengths and places count."""

from __future__ import annotations

import re
from collections.abc import Iterable

from perdure.errors import EvaluationError
from perdure.expressions.effort import TEXT_MAX, TOO_LONG, handle

_HALF = re.compile("[\ud800-\udfff]")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")


def code_units(text: str) -> str:
    """A text with one character for each UTF-16 code unit, as JavaScript counts and compares them."""
    if text.isascii():
        return text
    handle(text)
    if _BEYOND.search(text) is None:
        return text
    units = memoryview(text.encode("utf-16-le", "surrogatepass")).cast("H")
    return "".join(map(chr, units))


def from_code_units(text: str) -> str:
    """The text that these code units make; halves of a pair that stand alone stay as they are."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def mended(text: str) -> str:
    """Halves of a pair that stand alone become U+FFFD: no JSON can hold them."""
    return text if text.isascii() else _HALF.sub("\ufffd", from_code_units(text))


def joined(separator: str, texts: Iterable[str]) -> str:
    """The texts, with the separator between them; no further than a text may be long."""
    parts: list[str] = []
    length = -len(separator)
    for text in texts:
        length += len(separator) + len(text)
        if length > TEXT_MAX:
            raise EvaluationError(TOO_LONG)
        parts.append(text)
    return from_code_units(separator.join(parts))
