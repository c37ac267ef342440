"""The time zones of the tz database as the package `tzdata` brings them, and not as the machine has them: all machines have the
same idea of next spring. What is read of the package never changes while a program runs.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

_PACKAGE = "tzdata"


@cache
def names() -> frozenset[str]:
    return frozenset(files(_PACKAGE).joinpath("zones").read_text().split())


def is_zone(name: str) -> bool:
    return name in names()


@cache
def zone(name: str) -> ZoneInfo:
    """One of `names`: what is none may be any path."""
    if not is_zone(name):
        raise KeyError(name)
    with files(_PACKAGE).joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)
