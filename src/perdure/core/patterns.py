"""Patterns of event types: `*` stands for one segment, a last `*` for one or more, `**` and `#` for any number."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=4096)
def matches(pattern: str, event_type: str) -> bool:
    parts = pattern.split(".")
    if parts[-1] == "*" and len(parts) > 1:
        parts = [*parts[:-1], "*", "**"]
    return _matches(tuple(parts), tuple(event_type.split(".")))


def is_wild(pattern: str) -> bool:
    """Whether it may stand for more than the type that is written like it."""
    return "*" in pattern or "#" in pattern


def flaw(name: str) -> str | None:
    """What keeps a type, or a pattern of types, from being words with dots between them."""
    if not all(name.split(".")):
        return "has an empty word; one dot stands between two words, and none at an end"
    if any(map(str.isspace, name)):
        return "has a blank; its words are joined by dots"
    return None


def why_nothing_fits(pattern: str) -> str | None:
    """None: there are types that do."""
    half = next((word for word in pattern.split(".") if is_wild(word) and word not in ("*", "**", "#")), None)
    if half is not None:
        return f"has {half!r}; a * or # stands for whole words, as in order.*"
    return flaw(pattern)


def beginning(pattern: str) -> str:
    """What every type begins with that fits: all of an exact one, and of a wild one the segments before the first wild one."""
    if not is_wild(pattern):
        return pattern
    segments = pattern.split(".")
    known = next(number for number, segment in enumerate(segments) if is_wild(segment))
    return "".join(f"{segment}." for segment in segments[:known])


def _matches(pattern: tuple[str, ...], segments: tuple[str, ...]) -> bool:
    """Greedy with one step back, as for file names: no blow-up on many wildcards."""
    at = place = 0
    star, mark = -1, 0
    while place < len(segments):
        if at < len(pattern) and pattern[at] in ("**", "#"):
            star, mark = at, place
            at += 1
        elif at < len(pattern) and pattern[at] in ("*", segments[place]):
            at += 1
            place += 1
        elif star >= 0:
            mark += 1
            at, place = star + 1, mark
        else:
            return False
    return all(part in ("**", "#") for part in pattern[at:])
