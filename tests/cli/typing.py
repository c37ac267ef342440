"""Typing `perdure`: in a process of its own, with a terminal or without, and in this one, which is faster."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from select import select
from typing import Any

from msgspec import Struct

from perdure.cli.main import main

PERDURE = f"{sys.prefix}/bin/perdure"
SECONDS_MAX = 60


class Ended(Struct, frozen=True):
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str = ""

    @property
    def object(self) -> Any:
        """The one object on stdout, with nothing beside it."""
        assert self.err == ""
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """Ours, without a database in it."""
    ours = {name: value for name, value in os.environ.items() if "DATABASE_URL" not in name}
    return {**ours, "NO_COLOR": "1", **more}


def perdure(*arguments: str | Path, cwd: Path | None = None, **more: str) -> Ended:
    done = subprocess.run(
        [PERDURE, *map(str, arguments)],
        capture_output=True,
        timeout=SECONDS_MAX,
        check=False,
        cwd=cwd,
        env=environment(**more),
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def on_a_terminal(*arguments: str | Path, cwd: Path | None = None) -> Ended:
    """What stdout shows when it is a terminal, with all that moves the cursor."""
    ours, theirs = pty.openpty()
    command = [PERDURE, *map(str, arguments)]
    running = subprocess.Popen(
        command,
        stdout=theirs,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=environment(TERM="xterm", COLUMNS="100", LINES="40"),
    )
    os.close(theirs)
    shown = b""
    until = time.monotonic() + SECONDS_MAX
    while time.monotonic() < until:
        if select([ours], [], [], 0.1)[0]:
            try:
                shown += os.read(ours, 65_536)
            except OSError:  # it has ended
                break
    os.close(ours)
    _, said = running.communicate(timeout=SECONDS_MAX)
    return Ended(running.returncode, shown.decode(), said.decode())


def here(capsys: Any, *arguments: str | Path) -> Ended:
    """In this process."""
    status = main([str(argument) for argument in arguments])
    told = capsys.readouterr()
    return Ended(status, told.out, told.err)


def written(folder: Path, name: str, value: Any) -> Path:
    """A file with JSON in it."""
    path = folder / name
    path.write_text(json.dumps(value, indent=2))
    return path


def fastest(command: Sequence[str], env: dict[str, str], enough: float, times: int = 30) -> float:
    """The seconds that a command takes at best: what else the machine does meanwhile only adds to it. Once it was fast `enough`
    three times, nobody needs to try again.
    """
    taken: list[float] = []
    while len(taken) < times and sum(seconds <= enough for seconds in taken) < 3:
        begun = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True, timeout=SECONDS_MAX, env=env)
        taken.append(time.perf_counter() - begun)
    return min(taken)
