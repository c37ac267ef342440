"""New ids are never the same, and stand in the order of their time."""

from __future__ import annotations

import re

from perdure.runtime.fresh import AT_ONCE, FreshIds


def test_ids_are_unique_within_one_moment() -> None:
    fresh = FreshIds(lambda: 1)
    assert len({fresh() for _ in range(10 * AT_ONCE)}) == 10 * AT_ONCE


def test_ids_of_two_makers_are_different() -> None:
    one, other = FreshIds(lambda: 1), FreshIds(lambda: 1)
    assert {one() for _ in range(AT_ONCE)}.isdisjoint(other() for _ in range(AT_ONCE))


def test_ids_stand_in_the_order_of_their_time() -> None:
    moments = iter(range(0, 20_000_000_000_000, 100_000_000_000))
    fresh = FreshIds(lambda: next(moments))
    ids = [fresh() for _ in range(200)]
    assert ids == sorted(ids)


def test_an_id_is_of_one_length_and_of_plain_letters() -> None:
    for now in (0, 1_700_000_000_000, 4_000_000_000_000):
        assert re.fullmatch(r"[0-9a-f]{32}", FreshIds(lambda now=now: now)())  # type: ignore[misc]
