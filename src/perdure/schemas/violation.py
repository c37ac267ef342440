"""What is wrong, and where."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct


class Violation(Struct, frozen=True):
    """`path` is a JSON pointer into the value, or into the schema if that is what is wrong; empty: all of it. `missing` is the
    key that is not there, if that is it.
    """

    path: str
    message: str
    missing: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def pointer(parts: Sequence[str | int]) -> str:
    """By RFC 6901."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)
