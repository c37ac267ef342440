"""Ids of traces and spans that follow from what they name, and W3C Trace Context."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Final

from msgspec import Struct

_TRACEPARENT: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
TRACEPARENT: Final = "traceparent"
_NO_VERSION, _FIRST_VERSION = "ff", "00"
_SAMPLED: Final = 1


class Place(Struct, frozen=True, gc=False):
    """A span, in whichever process."""

    trace: int
    span: int
    sampled: bool = True

    @property
    def traceparent(self) -> str:
        return f"00-{self.trace:032x}-{self.span:016x}-{'01' if self.sampled else '00'}"


def read(traceparent: str | None) -> Place | None:
    """None: there is none, or it is none; such a one is to be left out, not refused."""
    found = _TRACEPARENT.fullmatch(traceparent or "")
    if found is None or found[1] == _NO_VERSION or (found[1] == _FIRST_VERSION and found[5]):
        return None
    trace, span = int(found[2], 16), int(found[3], 16)
    return Place(trace, span, bool(int(found[4], 16) & _SAMPLED)) if trace and span else None


def trace_id(execution: str) -> int:
    return _number("trace", execution, size=16)


def span_id(execution: str, *parts: int) -> int:
    """No part: the execution itself. Its operations have their number, attempts that and their own."""
    return _number("span", execution, *parts, size=8)


def _number(*parts: str | int, size: int) -> int:
    digest = blake2b("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=size).digest()
    return int.from_bytes(digest) or 1  # zero is no id
