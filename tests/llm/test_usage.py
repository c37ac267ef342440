"""What tasks say that they have spent, and how long to wait for them: nonsense in it harms nobody but themselves."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from immutables import Map

from llm.conftest import Spoken
from llm.model import Call, Says
from llm.tooling import Tools
from llm.words import asking, ports, ran, step
from perdure import Engine, NonRetryable, Result, Retryable
from perdure.core.folding.basics import plus
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


MOST = 2**53 - 1


def test_an_answer_whose_token_counts_add_up_to_too_much_is_not_lost(url: str, spoken: Spoken) -> None:
    """It is paid for. The sum stays at the most that a usage can say."""
    spoken(
        Says(
            calls=[Call("add", {"a": 1})], usage={"prompt_tokens": MOST, "completion_tokens": 1, "total_tokens": MOST}
        ),
        Says("Done.", usage={"prompt_tokens": MOST, "completion_tokens": MOST, "total_tokens": 5}),
    )
    came = ran(url, ports(asking(tools=["add"])), None, Tools())
    assert (came.status, came.data()) == ("completed", "Done.")
    assert came.llm()["usage"] == {"promptTokens": MOST, "completionTokens": MOST, "totalTokens": MOST}


def test_what_thousands_of_calls_have_spent_stays_a_number_that_can_be_stored() -> None:
    spent: Map[str, int] = Map()
    for _ in range(5_000):
        spent = plus(spent, (("tokens", MOST),))
    assert spent["tokens"] == 2**63 - 1
    assert msgspec.json.decode(msgspec.json.encode(dict(spent))) == dict(spent)
