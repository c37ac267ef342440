"""Texts as JavaScript has them: a sequence of UTF-16 code units, which lengths and places count.

A Python text counts characters. The two differ only where a character has two code units, a pair of halves; such a text is
called wide here. A half that stands alone is a character of its own in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from perdure.expressions.effort import ITEMS_A_STEP, fits, read, spend

_HALF = re.compile("[\ud800-\udfff]")
_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_UNIT_BYTES = 2


def wide(text: str) -> bool:
    """Whether it has characters of two code units."""
    if text.isascii():
        return False
    read(text)
    return _BEYOND.search(text) is not None


def length(text: str) -> int:
    return len(_encoded(text)) // _UNIT_BYTES if wide(text) else len(text)


def cut(text: str, start: int, end: int) -> str:
    """The code units from `start` up to `end`."""
    if not wide(text):
        return text[start:end]
    return _encoded(text)[_UNIT_BYTES * start : _UNIT_BYTES * end].decode("utf-16-le", "surrogatepass")


def find(text: str, part: str, start: int) -> int:
    """The first place of the part from `start` on, or -1."""
    if not wide(text):
        return text.find(part, start)
    if _HALF.search(part):
        return units(text).find(units(part), start)
    rest = cut(text, start, length(text))
    found = rest.find(part)
    return found if found < 0 else start + length(rest[:found])


def find_last(text: str, part: str, last: int) -> int:
    """The last place of the part that is not after `last`, or -1."""
    if not wide(text):
        return text.rfind(part, 0, last + len(part))
    if _HALF.search(part):
        return units(text).rfind(units(part), 0, last + length(part))
    rest = cut(text, 0, last + length(part))
    found = rest.rfind(part)
    return found if found < 0 else length(rest[:found])


def order(text: str) -> bytes:
    """What sorts as the code units do."""
    read(text)
    return text.encode("utf-16-be", "surrogatepass")


def units(text: str) -> str:
    """One character for each code unit. Slow for a wide text, and so it costs more."""
    if not wide(text):
        return text
    spend(len(text) // ITEMS_A_STEP)
    return "".join(map(chr, memoryview(_encoded(text)).cast("H")))


def combined(text: str) -> str:
    """Halves that have come to stand beside each other are one character again."""
    if text.isascii() or _HALF.search(text) is None:
        return text
    return _encoded(text).decode("utf-16-le", "surrogatepass")


def mended(text: str) -> str:
    """Halves that stand alone become U+FFFD: no JSON can hold them."""
    return text if text.isascii() else _HALF.sub("\ufffd", combined(text))


def storable(text: str) -> str:
    """Return the text with NUL and lone surrogates replaced by U+FFFD: no database stores them."""
    whole = mended(text)
    return whole.replace("\0", "\ufffd") if "\0" in whole else whole


def joined(separator: str, texts: Iterable[str]) -> str:
    """The texts, with the separator between them; no further than a text may be long."""
    parts: list[str] = []
    length = -len(separator)
    for text in texts:
        length += len(separator) + len(text)
        fits(length)
        parts.append(text)
    return combined(separator.join(parts))


def _encoded(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
