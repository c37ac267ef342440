"""New ids: they begin with the time, so that what is new stands together in an index, and are otherwise chance."""

from __future__ import annotations

import os
from collections.abc import Callable

CHANCE_BYTES, AT_ONCE = 10, 64


class FreshIds:
    """Asks the operating system for chance many ids at a time: asking costs more than all else of a start."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._spare: list[str] = []

    def __call__(self) -> str:
        if not self._spare:
            chance, size = os.urandom(CHANCE_BYTES * AT_ONCE).hex(), 2 * CHANCE_BYTES
            self._spare = [chance[begin : begin + size] for begin in range(0, len(chance), size)]
        return f"{self._now_ms():012x}{self._spare.pop()}"
