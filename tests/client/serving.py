"""A server in a process of its own, which can be killed and comes back."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.typing import PERDURE, environment

SECONDS_MAX = 60


class Served:
    """`perdure dev` or `perdure serve` on a database."""

    def __init__(self, folder: Path, *more: str, command: str = "dev", port: int = 0, **variables: str) -> None:
        self._folder, self._more, self._command, self._variables = folder, more, command, variables
        self.port = port
        self.db = f"sqlite:///{folder}/flows.db"
        self.url = ""
        self._process: subprocess.Popen[str] | None = None
        self._reading = threading.Thread()

    def start(self) -> None:
        typed = [PERDURE, self._command, "--port", str(self.port), "--db", self.db, *self._more]
        self._process = subprocess.Popen(
            typed, stderr=subprocess.PIPE, text=True, cwd=self._folder, env=environment(**self._variables)
        )
        assert self._process.stderr is not None
        said = ""
        for line in self._process.stderr:
            said += line
            if found := re.search(r"perdure on (http://\S+?),", line):
                self.url = found[1]
                self.port = int(self.url.rpartition(":")[2])
                self._reading = threading.Thread(target=self._process.stderr.read, daemon=True)
                self._reading.start()
                return
        raise AssertionError(f"it did not start: {said}")

    def kill(self, how: signal.Signals = signal.SIGKILL) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(SECONDS_MAX)
            self._reading.join()
            assert self._process.stderr is not None
            self._process.stderr.close()
            self._process = None


@contextmanager
def served(folder: Path, *more: str, command: str = "dev", port: int = 0, **variables: str) -> Iterator[Served]:
    server = Served(folder, *more, command=command, port=port, **variables)
    server.start()
    try:
        yield server
    finally:
        server.kill(signal.SIGTERM)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
