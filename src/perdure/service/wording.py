"""Times in sentences and in JSON."""

from __future__ import annotations

from datetime import UTC, datetime


def instant(ms: int) -> str:
    """ISO-8601, in UTC, to the millisecond."""
    at = datetime.fromtimestamp(ms / 1_000, UTC)
    return f"{at:%Y-%m-%dT%H:%M:%S}.{ms % 1_000:03}Z"


def moment(ms: int) -> str:
    """For people."""
    return f"{datetime.fromtimestamp(ms // 1_000, UTC):%Y-%m-%d %H:%M:%S} UTC"
