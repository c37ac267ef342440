"""The programs beside this file, each run as a process of its own. What a program says is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SECONDS_MAX = 600


def told(program: str, *arguments: object) -> Any:
    """What the program says."""
    paths = (str(HERE.parent), os.environ.get("PYTHONPATH", ""))
    ended = subprocess.run(
        [sys.executable, str(HERE / program), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        capture_output=True,
        text=True,
        timeout=SECONDS_MAX,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
