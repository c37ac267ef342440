"""Semantic versions (semver.org, 2.0.0): which text is one, and which of two is higher.

A pre-release is lower than its release. Build metadata (`+…`) says nothing of the order: two versions that differ only in that
are two versions, and neither is higher.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

LENGTH_MAX: Final = 255

_NUMBER = r"(?:0|[1-9][0-9]*)"
_MARK = rf"(?:{_NUMBER}|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)"
_VERSION: Final = re.compile(
    rf"({_NUMBER})\.({_NUMBER})\.({_NUMBER})(?:-({_MARK}(?:\.{_MARK})*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?"
)

Mark: TypeAlias = tuple[bool, int, str]
"""A part of the name of a pre-release: whether it is a word, its number, its letters. Numbers are lower than words."""

Precedence: TypeAlias = tuple[int, int, int, bool, tuple[Mark, ...]]
"""Compared as it is: major, minor, patch, whether it is a release, and else the parts of the pre-release."""


def precedence(version: str) -> Precedence | None:
    """What it is compared by. None: it is no semantic version."""
    found = _VERSION.fullmatch(version) if len(version) <= LENGTH_MAX else None
    if found is None:
        return None
    major, minor, patch, before = found.groups()
    marks = () if before is None else tuple(_mark(part) for part in before.split("."))
    return int(major), int(minor), int(patch), before is None, marks


def is_semantic(version: str) -> bool:
    return precedence(version) is not None


def next_patch(version: str) -> str:
    """One that could come after a semantic version."""
    found = precedence(version)
    assert found is not None, version
    return f"{found[0]}.{found[1]}.{found[2] + 1}"


def _mark(part: str) -> Mark:
    return (False, int(part), "") if part.isdigit() else (True, 0, part)
