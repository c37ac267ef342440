"""Where it was measured: a figure without its machine says nothing."""

from __future__ import annotations

import gc
import os
import platform
import sys
from pathlib import Path

import apsw

from perdure.bench.results import Machine

MOUNTS = Path("/proc/mounts")
CPUS = Path("/proc/cpuinfo")
IN_MEMORY = ("tmpfs", "ramfs")
"""File systems where syncing costs nothing, and keeps nothing."""


def machine(folder: Path) -> Machine:
    return Machine(
        cores=os.cpu_count() or 1,
        cpu=cpu(),
        python=platform.python_version(),
        interpreter=interpreter(),
        sqlite=apsw.sqlite_lib_version(),
        folder=str(folder.resolve()),
        filesystem=_filesystem(folder.resolve()),
    )


def interpreter() -> str:
    """Its file: that of an operating system is often half as fast again as one that was compiled without profiles."""
    return str(Path(sys.executable).resolve())


def settle() -> None:
    """Before each run, ours or theirs: nothing of the one before is still to be written or to be thrown away."""
    gc.collect()
    os.sync()


def cpu() -> str:
    for line in CPUS.read_text().splitlines() if CPUS.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def _filesystem(folder: Path) -> str:
    """That of the innermost mount which holds the folder; of mounts in one place, the last hides the others."""
    if not MOUNTS.exists():
        return "unknown file system"
    mounts = [line.split()[1:3] for line in MOUNTS.read_text().splitlines()]
    holding = [(len(Path(place).parts), kind) for place, kind in mounts if folder.is_relative_to(place)]
    deepest = max((depth for depth, _ in holding), default=0)
    return next((kind for depth, kind in reversed(holding) if depth == deepest), "unknown file system")
