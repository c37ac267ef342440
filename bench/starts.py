"""Starts over HTTP: how many a second, and how long they take, beside a bare FastAPI endpoint that keeps one row."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from pathlib import Path

from perdure.bench.machine import cpu

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from api.measuring import CONNECTIONS, measured


def main() -> None:
    print(
        f"Python {platform.python_version()} on {platform.machine()}, {cpu()}, {os.cpu_count()} cores; {CONNECTIONS} connections"
    )
    with tempfile.TemporaryDirectory(dir=".cache") as folder:
        found = measured(Path(folder), rounds=5, seconds=5.0)
    for name, rounds in (("perdure serve", found.ours), ("a bare endpoint", found.bare)):
        for each in rounds:
            print(f"{name:16} {each.per_second:8,.0f} a second, p50 {each.p50_ms:6.1f} ms, p99 {each.p99_ms:6.1f} ms")
    print(f"{found.ratio:.2f} starts for each that the bare endpoint takes")


if __name__ == "__main__":
    main()
