"""What sleeps weighs nothing, and what is due at one moment is soon done; each in a process of its own, on a real file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scale.programs import told

ASLEEP = 200_000
DUE = 20_000
TRIES = 3
"""A neighbour on the machine may spoil one of them."""


@pytest.fixture(scope="module")
def asleep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file with so many executions that sleep for years."""
    path = tmp_path_factory.mktemp("asleep") / "flows.db"
    told("sleepers.py", "make", path, ASLEEP)
    yield path
    path.unlink()


@pytest.mark.flat
def test_an_engine_with_two_hundred_thousand_asleep_weighs_what_an_empty_one_weighs(
    asleep: Path, tmp_path: Path
) -> None:
    empty, full = told("sleepers.py", "weigh", tmp_path / "flows.db"), told("sleepers.py", "weigh", asleep)
    more_mb = (full["rss_bytes"] - empty["rss_bytes"]) / 1_000_000
    print(
        f"\n{ASLEEP:,} asleep: {more_mb:+.1f} MB beside {empty['rss_bytes'] / 1_000_000:.0f} MB of an empty engine;",
        end="",
    )
    print(f" a start is answered in {full['start_p50_ms']} ms, by the empty one in {empty['start_p50_ms']} ms")
    assert full["asleep"] == ASLEEP
    assert more_mb <= 60


@pytest.mark.flat
def test_a_copy_of_one_that_sleeps_is_one_that_sleeps(asleep: Path) -> None:
    assert told("sleepers.py", "cancel", asleep) == {"status": "cancelled"}


@pytest.mark.flat
def test_twenty_thousand_timers_that_are_due_at_once_are_drained_and_none_is_early(asleep: Path) -> None:
    rates = []
    for _ in range(TRIES):
        drained = told("sleepers.py", "drain", asleep, DUE)
        assert drained["asleep_before_ms"] > 0, "it was made sure in time that they sleep"
        assert drained["asleep"] == DUE, "none had been woken before the moment came"
        assert drained["rss_bytes_more"] <= 60_000_000
        assert (drained["due"], drained["ended"], drained["early"]) == (DUE, DUE, 0)
        rates.append(drained["per_second"])
        if rates[-1] >= 3_000:
            break
    print(f"\n{DUE:,} timers due at once, beside {ASLEEP:,} that sleep on: {rates} per second")
    assert max(rates) >= 3_000
