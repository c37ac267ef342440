"""What the numbers and texts of a source stand for."""

from __future__ import annotations

import re
from math import isfinite

from perdure.expressions import numbers
from perdure.expressions.texts import combined
from perdure.expressions.tokens import unescaped

_ESCAPE = re.compile(
    r"\\(?:u\{0*(?:10|[0-9a-fA-F])?[0-9a-fA-F]{1,4}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|0(?![0-9])|\r\n|[^ux0-9])|(?P<wrong>\\)",
    re.DOTALL,
)
_HALF = re.compile("[\0\ud800-\udfff]")
_DOC_LINE = re.compile(r"^[ \t]*\*+[ \t]?", re.MULTILINE)
DESCRIPTION_MAX = 500


def text_of(literal: str) -> str | None:
    """Of a literal with its quotes or backticks; None if an escape is wrong, or if it is no text that JSON can hold."""
    inner = literal[1:-1]
    if "\\" in inner:
        if any(found["wrong"] for found in _ESCAPE.finditer(inner)):
            return None
        inner = combined(_ESCAPE.sub(lambda found: unescaped(found[0]), inner))
    if literal[0] == "`":
        inner = inner.replace("\r\n", "\n").replace("\r", "\n")
    return None if _HALF.search(inner) else inner


def number_of(literal: str) -> float | None:
    """None for one that is too large for JSON, or ends with n."""
    found = numbers.from_text(literal.replace("_", ""))
    return found if isfinite(found) else None


def key_of(literal: str) -> str | None:
    """The key of a property that is written as a number."""
    number = number_of(literal)
    return None if number is None else numbers.to_text(number)


def description_of(comment: str) -> str:
    """What a comment that begins with /** says, up to its first tag."""
    text = _DOC_LINE.sub("", comment[3:-2])
    before = re.split(r"^[ \t]*@", text, maxsplit=1, flags=re.MULTILINE)[0]
    words = " ".join(before.split())
    return words if len(words) <= DESCRIPTION_MAX else f"{words[: DESCRIPTION_MAX - 1]}…"
