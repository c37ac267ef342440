"""What the code that runs here is about: the call of a task that it belongs to. Whoever writes a log asks, also in threads."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from msgspec import Struct


class About(Struct, frozen=True, gc=False):
    """One attempt of one step."""

    execution_id: str
    step: str
    attempt: int


_ABOUT: Final[ContextVar[About | None]] = ContextVar("perdure.about", default=None)


def begin(execution: str, step: str, attempt: int) -> None:
    """From here on, in this context, which is that of the call and of nothing else."""
    _ABOUT.set(About(execution, step, attempt))


def about() -> About | None:
    return _ABOUT.get()
