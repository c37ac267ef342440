"""What a transform came to: its value, and the lines that it has logged."""

from __future__ import annotations

import json
import re
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from perdure.expressions.canonical import NotJson, canonical
from perdure.model.values import Json

Level: TypeAlias = Literal["log", "info", "warn", "error", "debug"]


class Line(Struct, frozen=True):
    level: Level
    text: str


class Ran(Struct, frozen=True):
    value: Json
    logs: tuple[Line, ...] = ()


class Thrown(Struct, frozen=True):
    """As the prelude tells of it. All three are what the code has made of them."""

    name: str = ""
    message: str = ""
    stack: str = ""

    def __str__(self) -> str:
        """In one line, with the place in the source, if it is known."""
        told = f"{self.name}: {self.message}" if self.name and self.message else self.name or self.message
        if not self.name and self.message == "null":
            told = "it threw null, which QuickJS also does when memory is used up"
        place = self.place
        return told if place is None else f"{told} (line {place[0]}, column {place[1]})"

    @property
    def place(self) -> tuple[int, int] | None:
        """The line and column of the code that was nearest. The first line is that of the wrapper, and of the prelude."""
        for found in _PLACE.finditer(self.stack):
            line, column = int(found[1]) - 1, int(found[2])
            if line > 0:
                return line, column
        return None


_PLACE: Final = re.compile(r"<input>:(\d{1,7}):(\d{1,7})\b")
_lines: Final = msgspec.json.Decoder(tuple[Line, ...])


def value_of(written: bytes) -> Json:
    """Raises `NotJson` for what the engine cannot keep."""
    try:
        return msgspec.json.decode(written)
    except msgspec.DecodeError:  # half a character, which JSON may hold and texts may not
        return canonical(json.loads(written))
    except RecursionError:
        raise NotJson("it is too deep") from None


def lines_of(written: bytes) -> tuple[Line, ...]:
    try:
        return _lines.decode(written)
    except msgspec.DecodeError:
        return tuple(msgspec.convert(value_of(written), list[Line]))


def thrown_of(written: bytes) -> Thrown:
    return msgspec.convert(value_of(written), Thrown) if written else Thrown()
