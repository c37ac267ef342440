"""A page is a session in an empty folder: its files are written, its commands are typed, its output is compared.

A fenced block whose first line is ```` ```json hello.json ```` is a file of that name (so are python and text). In a block
```` ```console ```` lines that begin with `$ ` are typed; what follows is what is seen, where `…` stands for anything within a line
and, alone in a line, for any lines. What ends with `&` goes on until the page is at its end.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from msgspec import Struct

SECONDS_MAX = 120
PORT = "8400"
"""What servers of pages listen on; where one is followed, another that is free."""

FENCE = re.compile(r"^```(\w+)(?: ([\w./-]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class File(Struct, frozen=True):
    name: str
    text: str


class Typed(Struct, frozen=True):
    command: str
    seen: str


def session(page: str) -> Iterator[File | Typed]:
    """What happens on the page, in order."""
    for language, name, body in FENCE.findall(page):
        if language == "console":
            yield from _typed(body)
        elif name:
            yield File(name, body)


def _typed(body: str) -> Iterator[Typed]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, seen = part.partition("\n")
        while command.endswith("\\"):
            more, _, seen = seen.partition("\n")
            command = f"{command[:-1].rstrip()} {more.strip()}"
        yield Typed(command, seen)


def fits(expected: str, actual: str) -> bool:
    """Whether the output is what the page says."""
    pattern = []
    for line in expected.strip().split("\n"):
        if line.strip() == "…":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ ]*\n")
    return re.fullmatch("".join(pattern), _plain(actual)) is not None


def _plain(actual: str) -> str:
    return "\n".join(line.rstrip() for line in actual.strip().split("\n")) + "\n"


def follow(page: str, folder: Path, environment: Mapping[str, str] | None = None) -> int:
    """Do as the page says, in this folder: its files are written, its commands are typed, and what they say is compared. How many
    commands there were.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, **(environment or {}), "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"}
    typed = 0
    page = page.replace(PORT, free_port()) if " &\n" in page else page
    with ExitStack() as background:
        for one in session(page):
            if isinstance(one, File):
                (folder / one.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / one.name).write_text(one.text)
                continue
            typed += 1
            if one.command.endswith(" &"):
                background.enter_context(_running(one, folder, settings))
            else:
                _type(one, folder, settings)
    return typed


def free_port() -> str:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return str(found.getsockname()[1])


@contextmanager
def _running(one: Typed, folder: Path, settings: Mapping[str, str]) -> Iterator[None]:
    """What ends with `&`: it has said what the page says before the next is typed, and is ended with the page."""
    said = folder / f".said-{len(list(folder.glob('.said-*')))}"
    with said.open("w") as out:
        process = subprocess.Popen(
            one.command.removesuffix("&"),
            shell=True,
            cwd=folder,
            env=settings,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        until = time.monotonic() + SECONDS_MAX
        while not fits(one.seen, said.read_text()):
            ends = process.poll() is not None or time.monotonic() > until
            assert not ends, f"$ {one.command}\n{said.read_text()}"
            time.sleep(0.05)
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def _type(one: Typed, folder: Path, settings: Mapping[str, str]) -> None:
    ended = subprocess.run(
        one.command,
        shell=True,
        cwd=folder,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=SECONDS_MAX,
    )
    assert fits(one.seen, ended.stdout), f"$ {one.command}\n{ended.stdout}\n--- the page says:\n{one.seen}"
