"""Retry, timeout and settings."""

from __future__ import annotations

import pytest

from dialects.words import KNOWN, alone, graph, model, node, run, told, warned, work_of
from lowered.checks import facts, warnings
from perdure.core import facts as f
from perdure.model.catalog import Catalog
from perdure.model.failure import Failure
from perdure.model.steps import Retry
from perdure.model.values import Json
from perdure.testing.script import Fixed, TaskAnswer

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"maxRetries": 2}, Retry(3)),
        ({"maxRetries": 0}, Retry(1)),
        ({"maxAttempts": 5, "backoffMs": 100}, Retry(5, 100)),
        ({"maxRetries": 1, "backoffMs": "PT2S"}, Retry(2, 2_000)),
        ({"maxAttempts": 2, "delay": 50, "strategy": "fixed"}, Retry(2, 50, 1.0)),
        ({"maxAttempts": 2, "delay": 50, "strategy": "exponential"}, Retry(2, 50, 2.0)),
        (
            {
                "maxAttempts": 4,
                "initialInterval": "PT1S",
                "maxInterval": "PT1M",
                "backoffMultiplier": 3,
                "retryableErrors": ["TIMEOUT"],
                "nonRetryableErrors": ["BUSINESS"],
            },
            Retry(4, 1_000, 3.0, 60_000, only=("TIMEOUT",), never=("BUSINESS",)),
        ),
        ({}, Retry(3)),
    ],
)
def test_a_retry_policy_in_every_spelling_and_place(policy: Json, expected: Retry) -> None:
    for key in ("retry", "retryPolicy"):
        assert work_of(alone("WORK", {}, **{key: policy})).retry == expected
        assert work_of(alone("WORK", {key: policy})).retry == expected
        assert work_of({**alone("WORK"), "settings": {key: policy}}).retry == expected
    http = {"variableName": "r", "endpoint": "https://x", "retry": policy}
    assert work_of(alone("HTTP_REQUEST", http)).retry == expected


def test_what_stands_beside_the_data_goes_before_and_a_node_before_the_settings() -> None:
    beside, inside = {"maxAttempts": 2}, {"maxAttempts": 3}
    assert work_of(alone("WORK", {"retry": inside}, retry=beside)).retry.attempts_max == 2
    settings = {"retry": {"maxAttempts": 9}}
    assert work_of({**alone("WORK", {"retry": inside}), "settings": settings}).retry.attempts_max == 3
    assert work_of(alone("WORK")).retry == Retry()


@pytest.mark.parametrize(
    ("policy", "path", "words"),
    [
        ({"maxAttempts": 0}, "/maxAttempts", "from 1 up"),
        ({"maxRetries": -1}, "/maxRetries", "from 0 up"),
        ({"maxRetries": 1, "maxAttempts": 1}, "/maxRetries", "not both"),
        ({"backoffMs": "fast"}, "/backoffMs", "PT5M"),
        ({"backoffMs": True}, "/backoffMs", "PT5M"),
        ({"delay": 1e300}, "/delay", "milliseconds"),
        ({"strategy": "random"}, "/strategy", "exponential, fixed"),
        ({"backoffMultiplier": "2"}, "/backoffMultiplier", "a number"),
        ({"retryableErrors": "TIMEOUT"}, "/retryableErrors", "an array"),
        ({"retryableErrors": [1]}, "/retryableErrors", "an array of texts"),
        (3, "", "an object"),
    ],
)
def test_a_policy_that_is_none_is_a_problem_beside_the_data_and_a_warning_in_it(
    policy: Json, path: str, words: str
) -> None:
    problem = told(alone("WORK", {}, retry=policy))[f"/nodes/1/retry{path}"]
    assert words in problem.message, problem.message
    warning = warned(alone("WORK", {"retry": policy}))["ignored_policy"]
    assert warning.path == "/nodes/1/data/retry"
    assert words in warning.message


def test_a_key_that_no_policy_has_is_warned_of() -> None:
    assert "did you mean 'maxAttempts'?" in warned(alone("WORK", {}, retry={"maxAttempt": 2}))["unknown_key"].message


@pytest.mark.parametrize(("timeout", "ms"), [(500, 500), ("PT2S", 2_000), (1.5, 1)])
def test_a_timeout_beside_the_data_or_in_it(timeout: Json, ms: int) -> None:
    assert work_of(alone("WORK", {}, timeout=timeout)).timeout_ms == ms
    assert work_of(alone("WORK", {"timeout": timeout})).timeout_ms == ms


def test_a_timeout_that_is_none() -> None:
    assert "more than 0" in told(alone("WORK", {}, timeout=0))["/nodes/1/timeout"].message
    assert "left to the executor" in warned(alone("WORK", {"timeout": "30 seconds"}))["ignored_policy"].message


def test_a_failing_executor_is_tried_again_by_its_policy() -> None:
    script = Fixed(
        {
            "it": [
                TaskAnswer(error=Failure("not yet")),
                TaskAnswer(output={"set": {"done": True}, "unset": [], "wait": 0, "until": 0}),
            ]
        }
    )
    world = run(alone("WORK", {}, retry={"maxAttempts": 2, "delay": 1_000}), {}, script)
    assert world.store.rows["main"].record.output == {"done": True}
    assert len(facts(world, f.StepRetrying)) == 1


def test_the_settings_reach_the_model() -> None:
    made = model(graph(settings={"maxNodes": 7, "maxDepth": 1, "timeout": "PT1H", "sequential": True}))
    assert (made.steps_max, made.depth_max, made.deadline_ms) == (7, 1, HOUR)
    assert (made.variables, made.parallel_max) == ("shared", 1)
    plain = model(graph())
    assert (plain.steps_max, plain.depth_max, plain.deadline_ms) == (50, 3, None)
    assert (plain.variables, plain.parallel_max, plain.on_failure) == ("flowing", None, "drain")


def test_two_writers_of_one_key_leave_a_warning_and_the_later_is_kept() -> None:
    document = graph(
        node("a", "SET", {"values": {"x": 1}}), node("b", "SET", {"values": {"x": 2}}), node("m", "MERGE"),
        "start > a b", "a > m", "b > m",
    )  # fmt: skip
    world = run(document, {})
    assert world.store.rows["main"].record.output == {"x": 2}
    assert len(warnings(world)) == 1


def test_the_catalog_of_these_tests_is_not_what_a_document_depends_on() -> None:
    assert model(alone("WORK")) == model(alone("WORK"), catalog=Catalog()) == model(alone("WORK"), catalog=KNOWN)
