"""What a plain task step costs in the core: `advance`, which folds its own facts with `apply`."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from perdure.bench.machine import cpu
from perdure.expressions.language import compile_value
from perdure.model.workflow import Workflow
from perdure.testing.measure import Measured, median_us

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import shapes

COUNT = 10_000
WARM_UP = 1_000
ROUNDS = 5
"""Machines are noisy: the quietest round is the figure, and the slowest says how noisy it was."""


def main() -> None:
    print(f"Python {platform.python_version()} on {platform.machine()}, {cpu()}")
    for name, workflow in (
        ("a plain task step", shapes.plain()),
        ("a task step that reads two values", shapes.steps()),
        ("a loop tick and its body", shapes.ticks(COUNT + 10)),
        ("an item of a forEach", shapes.items(COUNT + 10)),
    ):
        medians = sorted(_median(workflow) for _ in range(ROUNDS))
        print(
            f"{name:36} {medians[0]:6.1f} µs  (medians of {COUNT:,}; the slowest of {ROUNDS} rounds {medians[-1]:.1f} µs)"
        )


def _median(workflow: Workflow) -> float:
    measured = Measured(workflow, compile_value, {"who": "ann"})
    measured.run(COUNT, lambda command: {"n": command.op})
    return median_us(measured.spent_ns[WARM_UP:])


if __name__ == "__main__":
    main()
