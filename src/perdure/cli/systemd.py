"""What systemd hands to a service, and is told by it: a socket that listens already (`LISTEN_FDS`), and how it stands
(`NOTIFY_SOCKET`). Where there is no systemd, nothing is given and nobody is told.
"""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Final

from perdure.cli.saying import refusal
from perdure.settings.environment import environment, take
from perdure.settings.table import LISTEN_FDS, LISTEN_PID, NOTIFY_SOCKET

FIRST: Final = 3
"""The number of the first file that is handed over, by the protocol."""


def activated() -> int | None:
    """The number of the socket that systemd listens on for us; None: it does not."""
    count, pid = take(LISTEN_FDS), take(LISTEN_PID)
    if not count or pid != os.getpid():  # what was meant for a parent is not for its children
        return None
    if count > 1:
        raise refusal("invalid_option", f"systemd gives {count} sockets, and a server has one; leave one ListenStream=")
    return FIRST


def notify(*words: str) -> None:
    """`READY=1`, `MAINPID=…`."""
    address = NOTIFY_SOCKET.read(environment())
    if address is None:
        return
    where = f"\0{address[1:]}" if address.startswith("@") else address
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as there:
        there.sendto("\n".join(words).encode(), where)
