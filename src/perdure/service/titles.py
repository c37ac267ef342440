"""What people read of an approval first: its title, and what is said about it. Workflows say it in the metadata."""

from __future__ import annotations

from typing import Final

from perdure.model.values import Json
from perdure.service.deciding import ApprovalItem

TITLES: Final = ("title", "name")
MESSAGES: Final = ("message", "description", "instructions")


def given_title(item: ApprovalItem) -> str | None:
    return _first(item.metadata, TITLES)


def title_of(item: ApprovalItem) -> str:
    """What its workflow calls it; else the step."""
    return given_title(item) or item.step_slug


def message_of(item: ApprovalItem) -> str | None:
    return _first(item.metadata, MESSAGES)


def _first(metadata: Json, names: tuple[str, ...]) -> str | None:
    if not isinstance(metadata, dict):
        return None
    found = (metadata.get(name) for name in names)
    return next((each for each in found if isinstance(each, str) and each.strip()), None)
