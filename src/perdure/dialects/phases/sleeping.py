"""Sleep: for so long, or until an instant."""

from __future__ import annotations

from typing import Final

from perdure.dialects.fields import Fields
from perdure.dialects.phases.checking import Check
from perdure.dialects.phases.document import StepDef
from perdure.errors import EvaluationError
from perdure.expressions.refs import Ref, refs_in
from perdure.expressions.times import moment
from perdure.model.steps import Timer
from perdure.model.values import Constant, Value

_LONG_AGO_MS: Final = 10 * 365 * 24 * 3_600_000
"""Whoever writes such a number for an instant means something else."""
_EXPECTED: Final = {"ms": "milliseconds, a duration like PT5M", "until": "an instant like 2026-11-15T10:00:00Z"}


def sleep(step: StepDef, check: Check) -> Timer:
    given = step.fields.within("sleep")
    given.faults.unknown_keys(given.given, _EXPECTED, given.path, step=step.fields.step)
    is_object = isinstance(step.fields.given["sleep"], dict)
    if is_object and not given.has("ms") and not given.has("until"):
        message = f"a sleep needs 'ms', for how long, or 'until', {_EXPECTED['until']}"
        given.faults.problem("missing_field", given.path, message, step=step.fields.step, field="sleep")
    return Timer(_time(given, "ms", check), _time(given, "until", check))


def _time(given: Fields, key: str, check: Check) -> Value | None:
    found = given.given.get(key)
    if found is None:
        return None
    if isinstance(found, str) and any(isinstance(part, Ref) for part in refs_in(found)):
        check.time(found, key)
        return check.place.value(found, given.at(key), key)
    try:
        moment(found, 0)
    except EvaluationError:
        given.wrong(key, _EXPECTED[key])
        return None
    if isinstance(found, int | float) and found < 0:
        given.wrong(key, "a number from 0 up")
    elif key == "until" and isinstance(found, int | float) and found < _LONG_AGO_MS:
        message = (
            "this is an instant long ago, in milliseconds since 1970: nothing is waited for; a delay is written as 'ms'"
        )
        given.warning("no_effect", key, message)
    return Constant(found)
