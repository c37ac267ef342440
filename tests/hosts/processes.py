"""Programs of this folder, run as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def started(program: str, *arguments: object) -> subprocess.Popen[str]:
    """It finds what this process finds, and says what it has to say on its standard output."""
    found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    options: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, str(HERE / program), *map(str, arguments)]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": found}, **options)


def finished(process: subprocess.Popen[str], seconds: float) -> list[str]:
    """The lines that it said, when it has ended well and has complained of nothing."""
    try:
        said, complaint = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        said, complaint = process.communicate()
        raise AssertionError(
            f"it has not ended after {seconds} seconds; it said {said[-2_000:]!r}, {complaint[-4_000:]}"
        ) from None
    assert (process.returncode, complaint) == (0, ""), complaint[-4_000:]
    return said.splitlines()
