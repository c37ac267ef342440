"""Pages of long lists. A cursor says where the next page begins, whatever has been added meanwhile; nobody needs to read it."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from perdure.service.errors import Conflict

LIMIT, LIMIT_MAX = 50, 500

Item = TypeVar("Item")

PLACES = 2**63
"""Rows have numbers below this."""


class BadCursor(Conflict, code="bad_cursor"):
    """It is no cursor of this list."""


class Page(Struct, Generic[Item], frozen=True):
    """`next` is the cursor of the page after it; None: there is none."""

    items: tuple[Item, ...]
    next: str | None = None


def checked(limit: int) -> int:
    if not 1 <= limit <= LIMIT_MAX:
        raise Conflict(f"a page has 1 to {LIMIT_MAX} items, not {limit}; ask for the next one by its cursor")
    return limit


def cursor(*place: str | int) -> str:
    return urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=")


def place(given: str, shape: Any) -> Any:
    """What a cursor stands for. `shape` is the type of it."""
    try:
        found = msgspec.json.decode(urlsafe_b64decode(given + "=" * (-len(given) % 4)), type=shape)
    except (ValueError, msgspec.DecodeError) as error:
        raise _no_cursor(given) from error
    if any(isinstance(part, int) and not 0 <= part < PLACES for part in found):
        raise _no_cursor(given)
    return found


def _no_cursor(given: str) -> BadCursor:
    return BadCursor(f"{given!r} is no cursor of this list; leave it out to begin with the first page")
