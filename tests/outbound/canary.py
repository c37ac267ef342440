"""What must hear nothing: listeners on several addresses of this machine, all on one port, and a socket file. They count.

And a watch over the process: which addresses are connected to, whether anybody listens there or not. Nothing leaves this machine
meanwhile: what is not loopback is told to be unreachable. Names are answered from a table, at the place where every library asks.
"""

from __future__ import annotations

import errno
import selectors
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

PLACES = ("127.0.0.1", "127.0.0.2", "127.255.255.254", "::1")
PUBLIC = "93.184.215.14"
"""Allowed to be called, and not reached: nothing leaves this machine."""


class Canary:
    def __init__(self, port: int, file: Path) -> None:
        self.port, self.file = port, file
        self.heard: list[str] = []

    def url(self, host: str = "127.0.0.1", path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"


@contextmanager
def canary(folder: Path) -> Iterator[Canary]:
    with ExitStack() as closing:
        first = closing.enter_context(socket.create_server((PLACES[0], 0)))
        found = Canary(first.getsockname()[1], folder / "canary.sock")
        listening = [first]
        for place in PLACES[1:]:
            family = socket.AF_INET6 if ":" in place else socket.AF_INET
            listening.append(closing.enter_context(socket.create_server((place, found.port), family=family)))
        on_file = closing.enter_context(socket.socket(socket.AF_UNIX))
        on_file.bind(str(found.file))
        on_file.listen()
        stop, stopped = socket.socketpair()
        closing.enter_context(stop)
        closing.enter_context(stopped)
        thread = threading.Thread(target=_listen, args=(found, [*listening, on_file], stopped))
        thread.start()
        try:
            yield found
        finally:
            stop.send(b".")
            thread.join()


def _listen(found: Canary, listening: list[socket.socket], stopped: socket.socket) -> None:
    """At its end it looks once more: what connected at the last moment is counted."""
    with selectors.DefaultSelector() as selector:
        for each in (*listening, stopped):
            each.setblocking(False)
            selector.register(each, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            for each in listening:
                if each in ready:
                    connection, _ = each.accept()
                    found.heard.append(str(each.getsockname()))
                    connection.close()
            if ready == [stopped]:
                return


class Watch:
    """`tried`: every address that was connected to, but those in `expected`. `names`: what a name is answered with, each time."""

    def __init__(self) -> None:
        self.tried: list[tuple[Any, ...] | str] = []
        self.expected: set[int] = set()
        self.names: dict[str, Callable[[int], Sequence[str]]] = {}
        self.asked: dict[str, int] = {}
        self.rest: Callable[[int], Sequence[str]] | None = None
        self._lock = threading.Lock()

    @property
    def wrongly(self) -> list[Any]:
        """What was tried, though it is not public."""
        return [each for each in self.tried if not (isinstance(each, tuple) and each[0] == PUBLIC)]

    def connects(self, address: Any) -> None:
        if isinstance(address, tuple) and address[1] in self.expected:
            return
        with self._lock:
            self.tried.append(address)
        if isinstance(address, tuple) and not ip_address(address[0].partition("%")[0]).is_loopback:
            raise OSError(errno.ENETUNREACH, "nothing leaves this machine while it is watched")

    def answer(self, host: str) -> Sequence[str] | None:
        with self._lock:
            self.asked[host] = times = self.asked.get(host, 0) + 1
        known = self.names.get(host.lower().rstrip("."), self.rest)
        return None if known is None else known(times)


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    found = Watch()
    connect, connect_ex, ask = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def watched(self: socket.socket, address: Any) -> None:
        found.connects(address)
        connect(self, address)

    def watched_ex(self: socket.socket, address: Any) -> int:
        found.connects(address)
        return connect_ex(self, address)

    def answered(host: Any, port: Any, family: int = 0, type: int = 0, proto: int = 0, flags: int = 0) -> Any:
        name = host.decode() if isinstance(host, bytes) else host or ""
        told = None if _is_address(name) else found.answer(name)
        if told is None:
            return ask(host, port, family, type, proto, flags)
        return [each for address in told for each in ask(address, port, family, type, proto, flags)]

    monkeypatch.setattr(socket.socket, "connect", watched)
    monkeypatch.setattr(socket.socket, "connect_ex", watched_ex)
    monkeypatch.setattr(socket, "getaddrinfo", answered)
    return found


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False
