"""Whoever guesses keys has to wait, and nobody else has."""

from __future__ import annotations

import pytest

from api.house import house, run, said
from perdure.api.failures import ADDRESSES_MAX, PER_MINUTE, Failures
from perdure.service.errors import TooMany
from signin.browser import browser


def test_after_too_many_failures_who_guesses_has_to_wait_and_who_has_a_good_key_has_not() -> None:
    async def scenario() -> None:
        async with house() as there, browser(there) as page:
            key = await there.key("ada", "viewer")
            for _ in range(3):  # who succeeds begins anew
                for _ in range(PER_MINUTE - 1):
                    assert (await page.sign_in("prd_guess")).status_code == 401
                assert (await page.sign_in(key)).status_code == 200
            for _ in range(PER_MINUTE):
                assert (await page.sign_in("prd_guess")).status_code == 401
            refused = await page.sign_in("prd_guess")
            assert (refused.status_code, said(refused)["code"]) == (429, "too_many")
            assert 1 <= int(refused.headers["retry-after"]) <= 60 // PER_MINUTE + 1
            assert (await page.ask("GET", "/api/session")).status_code == 200, "who is signed in stays so"
            assert (await page.sign_in(key)).status_code == 200
            async with there.ask(key) as program:
                assert (await program.get("/api/workflows")).status_code == 200

    run(scenario())


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def tries(failures: Failures, address: str) -> int:
    """How many are let through."""
    for number in range(PER_MINUTE + 1):
        try:
            failures.failed(address)
        except TooMany:
            return number
    return PER_MINUTE + 1


def test_each_address_is_counted_for_itself_and_forgiven_with_time() -> None:
    clock = Clock()
    failures = Failures(seconds=clock)
    assert tries(failures, "192.0.2.1") == PER_MINUTE
    assert tries(failures, "192.0.2.1") == 0
    assert tries(failures, "192.0.2.2") == PER_MINUTE
    clock.now += 60 / PER_MINUTE
    assert tries(failures, "192.0.2.1") == 1
    clock.now += 60
    assert tries(failures, "192.0.2.1") == PER_MINUTE


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("", "", True),
    ],
)
def test_what_counts_as_one_address(one: str, other: str, *, same: bool) -> None:
    failures = Failures(seconds=Clock())
    tries(failures, one)
    assert tries(failures, other) == (0 if same else PER_MINUTE)


def test_very_many_addresses_take_no_more_room_and_who_keeps_trying_is_not_forgotten() -> None:
    failures = Failures(seconds=Clock())
    tries(failures, "192.0.2.1")
    for number in range(3 * ADDRESSES_MAX):
        failures.failed(f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
        if number % 1_000 == 0:
            assert tries(failures, "192.0.2.1") == 0
    assert len(failures._buckets) == ADDRESSES_MAX
