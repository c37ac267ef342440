"""What is an event, and what is not: all that is wrong is said at once."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.records import EventRecord
from perdure.service.arriving import LENGTH_MAX, Arriving

AT = 1_700_000_000_000
CLOUD = {"specversion": "1.0", "id": "e-1", "source": "/shop", "type": "order.paid"}


def read(given: Any) -> EventRecord:
    arriving = Arriving(given)
    found = arriving.record("fresh", "acme", AT)
    assert found is not None, arriving.problems
    return found


def refused(given: Any) -> dict[str, str]:
    """The messages by their paths."""
    arriving = Arriving(given)
    assert arriving.record("fresh", "acme", AT) is None
    return {problem.path: problem.message for problem in arriving.problems}


def test_a_plain_event_needs_a_type_and_nothing_else() -> None:
    assert read({"type": "order.paid"}) == EventRecord("fresh", "order.paid", AT, organization="acme")


def test_a_plain_event_says_what_it_likes() -> None:
    given = {
        "type": "order.paid",
        "payload": {"n": 1},
        "id": "e-1",
        "source": "shop",
        "correlationId": "c-1",
        "time": "2026-11-16T09:30:00Z",
        "metadata": {"tenant": "x"},
    }
    metadata = {"tenant": "x", "time": "2026-11-16T09:30:00Z"}
    assert read(given) == EventRecord(
        "e-1", "order.paid", AT, {"n": 1}, "shop", "acme", correlation_id="c-1", metadata=metadata
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"name": "user/made", "data": 7}, ("user/made", 7, None)),
        ({"type": "t", "data": [1]}, ("t", [1], None)),
        ({"type": "t", "correlation_id": "c"}, ("t", None, "c")),
        ({"type": "t", "metadata": {"correlationId": "c"}}, ("t", None, "c")),
    ],
)
def test_other_spellings_are_understood(given: Any, expected: tuple[Any, ...]) -> None:
    found = read(given)
    assert (found.type, found.data, found.correlation_id) == expected
    assert found.metadata is None


def test_a_cloud_event_keeps_its_attributes_as_metadata() -> None:
    more = {"subject": "order 17", "time": "2026-11-16T09:30:00+01:00", "datacontenttype": "application/json"}
    found = read({**CLOUD, **more, "data": {"n": 1}, "correlationid": "c-1", "tenant": "x"})
    assert found == EventRecord(
        "e-1", "order.paid", AT, {"n": 1}, "/shop", "acme", correlation_id="c-1", metadata={**more, "tenant": "x"}
    )


def test_bytes_stay_as_they_were_sent() -> None:
    assert read({**CLOUD, "data_base64": "AAEC"}).data == "AAEC"


@pytest.mark.parametrize(
    ("given", "path", "says"),
    [
        (7, "", 'an event is an object, as in {"type": "order.paid", "payload": {}}, not a number'),
        ({}, "/type", "type is missing; give it a text"),
        ({"type": ""}, "/type", "type is empty; give it a text"),
        ({"type": 7}, "/type", "type is a text, not a number"),
        ({"type": "order.*"}, "/type", "'order.*' is a pattern; an event has one type, as order.paid"),
        ({"type": "workflow.completed"}, "/type", "what executions tell of themselves"),
        ({"type": "t" * (LENGTH_MAX + 1)}, "/type", f"type has at most {LENGTH_MAX} characters"),
        ({"type": "a\0b"}, "/type", "characters that can be shown"),
        ({"type": "t", "id": "\ud800"}, "/id", "characters that can be shown"),
        ({"type": "t", "paylod": 1}, "/paylod", "an event has no 'paylod'; did you mean 'payload'?"),
        ({"type": "t", "zzz": 1}, "/zzz", "what it brings goes into payload"),
        ({"type": "t", "payload": 1, "data": 1}, "/data", "payload and data mean the same; send one of them"),
        ({"type": "t", "metadata": 1}, "/metadata", "metadata is an object, not a number"),
        ({"type": "t", "time": "noon"}, "/time", "time is an instant, as 2026-11-16T09:30:00Z"),
        ({"type": "t", "time": 7}, "/time", "time is an instant"),
        ({**CLOUD, "specversion": "0.3"}, "/specversion", "this is CloudEvents '0.3'; send version 1.0"),
        ({**CLOUD, "Ext": 1}, "/Ext", "small letters and digits only"),
        ({**CLOUD, "data": 1, "data_base64": "AA=="}, "/data", "an event has data or data_base64, not both"),
        ({**CLOUD, "data_base64": "%"}, "/data_base64", "it is not base64"),
        ({**CLOUD, "data_base64": 7}, "/data_base64", "data_base64 is a text, not a number"),
        ({"type": "t", "payload": {"a": object()}}, "/payload", ""),
        ({"type": "t", "payload": float("nan")}, "/payload", "payload is a number that JSON has no word for"),
        ({"type": "t", "payload": {"a": [None, float("inf")]}}, "/payload", "payload/a/1 is a number that JSON has no"),
        ({"type": "t", "metadata": {"n": 10**400}}, "/metadata", "metadata/n is a number"),
        ({**CLOUD, "data": [float("-inf")] * 3}, "/data", "data/0 is a number"),
        ({"type": "a b"}, "/type", "'a b' has a blank; its words are joined by dots, as in order.paid"),
        ({"type": "foo..bar"}, "/type", "'foo..bar' has an empty word"),
        ({"type": ".foo"}, "/type", "'.foo' has an empty word"),
        ({**CLOUD, "type": "foo."}, "/type", "'foo.' has an empty word"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(given: Any, path: str, says: str) -> None:
    problems = refused(given)
    assert list(problems) == [path]
    assert says in problems[path]


def test_a_cloud_event_needs_an_id_a_source_and_a_type_and_all_of_it_is_said() -> None:
    assert set(refused({"specversion": "1.0"})) == {"/id", "/source", "/type"}
