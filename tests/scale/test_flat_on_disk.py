"""A step costs the same after two hundred thousand of them, in time and in bytes, with all of them in a SQLite file.

Each step is a transaction of its own, as in a running engine; the disk is not synced, for what is compared is work. Times of the
processor are compared within one run, as medians; bytes over stretches in which the log is carried over into the database many times.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

import shapes
from perdure.core.advance import Start
from perdure.model.workflow import Workflow
from perdure.testing.measure import median_us
from scale.driving import Driven, bytes_written

T0 = 1_700_000_000_000
WARM_UP = 1_000
WINDOW = 1_000
STRETCH = 10_000
"""So many steps write the log full, and have it carried over, several times."""


@pytest.mark.flat
@pytest.mark.parametrize(
    ("shape", "count"),
    [(shapes.steps, 200_000), (lambda: shapes.ticks(30_010), 30_000), (lambda: shapes.items(30_010), 30_000)],
    ids=["steps", "loop ticks", "forEach items"],
)
def test_the_last_thousand_steps_cost_what_the_first_cost(
    shape: Callable[[], Workflow], count: int, tmp_path: Path
) -> None:
    driven = Driven(tmp_path / "flows.db")
    driven.start(shape(), [Start(T0, "main", {"who": "ann"})], T0)
    driven.run(WARM_UP, T0)
    gc.collect()
    gc.freeze()
    before = bytes_written()
    driven.run(STRETCH, T0)
    bytes_first = (bytes_written() - before) / STRETCH
    driven.run(count - WARM_UP - 2 * STRETCH, T0)
    before = bytes_written()
    driven.run(STRETCH, T0)
    bytes_last = (bytes_written() - before) / STRETCH
    gc.unfreeze()

    assert len(driven.spent_ns) == count
    first, last = median_us(driven.spent_ns[WARM_UP : WARM_UP + WINDOW]), median_us(driven.spent_ns[-WINDOW:])
    print(
        f"\n{count:,} steps in one execution: {first:.0f} µs each at first, {last:.0f} µs at last, ratio {last / first:.2f};"
        f" {bytes_first:,.0f} bytes each at first, {bytes_last:,.0f} at last, ratio {bytes_last / bytes_first:.2f}"
    )
    assert bytes_last == pytest.approx(bytes_first, rel=0.1)
    assert last <= 1.25 * first
    driven.store.close()
