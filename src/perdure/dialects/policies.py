"""Retries and times, in every spelling that semantics §0 accepts, for every dialect."""

from __future__ import annotations

from typing import Final

from perdure.dialects.fields import Fields
from perdure.errors import EvaluationError
from perdure.expressions.times import duration_ms
from perdure.model.steps import Retry
from perdure.model.values import Json

ATTEMPTS_DEFAULT: Final = 3
"""Of a policy that does not say how often."""

_TIME_MAX_MS: Final = 315_569_520_000_000
"""Ten thousand years, which is how long instants go on for."""

_DELAYS: Final = ("initialInterval", "backoffMs", "delay")
_KNOWN: Final = (
    "maxRetries",
    "maxAttempts",
    *_DELAYS,
    "maxInterval",
    "backoffMultiplier",
    "strategy",
    "retryableErrors",
    "nonRetryableErrors",
)


def retry_policy(given: Fields) -> Retry:
    """`maxRetries: n` is n + 1 attempts, `maxAttempts: n` is n."""
    given.faults.unknown_keys(given.given, _KNOWN, given.path, step=given.step)
    plain = Retry()
    delay_ms = next((time_ms(given, key, least=0) for key in _DELAYS if given.has(key)), None)
    delay_max_ms = time_ms(given, "maxInterval", least=0)
    return Retry(
        attempts_max=_attempts(given),
        delay_ms=plain.delay_ms if delay_ms is None else delay_ms,
        multiplier=_multiplier(given),
        delay_max_ms=plain.delay_max_ms if delay_max_ms is None else delay_max_ms,
        only=_names(given, "retryableErrors"),
        never=_names(given, "nonRetryableErrors"),
    )


def time_ms(given: Fields, key: str, *, least: int = 1) -> int | None:
    """A number of milliseconds, or a duration like PT5M."""
    found = given.given.get(key)
    if found is None:
        return None
    ms = _milliseconds(found)
    if ms is None or not least <= ms <= _TIME_MAX_MS:
        more = "more than 0 " if least else ""
        given.wrong(key, f"{more}milliseconds or a duration like PT5M")
        return None
    return ms


def _milliseconds(found: Json) -> int | None:
    if isinstance(found, str):
        try:
            return duration_ms(found)
        except EvaluationError:
            return None
    if isinstance(found, bool) or not isinstance(found, int | float):
        return None
    return int(found) if abs(found) <= _TIME_MAX_MS else None


def _attempts(given: Fields) -> int:
    retries, attempts = given.whole("maxRetries"), given.whole("maxAttempts", least=1)
    if given.has("maxRetries") and given.has("maxAttempts"):
        given.problem("contradiction", "maxRetries", "give 'maxRetries' or 'maxAttempts', not both")
    if attempts is not None:
        return attempts
    return ATTEMPTS_DEFAULT if retries is None else retries + 1


def _multiplier(given: Fields) -> float:
    strategy = given.choice("strategy", ("exponential", "fixed"), "exponential")
    found = given.given.get("backoffMultiplier")
    if found is None:
        return 1.0 if strategy == "fixed" else Retry().multiplier
    if isinstance(found, bool) or not isinstance(found, int | float) or found < 0:
        given.wrong("backoffMultiplier", "a number from 0 up")
        return Retry().multiplier
    return float(found)


def _names(given: Fields, key: str) -> tuple[str, ...]:
    names = given.array(key)
    if all(isinstance(name, str) for name in names):
        return tuple(names)
    given.wrong(key, "an array of texts: codes, categories or names of exceptions")
    return ()
