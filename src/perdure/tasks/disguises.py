"""The forms in which a secret may come back: as it is, and as base64, URLs, JSON, HTML, hex and Python write it."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cached_property
from html.entities import codepoint2name
from typing import Final
from urllib.parse import quote, quote_plus

import msgspec

LENGTH_MIN: Final = 8
"""A shorter secret may stand in any text by chance."""

_CHARWISE_MAX: Final = 2_000
"""Of a longer one, the usual forms are looked for, and not every mixture of them."""

_CONTROLS: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\a": "a", "\0": "0"}
_URL_SAFE: Final = str.maketrans("+/", "-_")
_RUN: Final = re.compile(r"[A-Za-z0-9]+")


class Disguises:
    """Of one secret. Made once for each value, as it takes some time; it is never shown."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.is_long = len(value) >= LENGTH_MIN

    def __repr__(self) -> str:
        return "Disguises(***)"

    @cached_property
    def needles(self) -> tuple[str, ...]:
        """A text, also one of JSON, that holds none of these holds no form of the secret."""
        return (self._anchor, *self._encoded)

    def without(self, text: str, mask: str) -> str:
        if self._anchor in text:
            text = self._pattern.sub(mask, text)
        for core in self._encoded:
            if core in text:
                # The characters beside it hold bits of the secret, too.
                text = re.sub(rf"[A-Za-z0-9+/_-]?{re.escape(core)}[A-Za-z0-9+/_-]?", mask, text)
        return text

    def without_words(self, text: str, mask: str) -> str:
        if self.value not in text:
            return text
        return re.sub(rf"(?<![^\W_]){re.escape(self.value)}(?![^\W_])", mask, text)

    @cached_property
    def _anchor(self) -> str:
        """What no encoder of single characters changes: the longest run of plain letters and digits."""
        return max(_RUN.findall(self.value), key=len, default="")

    @cached_property
    def _encoded(self) -> tuple[str, ...]:
        """What encoders of bytes make of it, as far as what stands before and after it has no part in that."""
        data = self.value.encode("utf-8", "surrogatepass")
        cores = [_base64_core(data, shift) for shift in range(3)]
        return tuple(
            dict.fromkeys([*cores, *(core.translate(_URL_SAFE) for core in cores), data.hex(), data.hex().upper()])
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if len(self.value) > _CHARWISE_MAX:
            return re.compile("|".join(map(re.escape, _usual(self.value))))
        return re.compile("".join(_charwise(self.value)))


def _base64_core(data: bytes, shift: int) -> str:
    """Those characters that depend on the data alone, if so many bytes of something else stand before it."""
    encoded = b64encode(b"\0" * shift + data).decode()
    return encoded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]


def _usual(value: str) -> Iterator[str]:
    once = msgspec.json.encode(value).decode()[1:-1]
    twice = msgspec.json.encode(once).decode()[1:-1]
    ascii_only = "".join(char if char.isascii() else f"\\u{ord(char):04x}" for char in once)
    forms = (value, once, twice, ascii_only, quote(value, ""), quote(value), quote_plus(value), repr(value)[1:-1])
    yield from sorted(set(forms), key=len, reverse=True)


def _charwise(value: str) -> Iterator[str]:
    """A pattern for each character: letters and digits stay, of the others each may be written in any of these ways."""
    # Quoted three times over, there are eight backslashes for one. More are not looked for: nobody may make it slow by them.
    for match in re.finditer(r"[A-Za-z0-9]+|\\+|.", value, re.DOTALL):
        piece = match[0]
        if piece[0] == "\\":  # a run of them is doubled each time it is quoted; one pattern, or it would take for ever
            yield rf"(?:\\{{1,{8 * len(piece)}}}|(?i:%5c|&#92;|&#x5c;){{{len(piece)}}})"
        elif _RUN.fullmatch(piece):
            yield piece
        else:
            yield f"(?:{'|'.join(_forms(piece))})"


def _forms(char: str) -> Iterator[str]:
    code, data = ord(char), char.encode("utf-8", "surrogatepass")
    units = char.encode("utf-16-be", "surrogatepass")
    yield rf"\\{{0,8}}+{re.escape(char)}"
    yield f"(?i:{''.join(f'%{byte:02x}' for byte in data)})"
    yield "(?i:" + "".join(rf"\\{{1,8}}+x{byte:02x}" for byte in data) + ")"
    yield "(?i:" + "".join(rf"\\{{1,8}}+u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)) + ")"
    yield rf"(?i:\\{{1,8}}+x{code:02x}|\\{{1,8}}+U{code:08x}|&#0*{code};|&#x0*{code:x};)"
    if code in codepoint2name:
        yield f"&{codepoint2name[code]};"
    if char in _CONTROLS:
        yield rf"\\{{1,8}}+{_CONTROLS[char]}"
    if char == " ":
        yield r"\+"
    if char == "'":
        yield "&apos;"
