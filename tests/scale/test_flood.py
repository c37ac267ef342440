"""A hundred thousand starts at one moment neither exhaust memory nor starve what runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.runtime.engine import HELD_MAX
from scale.programs import told

COUNT = 100_000
BYTES_EACH = 8_000
"""Of a start that waits for its answer: the caller's own task is half of it."""


SOON_MS = 250
TRIES = 2
"""A neighbour on the machine may spoil one of them."""


@pytest.mark.flat
def test_a_hundred_thousand_starts_at_once_starve_nobody_and_exhaust_nothing(tmp_path: Path) -> None:
    for number in range(TRIES):
        seen = told("flood.py", tmp_path / f"flows-{number}.db", COUNT)
        print(f"\n{COUNT:,} starts at once: {seen}")
        assert (seen["acknowledged"], seen["ended"]) == (COUNT, COUNT)
        assert seen["held_max"] <= HELD_MAX
        assert seen["rss_bytes_each"] <= BYTES_EACH
        if seen["tick_p99_ms"] <= SOON_MS and seen["late_p50_ms"] <= SOON_MS:
            return
    pytest.fail("what ran before had to wait for what was started")
