"""Which peers there are, whether they are installed, and one run of one of them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from perdure.bench.driving import Load
from perdure.bench.peers.orders import Answer, Order
from perdure.errors import PerdureError

WARM_UP_EACH = 20
RUN_SECONDS_MAX = 120


class PeerFailed(PerdureError, code="peer_failed"):
    """A peer's process did not answer."""


class Mode(Struct, frozen=True):
    """One way to use a peer. Of those that count, the best is what we are held against."""

    name: str
    counts: bool = True


class Peer(Struct, frozen=True):
    system: Literal["dbos", "langgraph"]
    title: str
    packages: tuple[str, ...]
    module: str
    modes: tuple[Mode, ...]


PEERS = (
    Peer(
        "dbos",
        "DBOS",
        ("dbos",),
        "perdure.bench.peers.with_dbos",
        (Mode("async"), Mode("threads"), Mode("threads-wal", counts=False)),
    ),
    Peer(
        "langgraph",
        "LangGraph",
        ("langgraph", "langgraph-checkpoint-sqlite"),
        "perdure.bench.peers.with_langgraph",
        (Mode("threads"),),
    ),
)


def missing(peer: Peer) -> tuple[str, ...]:
    """The packages that it needs and that are not installed."""
    return tuple(package for package in peer.packages if not _installed(package))


def run_peer(peer: Peer, mode: Mode, load: Load, folder: Path) -> Answer:
    """One run, on a new file, in a new process. Raises `PeerFailed`."""
    warm_up = Load(min(load.concurrency, WARM_UP_EACH), 0, load.steps_each)
    with tempfile.TemporaryDirectory(prefix=f"{peer.system}-", dir=folder) as fresh:
        order = msgspec.json.encode(Order(mode.name, fresh, load, warm_up)).decode()
        return _answer(peer, [sys.executable, "-P", "-m", peer.module, order])


def _answer(peer: Peer, command: list[str]) -> Answer:
    alone = os.environ | {"LANGSMITH_TRACING": "false"}  # it would send what it does to a server
    try:
        done = subprocess.run(  # noqa: S603  our own module, by our own interpreter
            command, capture_output=True, timeout=RUN_SECONDS_MAX, check=False, env=alone
        )
    except subprocess.TimeoutExpired:
        raise PeerFailed(f"{peer.title} did not answer within {RUN_SECONDS_MAX} s") from None
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise PeerFailed(f"{peer.title} ended with status {done.returncode}: {told[-1] if told else 'it said nothing'}")
    return msgspec.json.decode(lines[-1], type=Answer)


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
