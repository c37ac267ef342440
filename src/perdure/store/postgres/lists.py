"""Lists as Postgres reads them, made in a few passes over the whole list: the driver goes through it item by item, which costs
more than to write what is in it.
"""

from __future__ import annotations

from collections.abc import Sequence

BETWEEN, NONE = "\x01", "\x02"
"""No JSON holds them as they are."""


class NoList(ValueError):
    """A text that cannot be told from what stands between texts."""


def texts(values: Sequence[str | None]) -> str:
    joined = BETWEEN.join([NONE if value is None else value for value in values])
    if joined.count(BETWEEN) != max(len(values) - 1, 0) or joined.count(NONE) != sum(value is None for value in values):
        raise NoList(values)
    if not values:
        return "{}"
    quoted = joined.replace("\\", "\\\\").replace('"', '\\"').replace(BETWEEN, '","')
    return f'{{"{quoted}"}}'.replace(f'"{NONE}"', "NULL")


def numbers(values: Sequence[int | None]) -> str:
    return "{" + ",".join(["NULL" if value is None else str(value) for value in values]) + "}"


def booleans(values: Sequence[bool]) -> str:
    return "{" + ",".join(["t" if value else "f" for value in values]) + "}"
