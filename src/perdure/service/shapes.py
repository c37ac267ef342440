"""What the answers that programs read are made of."""

from __future__ import annotations

from typing import Annotated, TypeAlias, TypeVar

from msgspec import UNSET, Meta, UnsetType

from perdure.expressions.times import instant_ms, iso

Instant: TypeAlias = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""An instant as ISO 8601 writes it, in UTC, to the millisecond."""

Value = TypeVar("Value")


def at(ms: int | None) -> Instant | None:
    return None if ms is None else iso(ms)


def ms(instant: Instant | UnsetType | None) -> int | None:
    """What `at` was made of."""
    return None if instant is None or isinstance(instant, UnsetType) else instant_ms(instant)


def if_any(value: Value | None) -> Value | UnsetType:
    """Left out, where there is nothing to say."""
    return UNSET if value is None else value


def or_none(value: Value | UnsetType) -> Value | None:
    """What `if_any` was made of."""
    return None if isinstance(value, UnsetType) else value
