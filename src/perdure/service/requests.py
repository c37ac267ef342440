"""What somebody has asked of an execution, and nobody has taken up yet: it is in its inbox."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from perdure.core.events import CancelRequested, ChainRequested, RetryRequested
from perdure.store.questions import Questions


class Requested(Struct, frozen=True):
    what: Literal["cancel", "retry", "refire"]
    at: int
    by: str
    reason: str = ""


def requested(store: Questions, execution: str) -> tuple[Requested, ...]:
    """In the order in which it was asked for."""
    found: list[Requested] = []
    for event in store.unseen(execution):
        match event:
            case CancelRequested():
                found.append(Requested("cancel", event.at, event.by, event.reason))
            case RetryRequested():
                found.append(Requested("retry", event.at, event.by))
            case ChainRequested():
                found.append(Requested("refire", event.at, "", f"trigger-{event.number}"))
            case _:  # what the world has told it is no wish of anybody
                pass
    return tuple(found)
