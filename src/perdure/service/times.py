"""Times for people. In JSON a time is `iso(ms)` of the expression language: ISO 8601, in UTC."""

from __future__ import annotations

from datetime import datetime

from perdure.expressions.times import iso


def local_time(ms: int) -> str:
    """Return the day and the time in the local zone, with its name: `2026-11-15 18:15:28 EST`. In the year 0 and at the end of
    the year 9999, where `datetime` has no local time, return them in UTC.
    """
    try:
        return f"{datetime.fromtimestamp(ms // 1_000).astimezone():%Y-%m-%d %H:%M:%S %Z}"
    except (OverflowError, ValueError, OSError):
        written = iso(ms)
        return f"{written[:10]} {written[11:19]} UTC"
