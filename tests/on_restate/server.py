"""A real Restate for the suite, from npm: one node, or a cluster of three on this machine. Nothing is installed by hand.

The server binary is in a package of npm, and Node comes as a wheel. It is installed once into `.cache/restate-server`; processes
that come at the same time wait for each other.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx2

from npm import CACHE as ALL
from npm import install

VERSION = "1.7.12"
CACHE = ALL / "restate-server"
BINARY = CACHE / "node_modules" / "@restatedev" / "restate-server-linux-x64" / "bin" / "restate-server"
READY_SECONDS = 60.0


@cache
def binary() -> Path:
    """The program, installed if it is not there."""
    manifest = BINARY.parents[1] / "package.json"
    install(
        CACHE,
        lambda: manifest.exists() and json.loads(manifest.read_text())["version"] == VERSION,
        lambda: (CACHE / "package.json").write_text('{"private": true}'),
        "install",
        f"@restatedev/restate-server@{VERSION}",
    )
    return BINARY


def free_ports(count: int) -> list[int]:
    """Chosen together, so that they differ."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Node:
    """One process of Restate. `peers` are the ports of all nodes among themselves; the first node forms the cluster."""

    def __init__(self, folder: Path, number: int, peers: list[int], ingress: int, admin: int) -> None:
        self._folder, self._number, self._peers = folder, number, peers
        self._ingress, self._admin = ingress, admin
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def ingress(self) -> str:
        return f"http://127.0.0.1:{self._ingress}"

    @property
    def admin(self) -> str:
        return f"http://127.0.0.1:{self._admin}"

    def start(self) -> None:
        address = f"127.0.0.1:{self._peers[self._number]}"
        arguments = {
            "--cluster-name": "perdure-test",
            "--node-name": f"n{self._number}",
            "--auto-provision": "true" if self._number == 0 else "false",
            "--base-dir": str(self._folder / f"n{self._number}"),
            "--bind-address": address,
            "--advertised-address": f"http://{address}",
            "--default-num-partitions": "4",
            "--listen-mode": "tcp",
        }
        told = (self._folder / f"n{self._number}.log").open("ab")
        self.process = subprocess.Popen(
            [str(binary()), "--no-logo", *(word for pair in arguments.items() for word in pair)],
            env={
                **os.environ,
                "RESTATE_DISABLE_TELEMETRY": "true",
                "RESTATE_METADATA_CLIENT__TYPE": "replicated",
                "RESTATE_METADATA_CLIENT__ADDRESSES": json.dumps([f"http://127.0.0.1:{port}" for port in self._peers]),
                "RESTATE_DEFAULT_REPLICATION": str(min(len(self._peers), 2)),
                "RESTATE_INGRESS__BIND_ADDRESS": f"127.0.0.1:{self._ingress}",
                "RESTATE_ADMIN__BIND_ADDRESS": f"127.0.0.1:{self._admin}",
                "RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE": "256 MiB",
            },
            stdout=told,
            stderr=told,
        )
        told.close()

    def await_ready(self) -> None:
        until = time.monotonic() + READY_SECONDS
        with httpx2.Client(trust_env=False) as client:
            while not (self._answers(client) and self._is_of_all(client)):
                assert self.process is not None
                assert self.process.poll() is None, (self._folder / f"n{self._number}.log").read_text()[-2_000:]
                assert time.monotonic() < until, f"node {self._number} is not ready"
                time.sleep(0.05)

    def _answers(self, client: httpx2.Client) -> bool:
        try:
            return (
                client.get(f"{self.ingress}/restate/health").is_success
                and client.get(f"{self.admin}/health").is_success
            )
        except httpx2.TransportError:
            return False

    def _is_of_all(self, client: httpx2.Client) -> bool:
        """Whether all nodes are members, as this one sees it."""
        health = client.get(f"{self.admin}/cluster-health").json()
        return len(health["metadata_cluster_health"]["members"]) == len(self._peers)

    def kill(self) -> None:
        """As a machine that loses its power."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Cluster:
    """Nodes in a folder of their own, killed when it is left: what they have kept is of no use to anybody."""

    def __init__(self, folder: Path, size: int = 1) -> None:
        self.folder = folder
        ports = free_ports(3 * size)
        self.nodes = [
            Node(folder, number, ports[:size], ports[size + number], ports[2 * size + number]) for number in range(size)
        ]

    @property
    def ingress(self) -> list[str]:
        return [node.ingress for node in self.nodes]

    def __enter__(self) -> Self:
        try:
            for node in self.nodes:
                node.start()
            for node in self.nodes:
                node.await_ready()
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()

    def _kill(self) -> None:
        for node in self.nodes:
            if node.process is not None:
                node.kill()
