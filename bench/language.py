"""What expressions cost: the same as tests/expressions/test_speed.py, for people."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from expressions.test_speed import CONDITION, INPUT, PATH, SCOPE, quietest_us


def main() -> None:
    print(f"{'a path: a.b.c':36} {quietest_us(lambda: PATH(SCOPE), 20_000):6.2f} µs  (the quietest of 15 rounds)")
    print(f"{'a condition: a.b.c > 0.7':36} {quietest_us(lambda: CONDITION(SCOPE), 10_000):6.2f} µs")
    print(f"{'an input of ten templated leaves':36} {quietest_us(lambda: INPUT.render(SCOPE), 1_000):6.2f} µs")


if __name__ == "__main__":
    main()
