"""A step costs the same after a hundred thousand of them, and the state does not grow with what has been.

Times are compared within one run, as medians: machines are noisy, ratios less so.
"""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

import shapes
from perdure.expressions.language import compile_value
from perdure.model.workflow import Workflow
from perdure.testing.measure import Measured, median_us

COUNT = 100_000
WARM_UP = 1_000


@pytest.mark.flat
@pytest.mark.parametrize(
    "shape",
    [shapes.steps, lambda: shapes.ticks(COUNT + 10), lambda: shapes.items(COUNT + 10)],
    ids=["steps", "loop ticks", "forEach items"],
)
def test_the_last_thousand_of_a_hundred_thousand_cost_what_the_first_cost(shape: Callable[[], Workflow]) -> None:
    ratio = 0.0
    for _ in range(3):  # a neighbour on the machine may spoil one run, not three
        ratio, first, last, grown = _measure(shape())
        assert grown <= 1.2, f"the state grew by {grown:.2f}"
        if ratio <= 1.2:
            print(f"\nfirst 1,000: {first:.1f} µs, last 1,000: {last:.1f} µs, ratio {ratio:.2f}")
            return
    pytest.fail(f"the last thousand cost {ratio:.2f} times the first")


def _measure(workflow: Workflow) -> tuple[float, float, float, float]:
    measured = Measured(workflow, compile_value, {"who": "ann"})
    measured.run(WARM_UP, lambda command: {"n": command.op})
    size = measured.state_bytes()
    gc.collect()
    gc.freeze()
    measured.run(COUNT - WARM_UP, lambda command: {"n": command.op})
    assert len(measured.spent_ns) == COUNT
    first = median_us(measured.spent_ns[WARM_UP : 2 * WARM_UP])
    last = median_us(measured.spent_ns[-1_000:])
    return last / first, first, last, measured.state_bytes() / size
