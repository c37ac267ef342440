"""New ids."""

from __future__ import annotations

import os

ID_BYTES, AT_ONCE = 16, 64


class FreshIds:
    """Asks the operating system for chance many ids at a time: asking costs more than all else of a start."""

    def __init__(self) -> None:
        self._spare: list[str] = []

    def __call__(self) -> str:
        if not self._spare:
            chance, size = os.urandom(ID_BYTES * AT_ONCE).hex(), 2 * ID_BYTES
            self._spare = [chance[begin : begin + size] for begin in range(0, len(chance), size)]
        return self._spare.pop()
