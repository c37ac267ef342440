"""A hundred thousand starts at one moment neither exhaust memory nor starve what runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from perdure.runtime.engine import HELD_MAX
from scale.programs import told

COUNT = 100_000
BYTES_EACH = 8_000
"""Of a start that waits for its answer: the caller's own task is half of it."""


@pytest.mark.flat
def test_a_hundred_thousand_starts_at_once_starve_nobody_and_exhaust_nothing(tmp_path: Path) -> None:
    seen = told("flood.py", tmp_path / "flows.db", COUNT)
    print(f"\n{COUNT:,} starts at once: {seen}")
    assert (seen["acknowledged"], seen["ended"]) == (COUNT, COUNT)
    assert seen["held_max"] <= HELD_MAX
    assert seen["rss_bytes_each"] <= BYTES_EACH
    assert seen["tick_p99_ms"] <= 250
