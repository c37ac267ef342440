"""The command line of Perdure in a process whose wall clock is shifted, for tests.

The file that PERDURE_TEST_CLOCK names holds by how many seconds, and may be changed while the process runs. PERDURE_TEST_CONSTANTS is
a JSON object of constants by module, for what would take minutes otherwise.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path

import perdure.clock

FILE = Path(os.environ["PERDURE_TEST_CLOCK"])
READ_SECONDS = 0.005


class ShiftedClock:
    def __init__(self) -> None:
        self._shift_ns, self._read_at = 0, 0.0

    def __call__(self) -> int:
        if time.monotonic() >= self._read_at:
            self._shift_ns = int(float(FILE.read_text()) * 1e9)
            self._read_at = time.monotonic() + READ_SECONDS
        return time.time_ns() + self._shift_ns


def main() -> int:
    perdure.clock.wall_ns = ShiftedClock()
    for name, constants in json.loads(os.environ.get("PERDURE_TEST_CONSTANTS", "{}")).items():
        for constant, value in constants.items():
            setattr(importlib.import_module(name), constant, value)
    from perdure.cli.main import main as cli  # noqa: PLC0415  after the clock is shifted

    return cli(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
