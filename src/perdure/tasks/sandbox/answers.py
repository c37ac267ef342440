"""What a transform came to: its value, and the lines that it has logged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import msgspec
from msgspec import Struct

from perdure.expressions.canonical import DEPTH_MAX, ESCAPED_NUL, NotJson, canonical
from perdure.model.values import Json
from perdure.tasks.decoding import decode_json

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
        place = self.place
        return told if place is None else f"{told} (line {place[0]}, column {place[1]})"

    @property
    def place(self) -> tuple[int, int] | None:
        """The line and column of the code that was nearest. The first line is that of the wrapper, and of the prelude."""
        return next((found for _, found in self._frames()), None)

    @property
    def frames(self) -> str:
        """The stack as far as it is in the code, with the lines of its source."""
        return "\n".join(
            f"{text[: found.start()]}{line}:{column}{text[found.end() :]}"
            for text, (line, column) in self._frames()
            if (found := _PLACE.search(text)) is not None
        )

    def _frames(self) -> Iterator[tuple[str, tuple[int, int]]]:
        for text in self.stack.splitlines():
            found = _PLACE.search(text)
            if found is not None and int(found[1]) > 1:
                yield text.strip(), (int(found[1]) - 1, int(found[2]))


_PLACE: Final = re.compile(r"<input>:(\d{1,7}):(\d{1,7})\b")
_TOO_DEEP: Final = f"it is more than {DEPTH_MAX} levels deep; make it flatter, or give what is deep in it as a text"
_lines: Final = msgspec.json.Decoder(tuple[Line, ...])


def result_of(written: bytes) -> Json:
    """As `value_of`; `NotJson` also for what is deeper than the engine keeps."""
    value = value_of(written)
    # Most results have not even so many brackets.
    if written.count(b"[") + written.count(b"{") > DEPTH_MAX and _is_too_deep(value):
        raise NotJson(_TOO_DEEP)
    return value


def _is_too_deep(value: Json) -> bool:
    level = [value]
    for _ in range(DEPTH_MAX + 1):
        level = [each for each in level if isinstance(each, dict | list)]
        if not level:
            return False
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return True


def value_of(written: bytes) -> Json:
    """Raises `NotJson` for what the engine cannot keep, and `ValueError` for what is no JSON at all."""
    try:
        try:
            value: Json = decode_json(written)
            return canonical(value) if ESCAPED_NUL in written else value
        except msgspec.DecodeError:  # half a character, which JSON may hold and texts may not
            loaded = json.loads(written)
            if _is_too_deep(loaded):
                raise NotJson(_TOO_DEEP) from None
            return canonical(loaded)
    except RecursionError:
        raise NotJson(_TOO_DEEP) from None


def lines_of(written: bytes) -> tuple[Line, ...]:
    """Raises `ValueError` or `NotJson` for what no prelude has written."""
    try:
        if ESCAPED_NUL not in written:
            return _lines.decode(written)
    except (msgspec.DecodeError, RecursionError):
        pass
    return tuple(msgspec.convert(value_of(written), list[Line]))


def thrown_of(written: bytes) -> Thrown:
    """Raises as `lines_of` does."""
    return msgspec.convert(value_of(written), Thrown) if written else Thrown()
