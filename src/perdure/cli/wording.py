"""Numbers, times and texts in the words of people."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from perdure.expressions.wording import escape_unprintable

WIDTH = 100
MINUTE_MS, SECOND_MS = 60_000, 1_000
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def many(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def size(count: int) -> str:
    value, units = float(count), ("bytes", "kB", "MB", "GB")
    for unit in units[:-1]:
        if value < 1_000:  # noqa: PLR2004
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1_000
    return f"{value:.1f} {units[-1]}"


def duration(ms: int) -> str:
    """The largest unit alone: `3 hours`."""
    seconds = max(ms, 0) // SECOND_MS
    for unit, word in _UNITS:
        if seconds >= unit:
            return many(seconds // unit, word)
    return many(seconds, "second")


def took(ms: int) -> str:
    """Short, for a column: `12 ms`, `3.4 s`, `2:05`, `1:02:05`, `3 days`."""
    ms = max(ms, 0)
    if ms < SECOND_MS:
        return f"{ms} ms"
    if ms < MINUTE_MS:
        return f"{ms / SECOND_MS:.1f} s"
    minutes, seconds = divmod(ms // SECOND_MS, 60)
    hours, minutes = divmod(minutes, 60)
    if hours >= 48:  # noqa: PLR2004
        return duration(ms)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def time_of_day(ms: int) -> str:
    """Where whoever reads it is, to the millisecond: `18:15:28.944`."""
    return f"{datetime.fromtimestamp(ms / SECOND_MS).astimezone():%H:%M:%S}.{ms % SECOND_MS:03}"


def shown(text: str, length: int = 2 * WIDTH) -> str:
    """Without what a terminal would act on."""
    plain = printable(text)
    return plain if len(plain) <= length else f"{plain[:length]}…"


def printable(text: str) -> str:
    """A line of any length, without what a terminal would act on."""
    return text if text.isprintable() else "".join(char if char.isprintable() else "�" for char in text)


def format_json(value: Any) -> str:
    """A value as indented JSON, without what a terminal would act on."""
    return escape_unprintable(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def as_text(value: Any) -> str:
    """A value in one line; nothing for nothing."""
    return "" if value is None else msgspec.json.encode(value).decode()
