"""What tasks say that they have spent, and how long to wait for them: nonsense in it harms nobody but themselves."""

from __future__ import annotations

from typing import Any

import pytest

from llm.words import ports, ran, step
from perdure import Engine, NonRetryable, Result, Retryable
from perdure.tasks import failure_of

NONSENSE = [{"tokens": -5}, {"tokens": "many"}, {"tokens": 1.5}, {"tokens": True}, {"tokens": 2**70}, "x", [1], {5: 5}]
NONSENSE += [{"\ud800": 1}, {"": 1}]
ONCE = ports(step("action", "spend", {}, type="spend"), tokenBudget=100)


class Odd(NonRetryable):
    category = "ODD"  # type: ignore[assignment]


@pytest.mark.parametrize("usage", NONSENSE)
def test_a_failure_with_a_usage_that_makes_no_sense_is_the_failure(url: str, usage: Any) -> None:
    def prepare(engine: Engine) -> None:
        @engine.task("spend")
        def spend(given: Any) -> None:
            raise NonRetryable("there is no more", usage=usage)

    came = ran(url, ONCE, None, prepare)
    assert (came.status, came.error.message) == ("failed", "there is no more")


@pytest.mark.parametrize("usage", NONSENSE)
def test_an_answer_with_a_usage_that_makes_no_sense_is_a_failure(url: str, usage: Any) -> None:
    def prepare(engine: Engine) -> None:
        @engine.task("spend")
        def spend(given: Any) -> Result:
            return Result(1, usage=usage)

    came = ran(url, ONCE, None, prepare)
    assert (came.status, came.code) == ("failed", "InvalidOutput")


@pytest.mark.parametrize(
    ("given", "kept"),
    [(1_500, 1_500), (1.2, 2), (-5, 0), ("soon", None), (True, None), (float("inf"), None), (float("nan"), None)],
)
def test_how_long_to_wait_is_whole_milliseconds_or_nothing(given: Any, kept: int | None) -> None:
    assert failure_of(Retryable("later", retry_after_ms=given)).retry_after_ms == kept


def test_a_category_or_code_that_nobody_knows_is_no_harm(url: str) -> None:
    def prepare(engine: Engine) -> None:
        @engine.task("spend")
        def spend(given: Any) -> None:
            raise Odd("odd", code=7)  # type: ignore[arg-type]

    came = ran(url, ONCE, None, prepare)
    assert (came.status, came.code, str(came.error.category)) == ("failed", "7", "UNKNOWN")
