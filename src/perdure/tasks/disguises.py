"""The forms in which a secret may come back: as it is, and as base64, URLs, JSON, HTML, hex and Python write it."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import cached_property
from typing import Final
from urllib.parse import quote, quote_plus

import msgspec

LENGTH_MIN: Final = 8
"""A shorter secret may stand in any text by chance."""

_SPECIAL_MAX: Final = 200
"""Of one with more characters that have several spellings, the usual forms are looked for, and not every mixture of them."""

_RUN_MIN: Final = 16
"""So many letters and digits in a row are as secret as the whole: whoever cuts or spoils the rest is still found out."""

_CONTROLS: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "\a": "a", "\0": "0"}
_URL_SAFE: Final = str.maketrans("+/", "-_")
_BACKSLASH: Final = r"(?:\\|(?i:%(?:25){0,2}5c|&#92;|&#x5c;))"
_QUOTED, _ESCAPE = f"{_BACKSLASH}{{0,8}}+", f"{_BACKSLASH}{{1,8}}+"
"""Quoted three times over, there are eight backslashes for one. More are not looked for: nobody may make it slow by them."""

_AMPERSAND, _HASH, _SEMICOLON = "(?:&|%26)(?:amp;|amp%3b)?", "(?:#|%23)", "(?:;|%3b)"
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
        return (self._anchor, *self._runs, *self._encoded)

    def without(self, text: str, mask: str) -> str:
        if self._anchor in text:
            text = self._pattern.sub(mask, text)
        for run in self._runs:
            text = text.replace(run, mask)
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
    def _runs(self) -> tuple[str, ...]:
        return tuple(run for run in _RUN.findall(self.value) if len(run) >= _RUN_MIN)

    @cached_property
    def _encoded(self) -> tuple[str, ...]:
        """What encoders of bytes make of it, and of its usual forms, as far as what stands around it has no part in that."""
        cores: list[str] = []
        for form in (*_usual(self.value), *self._runs):
            data = form.encode("utf-8", "surrogatepass")
            of_base64 = [_base64_core(data, shift) for shift in range(3)]
            cores += [*of_base64, *(core.translate(_URL_SAFE) for core in of_base64), data.hex(), data.hex().upper()]
        return tuple(dict.fromkeys(cores))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if len(self.value) - sum(map(len, _RUN.findall(self.value))) > _SPECIAL_MAX:
            return re.compile("|".join(map(re.escape, _usual(self.value))))
        forms = dict.fromkeys([self.value, _misread(self.value)])
        return re.compile("|".join("".join(_charwise(form)) for form in forms))


def _base64_core(data: bytes, shift: int) -> str:
    """Those characters that depend on the data alone, if so many bytes of something else stand before it."""
    encoded = b64encode(b"\0" * shift + data).decode()
    return encoded[-(-shift * 8 // 6) : (shift + len(data)) * 8 // 6]


def _usual(value: str) -> Iterator[str]:
    """The longest first."""
    forms = {
        value,
        repr(value)[1:-1],
        quote(value, "", errors="surrogatepass"),
        quote_plus(value, errors="surrogatepass"),
    }
    for each in (value, _misread(value)):
        once = msgspec.json.encode(each).decode()[1:-1]
        ascii_only = json.dumps(each)[1:-1]
        forms |= {each, once, ascii_only, msgspec.json.encode(once).decode()[1:-1], repr(each)[1:-1]}
    yield from sorted(forms, key=len, reverse=True)


def _misread(value: str) -> str:
    """Its bytes in the wrong alphabet: a header that is not ASCII comes back so."""
    return value.encode("utf-8", "surrogatepass").decode("latin-1")


def _charwise(value: str) -> Iterator[str]:
    """A pattern for each character: letters and digits stay, of the others each may be written in any of these ways, also quoted
    by one notation within another.
    """
    for match in re.finditer(r"[A-Za-z0-9]+|\\+|.", value, re.DOTALL):
        piece = match[0]
        if piece[0] == "\\":  # a run of them is doubled each time it is quoted; one pattern, or it would take for ever
            yield f"{_BACKSLASH}{{1,{8 * len(piece)}}}"
        elif _RUN.fullmatch(piece):
            yield piece
        else:
            yield f"(?:{'|'.join(_forms(piece))})"


def _forms(char: str) -> Iterator[str]:
    from html.entities import codepoint2name  # noqa: PLC0415  a large table, for whoever has secrets

    code, data = ord(char), char.encode("utf-8", "surrogatepass")
    units = char.encode("utf-16-be", "surrogatepass")
    names = [name for name in (codepoint2name.get(code), "apos" if char == "'" else None) if name]
    entities = "|".join([rf"{_HASH}0*{code}", rf"{_HASH}x0*{code:x}", *names])
    percents = "".join(rf"%(?:25){{0,2}}{byte:02x}" for byte in data)
    yield rf"{_QUOTED}(?:{re.escape(char)}|(?i:{percents}|{_AMPERSAND}(?:{entities}){_SEMICOLON}))"
    hexes = ["".join(rf"{_ESCAPE}x{byte:02x}" for byte in data), rf"{_ESCAPE}x{code:02x}", rf"{_ESCAPE}U{code:08x}"]
    hexes.append("".join(rf"{_ESCAPE}u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)))
    yield f"(?i:{'|'.join(hexes)})"
    if char in _CONTROLS:
        yield rf"{_ESCAPE}{_CONTROLS[char]}"
    if char == " ":
        yield r"\+"
