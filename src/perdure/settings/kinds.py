"""What a setting can be: how its text is read, and in which words it is told what it could be.

`read` raises `ValueError` with the way out, which never has the text in it: that may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Final, Protocol, TypeVar

from msgspec import Struct

WHOLE_MAX: Final = 1_000_000_000
_UNITS_MS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 7 * 86_400_000}
_DURATION: Final = re.compile(r"([0-9]{1,6})([smhdw])")

Value_co = TypeVar("Value_co", covariant=True)


class Kind(Protocol[Value_co]):
    """`word` is what the table calls it; `is_secret`: nobody is shown what it is."""

    @property
    def word(self) -> str: ...

    @property
    def is_secret(self) -> bool: ...

    def read(self, text: str, /) -> Value_co: ...


class Text(Struct, frozen=True):
    word: str = "text"
    is_secret: bool = False

    def read(self, text: str) -> str:
        return text


class Secret(Struct, frozen=True):
    """What it must be like is known to whoever uses it."""

    word: str = "secret"
    is_secret: bool = True

    def read(self, text: str) -> str:
        return text


class Url(Struct, frozen=True):
    """Without a slash at its end."""

    example: str
    begins: tuple[str, ...] = ("http://", "https://")
    word: str = "URL"
    is_secret: bool = False

    def read(self, text: str) -> str:
        if not text.startswith(self.begins):
            raise ValueError(f"write a URL like {self.example}")
        return text.rstrip("/")


class Whole(Struct, frozen=True):
    """`no_limit`: 0 is none."""

    least: int = 0
    most: int = WHOLE_MAX
    no_limit: bool = False
    is_secret: bool = False

    @property
    def word(self) -> str:
        return "whole number" if self.no_limit else f"whole number, {self.least} to {self.most}"

    def read(self, text: str) -> int:
        is_whole = text.isascii() and text.isdecimal() and len(text) <= len(str(self.most))
        if not is_whole or not self.least <= int(text) <= self.most:
            bounds = ", or 0 for no limit" if self.no_limit else f" from {self.least} to {self.most}"
            raise ValueError(f"write a whole number{bounds}")
        return int(text)


class Seconds(Struct, frozen=True):
    least: float
    most: float
    is_secret: bool = False

    @property
    def word(self) -> str:
        return f"seconds, {self.least:g} to {self.most:g}"

    def read(self, text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = -1.0
        if not self.least <= found <= self.most:
            raise ValueError(f"write seconds, from {self.least:g} to {self.most:g}")
        return found


class Hours(Struct, frozen=True):
    most: float
    example: float
    is_secret: bool = False

    @property
    def word(self) -> str:
        return f"hours, up to {self.most:g}"

    def read(self, text: str) -> float:
        try:
            found = float(text)
        except ValueError:
            found = 0.0
        if not 0 < found <= self.most:
            raise ValueError(f"write hours, as {self.example:g}, at most {self.most:g}")
        return found


class Duration(Struct, frozen=True):
    """In milliseconds."""

    least: str = "1m"
    word: str = "duration"
    is_secret: bool = False

    def read(self, text: str) -> int:
        found = duration_ms(text)
        if found is None or found < (duration_ms(self.least) or 0):
            raise ValueError(f"write a duration like 12h, 90d or 2w, {self.least} at least")
        return found


class OneOf(Struct, frozen=True):
    words: tuple[str, ...]
    is_secret: bool = False

    @property
    def word(self) -> str:
        return " or ".join(f"`{each}`" for each in self.words)

    def read(self, text: str) -> str:
        found = text.lower()
        if found not in self.words:
            raise ValueError(f"write {' or '.join(self.words)}, or unset it")
        return found


class Flag(Struct, frozen=True):
    word: str = "`1` or `0`"
    is_secret: bool = False

    def read(self, text: str) -> bool:
        if text not in ("0", "1"):
            raise ValueError("write 1 or 0, or unset it")
        return text == "1"


class Places(Struct, frozen=True):
    """Networks and hosts, with commas."""

    word: str = "networks and hosts"
    is_secret: bool = False

    def read(self, text: str) -> Sequence[str]:
        words = [each.strip() for each in text.split(",") if each.strip()]
        for network in (each for each in words if "/" in each):
            try:
                ip_network(network)
            except ValueError as error:
                raise ValueError(f"{error}; write networks like 10.1.0.0/16, hosts like localhost:8080") from error
        return words


class Numbers(Struct, frozen=True):
    """So many whole numbers, with commas."""

    count: int
    word: str = "whole numbers, with commas"
    is_secret: bool = False

    def read(self, text: str) -> tuple[int, ...]:
        words = text.split(",")
        if len(words) != self.count or not all(each.isascii() and each.isdecimal() for each in words):
            raise ValueError(f"write {self.count} whole numbers, with commas")
        return tuple(map(int, words))


def duration_ms(text: str) -> int | None:
    """`90s`, `30m`, `12h`, `90d`, `2w`; None: it is none."""
    found = _DURATION.fullmatch(text)
    return None if found is None else int(found[1]) * _UNITS_MS[found[2]]
