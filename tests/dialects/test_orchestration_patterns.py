"""Patterns of EVENT_WAIT."""

from __future__ import annotations

from dialects.words import compiled, told
from perdure.model.values import Json


def waits_for(pattern: str) -> dict[str, Json]:
    step = {"stepId": "it", "type": "EVENT_WAIT", "eventPattern": pattern, "timeout": 60_000}
    return {"name": "waits", "version": "1.0.0", "steps": [step]}


def test_a_pattern_is_as_long_as_that_of_a_trigger() -> None:
    assert compiled(waits_for("x" * 200)).problems == ()
    problem = told(waits_for("x" * 201))["/steps/0/eventPattern"]
    assert problem.type == "too_long"
    assert problem.message == "'eventPattern' has 201 characters; the limit is 200"


def test_the_source_of_a_computed_pattern_may_be_longer() -> None:
    assert compiled(waits_for("${ workflow.input." + "x" * 250 + " }")).problems == ()
