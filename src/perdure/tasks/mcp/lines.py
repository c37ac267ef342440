"""What a program writes, cut into lines of a bounded size: a server must not be able to fill our memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from msgspec import Struct

_ENDS: Final = 400
_HEAD: Final = re.compile(rb'\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d{1,15})\s*,')
_TAIL: Final = re.compile(rb'.*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*', re.DOTALL)


class TooLong(Struct, frozen=True):
    """A line that was not kept. `id`: the request that it answers, where that can be told from its ends."""

    id: int | None


Line: TypeAlias = bytes | TooLong


class Lines:
    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._parts: list[bytes] = []
        self._size = 0
        self._head = self._tail = b""
        """The ends of a line that is too long."""

    def feed(self, piece: bytes) -> Iterator[Line]:
        """The lines that end in it. What is left waits for the next piece."""
        *ended, rest = piece.split(b"\n")
        for each in ended:
            self._add(each)
            yield self._taken()
        self._add(rest)

    def _add(self, part: bytes) -> None:
        self._size += len(part)
        if self._size <= self._bytes_max:
            self._parts.append(part)
            return
        if not self._head:
            self._head, self._parts = (b"".join(self._parts) + part)[:_ENDS], []
        self._tail = (self._tail + part)[-_ENDS:]

    def _taken(self) -> Line:
        whole, head, tail = b"".join(self._parts), self._head, self._tail
        self._parts, self._size, self._head, self._tail = [], 0, b"", b""
        return TooLong(_id(head, tail)) if head else whole


def id_of(line: bytes) -> int | None:
    """Which request it seems to answer, though it is no message."""
    return _id(line[:_ENDS], line[-_ENDS:])


def _id(head: bytes, tail: bytes) -> int | None:
    found = _HEAD.match(head) or _TAIL.fullmatch(tail)
    return None if found is None else int(found[1])
