"""What transforms cost: how many a second, how long one takes, and what it adds to a step of an engine on SQLite."""

from __future__ import annotations

import asyncio
import os
import platform
import sys
import tempfile
from pathlib import Path

from perdure.bench.machine import cpu

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from sandbox.measuring import added_ms, latencies_ms, per_second

ROUNDS = 5


def main() -> None:
    print(f"Python {platform.python_version()} on {platform.machine()}, {cpu()}, {os.cpu_count()} cores")
    rounds = [asyncio.run(per_second(10_000)) for _ in range(ROUNDS)]
    rates, able = sorted(rate for rate, _ in rounds), max(able for _, able in rounds)
    print(f"small transforms a second          {rates[-1]:8,.0f}  (the slowest of {ROUNDS} rounds {rates[0]:,.0f})")
    print(f"by the CPU they take, on two cores {able:8,.0f}")
    times = asyncio.run(latencies_ms(2_000))
    print(
        f"one after the other, the median    {times[1_000]:8.2f} ms  (of a hundred the slowest {times[1_980]:.2f} ms)"
    )
    with tempfile.TemporaryDirectory() as folder:
        plain, transform = asyncio.run(added_ms(Path(folder) / "flows.db", 200))
    print(f"a step with a task in Python       {plain:8.2f} ms")
    print(f"a step with a transform            {transform:8.2f} ms  ({transform - plain:+.2f} ms)")


if __name__ == "__main__":
    main()
