"""The forms in which a secret may come back: as it is, and as base64, URLs, JSON, HTML, hex and Python write it.

From 12 characters on, it is found in any case: hosts and header names come back in lower case. The beginning of a secret at the
end of a text is found too, if it has 16 characters beyond what is public of it.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from decimal import Decimal
from functools import cached_property
from typing import Final
from urllib.parse import quote, quote_plus

import msgspec

from perdure.tasks.host_names import canonical, host_of

LENGTH_MIN: Final = 8
"""A shorter secret may stand in any text by chance."""

ANY_CASE_LENGTH_MIN: Final = 12
"""Minimum length of a secret that is found without regard to case."""

CUT_LENGTH_MIN: Final = 16
"""Minimum number of characters beyond the public prefix by which the beginning of a cut secret is recognized."""

WORD_LENGTH_MIN: Final = 4
"""A shorter one stands in any text by chance, also as a word."""

_DIGITS_MAX: Final = 300
"""Maximum length of a number: a longer one is no float, and no integer that JSON would be read with."""

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
_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_MARK: Final = (
    r"""(?:…|\.\.\.|[\r\n"'`()\[\]{}<>*|\\]|(?i:&(?:[a-z]+|\#[0-9]+|\#x[0-9a-f]+);"""
    r"|%(?:e2%80%a6|2[278-9a]|0[ad]|[357][b-e]|60)))"
)
_CUT_OF_URL: Final = re.compile(rf"\s*(?:{_MARK}|\Z)")
"""What stands behind a URL that was cut, if anything does. A path may also end where a sentence goes on."""

_CUT: Final = re.compile(rf"{_MARK}|\Z|[^\w.~+/=%:@&-]")
"""The same of other secrets: anything that is no character of a token."""

_PUBLIC_PREFIX: Final = re.compile(
    r"""
    (?:(?i:bearer|basic|token|apikey|digest)[ :]\s*)?      # scheme of an Authorization header
    (?:
        [A-Za-z][A-Za-z0-9+.-]*://(?P<host>(?!\S*@)[^/?#\s]*)?  # URL: scheme and host; the scheme alone if a password may follow
      | -----BEGIN[ ][A-Z0-9 ]+-----\s*                     # PEM
      | eyJ[A-Za-z0-9_-]*\.                                 # JWT: its header
      | SharedAccessSignature(?:\s+(?:(?!sig=)[a-z]+=[^&\s]*&)*(?:sig=)?)?
      | DefaultEndpointsProtocol=https?;(?:AccountName=[^;]*;)?(?:AccountKey=)?
      | Endpoint=sb://[^;]*;(?:SharedAccessKeyName=[^;]*;)?(?:SharedAccessKey=)?
      | (?i:server|data[ ]source)=[^;]*;(?:(?!(?i:password|pwd|access))[A-Za-z ]+=[^;]*;)*(?i:(?:password|pwd)=)?
      | \{\s*"type"\s*:\s*"[a-z_]+"(?:\s*,\s*"project_id"\s*:\s*"[^"]*")?(?:\s*,\s*"private_key_id"\s*:\s*")?
      | AGE-SECRET-KEY-1
      | sk-(?:proj-|svcacct-|admin-|or-v1-|ant-(?:api|admin)[0-9]{2}-)? | [spr]k_(?:live|test)_
      | gh[pousr]_ | github_pat_ | glpat- | (?:xoxe\.)?xox[abeoprs]- | xapp- | sntry[su]_ | AKIA | ASIA | AIza | ya29\. | SG\.
      | hf_ | npm_ | pypi- | dop_v1_ | shp(?:at|ca|pa|ss)_ | whsec_ | whk_ | prd_ | pse1\.
    )?
    """,
    re.VERBOSE,
)
"""What is the same in many secrets of a kind, and says nothing about this one."""


class Disguises:
    """Of one secret. Made once for each value, as it takes some time; it is never shown."""

    def __init__(self, value: str) -> None:
        self.value = value
        self.is_long = len(value) >= LENGTH_MIN
        self.is_in_any_case = len(value) >= ANY_CASE_LENGTH_MIN

    def __repr__(self) -> str:
        return "Disguises(***)"

    @cached_property
    def needles(self) -> tuple[bytes, ...]:
        """JSON that holds none of these, and none of `needles_in_any_case` in lower case, holds no form of the secret."""
        texts = (*self._runs, *self._encoded, *self._other_numerals)
        anchor = () if self.is_in_any_case else (self._anchor.encode(),)
        beginning = () if self._beginning is None else (msgspec.json.encode(self._beginning)[1:-1],)
        return (*anchor, *beginning, *(text.encode() for text in texts))

    @cached_property
    def needles_in_any_case(self) -> tuple[bytes, ...]:
        return (self._lowered_anchor.encode(),) if self.is_in_any_case else ()

    @cached_property
    def numbers(self) -> tuple[int | float, ...]:
        """The numbers that JSON has for the secret, if it is one."""
        digits = self.value.lstrip("+-0")
        if not LENGTH_MIN <= len(digits) <= _DIGITS_MAX or not _NUMBER.fullmatch(self.value):
            return ()
        rounded = float(self.value)
        whole = (int(self.value),) if "." not in self.value else ()
        if not math.isfinite(rounded):
            return whole
        # JavaScript writes a large float as its shortest digits and zeros: another integer than the float is.
        shortest = (int(Decimal(repr(rounded))),) if rounded.is_integer() else ()
        return (*whole, *shortest, rounded)

    def without(self, text: str, lowered: str, mask: str) -> str:
        """Hide every form of the secret. `lowered`: the text in lower case, from before other secrets were hidden in it."""
        # Without an anchor, one search in any case is enough. With one, the search in its own case is cheaper to prepare.
        if self._anchor in text and (self._anchor or not self.is_in_any_case):
            text, count = self._pattern.subn(mask, text)
            lowered = text.lower() if count and self.is_in_any_case else lowered
        if self.is_in_any_case and self._lowered_anchor in lowered:
            text = self._pattern_in_any_case.sub(mask, text)
        for run in (*self._runs, *self._other_numerals):
            text = text.replace(run, mask)
        if self._beginning is not None and self._beginning in text:
            text = self._without_cut(text, self._beginning, mask)
        for core in self._encoded:
            if core in text:
                # The characters beside it hold bits of the secret, too.
                text = re.sub(rf"[A-Za-z0-9+/_-]?{re.escape(core)}[A-Za-z0-9+/_-]?", mask, text)
        return text

    def is_in_host(self, host: str) -> bool:
        """Whether the name of a host, which is in lower case, was made with the secret."""
        folded = unicodedata.normalize("NFKC", self.value).casefold()
        if not folded:
            return False
        if self._host is not None and canonical(host) == self._host:
            return True
        names = {host.casefold(), _decoded_host(host)}
        if len(folded) < WORD_LENGTH_MIN:  # too short for anything but a whole word
            return any(re.search(rf"(?<![^\W_]){re.escape(folded)}(?![^\W_])", name) for name in names)
        return any(folded in name for name in names)

    @cached_property
    def _host(self) -> str | None:
        """The host of the secret, if it is a URL or `host:port/path`."""
        host = host_of(self.value)
        return None if host is None else canonical(host)

    def _without_cut(self, text: str, beginning: str, mask: str) -> str:
        """Hide the beginning of the secret where the text was cut off within it. One that goes on otherwise is another text."""
        ends = _CUT_OF_URL if "://" in beginning else _CUT
        parts, done, at = [], 0, text.find(beginning)
        while at >= 0:
            end = at + _common_length(self.value, text[at : at + len(self.value)])
            if end - at < len(self.value) and ends.match(text, end):
                parts += [text[done:at], mask]
                done = end
            at = text.find(beginning, end)
        return "".join((*parts, text[done:])) if parts else text

    def without_words(self, text: str, mask: str) -> str:
        if self.value not in text:
            return text
        return re.sub(rf"(?<![^\W_]){re.escape(self.value)}(?![^\W_])", mask, text)

    @cached_property
    def _anchor(self) -> str:
        """What no encoder of single characters changes: the longest run of plain letters and digits."""
        return max(_RUN.findall(self.value), key=len, default="")

    @cached_property
    def _lowered_anchor(self) -> str:
        return self._anchor.lower()

    @cached_property
    def _public_length(self) -> int:
        match = _PUBLIC_PREFIX.match(self.value)
        return 0 if match is None else match.end()

    @cached_property
    def _beginning(self) -> str | None:
        """How much of the secret has to stand at the end of a cut text to be recognized."""
        length = self._public_length + CUT_LENGTH_MIN
        return self.value[:length] if length < len(self.value) else None

    @cached_property
    def _runs(self) -> tuple[str, ...]:
        """The host of a URL is public where a text was cut, but a long run in it is not; it comes back in lower case."""
        match = _PUBLIC_PREFIX.match(self.value)
        host = "" if match is None else match["host"] or ""
        texts = (self.value[self._public_length :], host, host.lower())
        return tuple(dict.fromkeys(run for text in texts for run in _RUN.findall(text) if len(run) >= _RUN_MIN))

    @cached_property
    def _other_numerals(self) -> tuple[str, ...]:
        """Other spellings of a number, as Python and JSON write it after they have read it."""
        texts = {form for number in self.numbers for form in _numerals(number)}
        return tuple(text for text in sorted(texts, key=len, reverse=True) if self.value not in text)

    @cached_property
    def _encoded(self) -> tuple[str, ...]:
        """What encoders of bytes make of it, and of its usual forms, as far as what stands around it has no part in that."""
        cores: list[str] = []
        cases = (self.value.lower(), self.value.upper()) if self.is_in_any_case else ()
        for form in dict.fromkeys((*_usual(self.value), *self._runs, *cases)):
            data = form.encode("utf-8", "surrogatepass")
            of_base64 = [_base64_core(data, shift) for shift in range(3)]
            cores += [*of_base64, *(core.translate(_URL_SAFE) for core in of_base64), data.hex(), data.hex().upper()]
        return tuple(dict.fromkeys(cores))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return self._compiled(self.value)

    @cached_property
    def _pattern_in_any_case(self) -> re.Pattern[str]:
        """Some letters become two in upper case, so that these forms stand beside the flag."""
        return self._compiled(self.value, self.value.upper(), self.value.lower(), flags=re.IGNORECASE)

    def _compiled(self, *spellings: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        unlike = dict.fromkeys(spellings) if not self.value.isascii() else {self.value: None}
        if len(self.value) - sum(map(len, _RUN.findall(self.value))) > _SPECIAL_MAX:
            usual = [form for each in unlike for form in _usual(each)]
            return re.compile("|".join(map(re.escape, sorted(usual, key=len, reverse=True))), flags)
        forms = dict.fromkeys([form for each in unlike for form in (each, _misread(each))])
        in_any_case = flags == re.IGNORECASE
        patterns = [f"{_first(form)}{''.join(_charwise(form, in_any_case=in_any_case))}" for form in forms]
        return re.compile("|".join(patterns), flags)


def _common_length(one: str, other: str) -> int:
    """The length of the prefix that two texts share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (left, right) in pairs if left != right), min(len(one), len(other)))


def _numerals(number: float) -> Iterator[str]:
    yield str(number)
    if isinstance(number, float):
        yield msgspec.json.encode(number).decode()
        if number.is_integer():
            yield str(int(number))


def _decoded_host(host: str) -> str:
    """The name with its letters beyond ASCII, as it was before it was encoded for DNS (IDNA)."""
    try:
        return host.encode("ascii").decode("idna").casefold()
    except UnicodeError:
        return host.casefold()


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


def _first(form: str) -> str:
    """A lookahead for the first character in any spelling: where it does not match, the long pattern is not tried."""
    return "" if form[0].isascii() and form[0].isalnum() else rf"(?=[{re.escape(form[0])}\\%&+])"


def _charwise(value: str, *, in_any_case: bool) -> Iterator[str]:
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
            # The flag is for letters, and not for what encoders make of their bytes.
            cases = dict.fromkeys((piece, piece.lower(), piece.upper())) if in_any_case else (piece,)
            yield f"(?:{'|'.join(form for case in cases if len(case) == 1 for form in _forms(case))})"


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
