"""WAIT and WAIT_UNTIL, compiled and run."""

from __future__ import annotations

import pytest

from dialects.words import alone, failure, graph, node, run, told
from lowered.base import T0
from lowered.graph.words import Nodes, breaks, sets, waited
from perdure.model.values import Json

HOUR = 3_600_000


@pytest.mark.parametrize(
    ("data", "ms"),
    [
        ({"amount": 2, "unit": "seconds"}, 2_000),
        ({"amount": 1.5, "unit": "minutes"}, 90_000),
        ({"amount": 3, "unit": "hours"}, 3 * HOUR),
        ({"amount": 1, "unit": "day"}, 24 * HOUR),
        ({"amount": 2}, 2 * HOUR),
        ({"unit": "minutes"}, 60_000),
        ({}, HOUR),
        ({"amount": "3", "unit": "seconds"}, 3_000),
        ({"amount": "PT5M"}, 300_000),
        ({"amount": "{{n}}", "unit": "minutes"}, 120_000),
        ({"amount": "{{n * 2}}", "unit": "seconds"}, 4_000),
        ({"amount": "{{text}}", "unit": "seconds"}, 30_000),
        ({"amount": "{{duration}}"}, 90_000),
        ({"amount": 0}, 0),
        ({"amount": -5}, 0),
    ],
)
def test_a_wait_is_as_long_as_it_says(data: Json, ms: int) -> None:
    world = run(
        graph(
            node("it", "WAIT", data), node("after", "SET", {"values": {"at": "{{nowMs}}"}}), "start > it", "it > after"
        ),
        {"n": 2, "text": "30", "duration": "PT1M30S"},
    )
    assert world.store.rows["main"].record.output["at"] == T0 + ms


@pytest.mark.parametrize(
    ("timestamp", "ms"),
    [
        ("1970-01-01T01:00:00Z", HOUR - T0),
        ("{{due}}", HOUR - T0),
        ("{{dueMs}}", 5_000),
        ("{{now + 60000}}", 60_000),
        ("PT2H", 2 * HOUR),
        ("1970-01-01T00:00:00Z", 0),
        (1, 0),
        (T0 + 7, 7),
    ],
)
def test_a_wait_until_ends_at_its_instant_and_the_past_is_no_wait(timestamp: Json, ms: int) -> None:
    data = {"timestamp": timestamp}
    world = run(
        graph(
            node("it", "WAIT_UNTIL", data), node("x", "SET", {"values": {"at": "{{nowMs}}"}}), "start > it", "it > x"
        ),
        {"due": "1970-01-01T01:00:00.000Z", "dueMs": T0 + 5_000},
    )
    assert world.store.rows["main"].record.output["at"] == T0 + ms


@pytest.mark.parametrize(
    ("type_", "data"),
    [
        ("WAIT", {"amount": "{{missing}}"}),
        ("WAIT", {"amount": "{{word}}"}),
        ("WAIT_UNTIL", {"timestamp": "{{missing}}"}),
        ("WAIT_UNTIL", {"timestamp": "{{word}}"}),
    ],
)
def test_a_wait_for_what_is_no_time_fails_instead_of_going_on(type_: str, data: Json) -> None:
    assert "step 'it'" in failure(alone(type_, data), {"word": "soon"})


@pytest.mark.parametrize(
    ("type_", "data", "given"),
    [
        ("WAIT", {"amount": "{{n}}"}, 1e308),
        ("WAIT", {"amount": "{{n}}"}, -1e308),
        ("WAIT", {"amount": "{{n * 10}}", "unit": "seconds"}, 1e307),
        ("WAIT", {"amount": "{{n}}"}, "1e308"),
        ("WAIT", {"amount": "{{1 / n}}"}, 0),
        ("WAIT", {"amount": "{{n}}"}, 1e30),
        ("WAIT_UNTIL", {"timestamp": "{{n * n}}"}, 1e200),
        ("WAIT_UNTIL", {"timestamp": "{{0 / n}}"}, 0),
        ("WAIT_UNTIL", {"timestamp": "{{nowMs + n}}"}, 1e18),
        ("WAIT_UNTIL", {"timestamp": "{{now + n}}"}, 1e308),
    ],
)
def test_a_computed_wait_that_overflows_fails_instead_of_going_on(type_: str, data: Json, given: Json) -> None:
    assert "step 'it'" in failure(alone(type_, data), {"n": given})


@pytest.mark.parametrize(
    ("type_", "data", "given", "shown"),
    [
        ("WAIT", {"amount": "{{n}}", "unit": "days"}, 1e305, "'amount 1e+305 (days)' is neither"),
        ("WAIT", {"amount": "{{n}}"}, "1e308", "'amount 1e308 (hours)' is neither"),
        ("WAIT", {"amount": "{{-n * 10}}"}, 1e308, "'amount -Infinity' is neither"),
        ("WAIT", {"amount": "{{n|number}}"}, "1e999", "'amount Infinity' is neither"),
        ("WAIT", {"amount": "{{missing}}"}, 0, "'amount undefined' is neither"),
        ("WAIT_UNTIL", {"timestamp": "{{1 / n}}"}, 0, "'timestamp Infinity' is neither"),
        ("WAIT_UNTIL", {"timestamp": "{{missing}}"}, 0, "'timestamp undefined' is neither"),
    ],
)
def test_the_message_names_the_field_and_its_value(type_: str, data: Json, given: Json, shown: str) -> None:
    assert shown in failure(alone(type_, data), {"n": given})


@pytest.mark.parametrize(
    ("given", "what"),
    [([], "an array"), ([5], "an array"), (True, "a boolean"), (False, "a boolean"), ("", "''"), (" ", "' '")],
)
def test_what_only_javascript_takes_for_a_number_is_no_time_to_wait(given: Json, what: str) -> None:
    said = f"{what} is neither"
    assert said in failure(alone("WAIT", {"amount": "{{given}}"}), {"given": given})
    assert said in told(alone("WAIT", {"amount": given}))["/nodes/1/data/amount"].message


def test_a_label_is_what_it_waits_for() -> None:
    document = alone("WAIT", {"amount": 1, "label": "rest for {{name}}"})
    record = run(document, {"name": "Ann"}, until=HOUR // 2).store.rows["main"].record
    assert record.waiting is not None
    assert (record.status, record.waiting.step, record.waiting.on) == ("waiting", "it", "rest for Ann")
    assert record.waiting.until == T0 + HOUR


def test_a_wait_in_one_branch_does_not_hold_up_the_others_nor_a_failure() -> None:
    document = graph(
        node("long", "WAIT", {"amount": 9, "unit": "days"}), node("bad"), node("next"), "start > long bad", "bad > next"
    )
    world = run(document, {}, Nodes({"next": sets(n=1)}))
    waited((1, "timer long"))(world)
    assert world.store.rows["main"].record.output == {"n": 1}
    failed = run(document, {}, Nodes({"bad": breaks("boom")})).store.rows["main"].record
    assert (failed.status, failed.ended_at) == ("failed", T0 + 10)


@pytest.mark.parametrize(
    "data", [{"amount": 1, "label": "{{n.toUpperCase()}}"}, {"amount": 253_402_300_799, "unit": "seconds"}]
)
def test_a_wait_that_fails_leads_by_its_output_error(data: Json) -> None:
    handler = node("handler", "SET", {"values": {"failed": "{{error.nodeId}}"}})
    document = graph(node("it", "WAIT", data), handler, "start > it", "it.error > handler")
    world = run(document, {"n": 1})
    assert world.store.rows["main"].record.output["failed"] == "it"
