"""What is being done, while it is done: a line for each measurement, with a dot for every second of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

DOT_SECONDS = 0.9
WIDTH = 44


class Progress:
    """Writes to `stream`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def tell(self, line: str) -> None:
        self._write(f"{line}\n")

    @contextmanager
    def of(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Say that this is being done; what is yielded says what came of it."""
        self._write(f"{doing:{WIDTH}} ")
        over = threading.Event()
        dots = threading.Thread(target=self._dots, args=(over,), daemon=True)
        dots.start()
        came: list[str] = []
        try:
            yield came.append
        finally:
            over.set()
            dots.join()
            self._write(f" {came[-1] if came else 'stopped'}\n")

    def _dots(self, over: threading.Event) -> None:
        while not over.wait(DOT_SECONDS):
            self._write(".")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
