"""Times for people. In JSON a time is `iso(ms)` of the expression language: ISO 8601, in UTC."""

from __future__ import annotations

from datetime import datetime

from perdure.expressions.times import iso


def local_time(ms: int) -> str:
    """The day and the time where whoever reads it is, with the zone: `2026-11-15 18:15:28 EST`. In UTC where
    `datetime` cannot tell the local time: in the year 0, and at the end of the year 9999.
    """
    try:
        return f"{datetime.fromtimestamp(ms // 1_000).astimezone():%Y-%m-%d %H:%M:%S %Z}"
    except (OverflowError, ValueError, OSError):
        written = iso(ms)
        return f"{written[:10]} {written[11:19]} UTC"
