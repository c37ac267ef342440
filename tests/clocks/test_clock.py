"""The clock of a worker: jumps, references, and what is reported of them."""

from __future__ import annotations

import logging
from itertools import pairwise

import pytest

from perdure.clock import CONFIRM_MS, JUMP_MS, SKEW_MAX_MS, Clock
from perdure.runtime.clock_watch import JUMP, SKEW, ClockWatch
from perdure.runtime.conditions import Conditions
from perdure.store.memory import MemoryStore
from perdure.store.port import Broken, Unavailable

BEGIN, HOUR_MS, DAY_MS = 1_800_000_000_000, 3_600_000, 86_400_000


class Host:
    """A machine whose clocks the test sets. `database`: how far the clock of the database is ahead of the true time."""

    def __init__(self) -> None:
        self.elapsed, self.shift, self.database, self.trip = 0, 0, 0, 0
        self.clock = Clock(lambda: BEGIN + self.elapsed + self.shift, lambda: 5_000 + self.elapsed)

    def read(self) -> int:
        """The answer is of the moment at which the request has arrived."""
        self.elapsed += self.trip
        return BEGIN + self.elapsed + self.database

    def measure(self) -> None:
        self.clock.measure(self.read)

    def now(self) -> int:
        """As milliseconds since it began."""
        return self.clock.now_ms() - BEGIN


def test_small_steps_are_followed_at_once() -> None:
    host = Host()
    for shift in (0, JUMP_MS, 2 * JUMP_MS, JUMP_MS, 1):
        host.elapsed, host.shift = host.elapsed + 10, shift
        assert host.now() == host.elapsed + shift
    assert host.clock.jumps == 0


@pytest.mark.parametrize("jump", [400 * DAY_MS, -HOUR_MS, JUMP_MS + 1])
def test_a_jump_is_followed_when_it_has_lasted_for_the_bound(jump: int) -> None:
    host = Host()
    host.elapsed, host.shift = 1_000, jump
    assert host.now() == 1_000
    assert (host.clock.jumps, host.clock.last_jump_ms, host.clock.is_confirming) == (1, jump, True)
    host.elapsed = 1_000 + CONFIRM_MS - 1
    assert host.now() == host.elapsed, "it runs on"
    host.elapsed += 1
    assert host.now() == host.elapsed + jump
    assert not host.clock.is_confirming
    assert host.clock.jumps == 1


def test_a_jump_that_is_taken_back_never_happened() -> None:
    host = Host()
    host.shift = 400 * DAY_MS
    assert host.now() == 0
    host.elapsed, host.shift = 3_000, 0
    assert host.now() == 3_000
    host.elapsed, host.shift = CONFIRM_MS + 10_000, 400 * DAY_MS
    assert host.now() == host.elapsed, "the bound begins anew"
    assert host.clock.jumps == 2


def test_a_clock_that_jumps_again_and_again_is_followed_after_the_bound() -> None:
    host = Host()
    for host.elapsed in range(0, CONFIRM_MS, 1_000):
        host.shift += HOUR_MS
        assert host.now() == host.elapsed
    host.elapsed = CONFIRM_MS
    assert host.now() == CONFIRM_MS + host.shift


def test_with_a_reference_jumps_of_the_host_change_nothing() -> None:
    host = Host()
    host.database = 7_000
    host.measure()
    for shift in (0, 400 * DAY_MS, -HOUR_MS):
        host.elapsed, host.shift = host.elapsed + 10 * CONFIRM_MS, shift
        assert host.now() == host.elapsed + 7_000
        assert host.clock.skew_ms == shift - 7_000
        assert host.clock.is_far_off == (abs(shift - 7_000) > SKEW_MAX_MS)
    assert not host.clock.is_confirming


def test_a_jump_that_is_being_confirmed_is_forgotten_when_there_is_a_reference() -> None:
    host = Host()
    host.shift = HOUR_MS
    assert (host.now(), host.clock.is_confirming) == (0, True)
    host.measure()
    assert (host.now(), host.clock.is_confirming) == (0, False)


def test_a_slow_answer_does_not_shift_the_clock() -> None:
    host = Host()
    host.measure()
    before = []
    for host.trip in (3_000, 100, 1_000, 5):
        host.measure()
        before.append(host.now() - host.elapsed)
    assert before == [0, 0, 0, 0]


def test_a_slow_first_answer_is_corrected_by_a_quick_one() -> None:
    host = Host()
    host.trip = 2_000
    host.measure()
    assert host.now() - host.elapsed == 1_000, "half of the round trip"
    host.trip = 2
    host.measure()
    assert abs(host.now() - host.elapsed) <= 2


@pytest.mark.parametrize("jump", [5_000, 400 * DAY_MS, -HOUR_MS])
def test_a_jump_of_the_database_is_followed_when_it_has_lasted_for_the_bound(jump: int) -> None:
    host = Host()
    host.measure()
    host.database = jump
    for host.elapsed in range(1_000, CONFIRM_MS, 10_000):
        host.measure()
        assert host.now() == host.elapsed, "it runs on"
        assert (host.clock.jumps, host.clock.last_jump_ms, host.clock.is_confirming) == (1, jump, True)
        assert host.clock.skew_ms == -jump, "the host is right, and the database is not"
    host.elapsed = 1_000 + CONFIRM_MS
    assert host.now() == host.elapsed, "it is followed by measuring alone"
    host.measure()
    assert host.now() == host.elapsed + jump
    assert (host.clock.jumps, host.clock.is_confirming) == (1, False)


def test_a_jump_of_database_and_host_that_is_taken_back_never_happened() -> None:
    host = Host()
    host.measure()
    host.database = host.shift = 400 * DAY_MS
    host.measure()
    assert (host.now(), host.clock.is_confirming, host.clock.skew_ms) == (0, True, 0)
    host.elapsed, host.database, host.shift = 4_000, 0, 0
    host.measure()
    assert (host.now(), host.clock.is_confirming, host.clock.skew_ms) == (4_000, False, 0)
    host.elapsed, host.database = CONFIRM_MS + 10_000, 400 * DAY_MS
    host.measure()
    assert host.now() == host.elapsed, "the bound begins anew"
    assert host.clock.jumps == 2


def test_small_steps_of_the_database_are_followed_at_once() -> None:
    host = Host()
    for host.database in (0, JUMP_MS, 2 * JUMP_MS, JUMP_MS, 10):
        host.measure()
        assert host.now() == host.elapsed + host.database
    assert host.clock.jumps == 0


def test_the_correction_of_a_very_slow_first_answer_is_no_jump() -> None:
    host = Host()
    for host.trip in (20_000, 2):
        host.measure()
    assert abs(host.now() - host.elapsed) <= 2
    assert host.clock.jumps == 0


def test_time_does_not_go_back_between_measurements_of_a_steady_database() -> None:
    host, seen = Host(), []
    for trip in (0, 4, 40, 1, 300, 2):
        host.elapsed, host.trip = host.elapsed + 50, trip
        host.measure()
        seen.append(host.now())
    assert all(after > before for before, after in pairwise(seen))


def test_without_a_reference_there_is_no_skew() -> None:
    host = Host()
    host.clock.measure(lambda: None)
    assert host.clock.skew_ms is None
    assert not host.clock.is_far_off


def test_skew_is_reported_when_it_begins_grows_and_ends(caplog: pytest.LogCaptureFixture) -> None:
    host, conditions, store = Host(), Conditions(), MemoryStore()
    store.database_ms = host.read  # type: ignore[method-assign]
    watch = ClockWatch(host.clock, conditions)
    expected = {
        0: None,
        3_000: logging.WARNING,
        4_000: None,
        -120_000: logging.ERROR,
        -130_000: None,
        1_000: logging.WARNING,
    }
    for shift, level in expected.items():
        caplog.clear()
        host.shift = shift
        watch.measure(store)
        assert [record.levelno for record in caplog.records] == ([] if level is None else [level]), shift
        assert (SKEW in conditions.active()) == (abs(shift) > 2_000)
    host.shift = -120_000
    watch.measure(store)
    assert "is 120.0 s behind that of the database: this process takes up no timers" in conditions.active()[SKEW]


def test_jumps_are_reported_while_they_are_not_followed(caplog: pytest.LogCaptureFixture) -> None:
    host, conditions, store = Host(), Conditions(), MemoryStore()
    watch = ClockWatch(host.clock, conditions)
    host.shift = HOUR_MS
    host.now()
    watch.measure(store)
    watch.measure(store)
    assert [record.message for record in caplog.records] == [
        "the clock of the host has jumped forward by 3600.0 s; the new time takes effect if the jump lasts 60 s"
    ]
    assert JUMP in conditions.active()
    host.elapsed = CONFIRM_MS
    host.now()
    watch.measure(store)
    assert JUMP not in conditions.active()


def test_jumps_of_the_database_are_reported_while_they_are_not_followed(caplog: pytest.LogCaptureFixture) -> None:
    host, conditions, store = Host(), Conditions(), MemoryStore()
    store.database_ms = host.read  # type: ignore[method-assign]
    watch = ClockWatch(host.clock, conditions)
    watch.measure(store)
    host.database = host.shift = HOUR_MS
    for host.elapsed in (0, CONFIRM_MS - 1):
        watch.measure(store)
        assert list(conditions.active()) == [JUMP]
    assert [record.message for record in caplog.records] == [
        "the clock of the database has jumped forward by 3600.0 s; the new time takes effect if the jump lasts 60 s"
    ]
    host.elapsed = CONFIRM_MS
    watch.measure(store)
    assert conditions.active() == {}


def test_a_database_that_does_not_answer_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """But one that is broken does."""
    host, store = Host(), MemoryStore()
    host.database = 60_000
    host.measure()
    watch = ClockWatch(host.clock, Conditions())
    for error in (Unavailable("it is away"), ValueError("something else")):

        def fails(error: Exception = error) -> int:
            raise error

        store.database_ms = fails  # type: ignore[method-assign]
        watch.measure(store)
        assert host.now() == host.elapsed + 60_000
    assert "cannot read the clock of the database" in caplog.text
    store.database_ms = lambda: (_ for _ in ()).throw(Broken("the file is damaged"))  # type: ignore[method-assign]
    with pytest.raises(Broken):
        watch.measure(store)
