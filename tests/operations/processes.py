"""`perdure serve`, `dev` and `worker` in processes of their own, whose every line is kept; they can be killed."""

from __future__ import annotations

import contextlib
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from cli.typing import environment

SECONDS_MAX = 60


class Process:
    """One that runs. `err` is all that it has said so far."""

    def __init__(self, folder: Path, *typed: str, **variables: str) -> None:
        self._running = subprocess.Popen(
            [sys.executable, "-m", "perdure", *typed],
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd=folder,
            env=environment(**variables),
        )
        self._said = bytearray()
        self._is_over = False
        self._more = threading.Condition()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self._running.stderr is not None
        while part := self._running.stderr.read1():  # type: ignore[attr-defined]
            with self._more:
                self._said += part
                self._more.notify_all()
        with self._more:
            self._is_over = True
            self._more.notify_all()

    @property
    def err(self) -> str:
        return self._said.decode()

    def until(self, pattern: str) -> str:
        """Until it has said so; what was found."""
        with self._more:
            self._more.wait_for(lambda: self._is_over or re.search(pattern, self.err), SECONDS_MAX)
        found = re.search(pattern, self.err)
        assert found is not None, f"{pattern} in {self.err}"
        return found[1] if found.groups() else found[0]

    def url(self) -> str:
        return self.until(r"perdure on (http://\S+?),")

    def end(self, how: signal.Signals = signal.SIGTERM) -> str:
        """All that it has said."""
        if self._running.poll() is None:
            self._running.send_signal(how)
        self._running.wait(SECONDS_MAX)
        self._reading.join(SECONDS_MAX)
        assert self._running.stderr is not None
        self._running.stderr.close()
        return self.err


@contextlib.contextmanager
def running(folder: Path, *typed: str, **variables: str) -> Iterator[Process]:
    process = Process(folder, *typed, **variables)
    try:
        yield process
    finally:
        process.end(signal.SIGKILL)
