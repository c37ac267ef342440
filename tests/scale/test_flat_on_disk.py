"""A step costs the same after two hundred thousand of them, in time and in bytes, with all of them in a SQLite file.

Each step is a transaction of its own, as in a running engine; the disk is not synced, for what is compared is work. Between the
first thousand and the last of one execution a minute passes, and its neighbours make the machine half as fast in it, or twice.
So the last thousand are made in turns with the first thousand of an execution like it, in a file of its own, and the medians of
these are compared. Bytes are compared over stretches in which the log is carried over into the database several times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
IN_A_ROW = 10
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
    with _begun(shape(), tmp_path / "old") as old, _begun(shape(), tmp_path / "new") as new:
        bytes_first = _bytes_each(old, STRETCH)
        old.run(count - WARM_UP - 2 * STRETCH, T0)
        bytes_last = _bytes_each(old, STRETCH - WINDOW)
        for _ in range(WINDOW // IN_A_ROW):
            old.run(IN_A_ROW, T0)
            new.run(IN_A_ROW, T0)
        assert (len(old.spent_ns), len(new.spent_ns)) == (count, WARM_UP + WINDOW)
        last, first = median_us(old.spent_ns[-WINDOW:]), median_us(new.spent_ns[-WINDOW:])
        apart = last / median_us(old.spent_ns[WARM_UP : WARM_UP + WINDOW])
    print(
        f"\n{count:,} steps: the first {first:.0f} µs each, the last {last:.0f} µs, ratio {last / first:.2f}"
        f" ({apart:.2f} if compared with its own first); {bytes_first:,.0f} bytes each, {bytes_last:,.0f} at last"
    )
    assert bytes_last == pytest.approx(bytes_first, rel=0.1)
    assert last <= 1.25 * first


@contextmanager
def _begun(workflow: Workflow, folder: Path) -> Iterator[Driven]:
    """An execution that has warmed up."""
    folder.mkdir()
    driven = Driven(folder / "flows.db")
    driven.start(workflow, [Start(T0, "main", {"who": "ann"})], T0)
    driven.run(WARM_UP, T0)
    yield driven
    driven.store.close()


def _bytes_each(driven: Driven, steps: int) -> float:
    before = bytes_written()
    driven.run(steps, T0)
    return (bytes_written() - before) / steps
