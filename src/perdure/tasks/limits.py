"""How much of time and of bytes a call through the door may take."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """`total_ms` is for all of a call, from resolving the name to the last byte of the answer."""

    connect_ms: int = 10_000
    total_ms: int = 60_000
    response_bytes_max: int = 10 * 1024 * 1024
