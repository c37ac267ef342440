"""`perdure events`: sent, listed, and whom one of them woke."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.typing import Ended, here, written

TRIGGERED = {
    "name": "on paid",
    "nodes": [
        {"id": "t", "type": "EVENT_TRIGGER", "data": {"eventPattern": "order.paid"}},
        {"id": "s", "type": "SET", "data": {"values": {"seen": "{{orderId}}"}}},
    ],
    "connections": [{"fromNodeId": "t", "toNodeId": "s"}],
}


class Desk:
    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.database = f"sqlite:///{folder / 'flows.db'}"
        path = written(folder, "triggered.json", TRIGGERED)
        assert here(capsys, "workflows", "save", path, "--db", self.database).status == 0

    def type(self, *typed: str) -> Ended:
        return here(self.capsys, "events", *typed, "--db", self.database)

    def work(self) -> None:
        assert here(self.capsys, "worker", "--until-idle", "--db", self.database).status == 0


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def test_an_event_that_is_sent_starts_what_waits_for_it_and_that_is_shown(desk: Desk) -> None:
    sent = desk.type("send", "order.paid", "--payload", '{"orderId": 17}', "--id", "e-1", "--source", "shop", "--json")
    assert (sent.status, sent.object) == (0, {"id": "e-1", "created": True})
    before = desk.type("show", "e-1").out
    assert "it is not routed yet" in before
    desk.work()
    told = desk.type("show", "e-1", "--json").object
    assert (told["id"], told["type"], told["source"], told["payload"]) == ("e-1", "order.paid", "shop", {"orderId": 17})
    assert (told["routed"], [one["how"] for one in told["woke"]]) == (True, ["started"])
    shown = desk.type("show", "e-1").out
    assert "was started by it" in shown
    assert '{"orderId":17}' in shown
    execution = told["woke"][0]["execution"]
    output = here(desk.capsys, "executions", "show", execution, "--json", "--db", desk.database).object["output"]
    assert output["seen"] == 17


def test_the_same_id_twice_is_one_event(desk: Desk) -> None:
    desk.type("send", "order.paid", "--id", "e-1")
    again = desk.type("send", "order.paid", "--id", "e-1")
    assert again.out.startswith("e-1 was there already, and is not sent again\n")
    assert desk.type("send", "order.paid", "--id", "e-1", "--json").object == {"id": "e-1", "created": False}


def test_a_cloud_event_may_come_from_a_file_or_as_it_is(desk: Desk) -> None:
    event = {"specversion": "1.0", "id": "c-1", "source": "/shop", "type": "order.sent", "data": {"n": 1}}
    path = written(desk.folder, "event.json", event)
    assert desk.type("send", f"@{path}", "--json").object == {"id": "c-1", "created": True}
    both = json.dumps([{**event, "id": "c-2"}, {"type": "order.lost", "id": "c-3"}])
    told = desk.type("send", both, "--json").object
    assert told == {"items": [{"id": "c-2", "created": True}, {"id": "c-3", "created": True}]}


def test_what_is_no_event_is_refused_with_all_that_is_wrong(desk: Desk) -> None:
    refused = desk.type("send", '{"type": "order.*", "paylod": 1}', "--json")
    assert refused.status == 2
    assert [(problem["type"], problem["path"]) for problem in refused.object["problems"]] == [
        *(("invalid_event", "/paylod"), ("invalid_event", "/type")),
    ]
    told = desk.type("send", "order.paid", "--payload", "{")
    assert told.status == 2
    assert "--payload" in told.err


def test_events_are_listed_the_newest_first(desk: Desk) -> None:
    for number in range(3):
        desk.type("send", f"order.{('paid', 'sent')[number % 2]}", "--id", f"e-{number}")
    told = desk.type("list", "--json").object
    assert [item["id"] for item in told["items"]] == ["e-2", "e-1", "e-0"]
    some = desk.type("list", "--type", "order.paid", "--limit", "1").out
    assert "e-2" in some
    assert "there are more: --cursor" in some
    assert desk.type("list", "--type", "nothing").out == "there are no such events\n"


def test_one_that_is_not_there_is_not_found(desk: Desk) -> None:
    told = desk.type("show", "nobody")
    assert told.status == 2
    assert "there is no event 'nobody' in organization 'default'; it may have been forgotten by now" in told.err


def test_one_that_concerns_nobody_is_told_so(desk: Desk) -> None:
    desk.type("send", "nothing.at.all", "--id", "e-9")
    assert "it concerned nobody" in desk.type("show", "e-9").out


@pytest.mark.parametrize("event", ['{"type": "a.b"}', "[]", "@event.json"])
def test_what_cannot_be_said_of_an_event_in_json_is_refused(desk: Desk, event: str) -> None:
    told = desk.type("send", event, "--id", "4", "--payload", "{}")
    assert told.status == 2
    assert "--payload and --id can only be said of an event by its type" in told.err
    assert desk.type("list").out == "there are no events\n"


def test_what_is_sent_under_the_id_of_something_else_is_told_so(desk: Desk) -> None:
    desk.type("send", "order.paid", "--id", "e-1")
    other = ("send", "order.paid", "--id", "e-1", "--payload", "2")
    assert desk.type(*other).out.startswith("e-1 was there already, and says something else; what was sent now is not")
    assert desk.type(*other, "--json").object == {"id": "e-1", "created": False, "differs": True}


def test_json_that_cannot_be_read_is_told_how_an_event_is_written(desk: Desk) -> None:
    told = desk.type("send", '{"type": ')
    assert told.status == 2
    assert """pass JSON, as in '{"type": "order.paid"}', or @FILE""" in told.err
    assert "the event {" not in told.err


def test_whether_a_worker_is_still_needed_is_told_as_it_is(desk: Desk) -> None:
    needed = desk.type("send", "order.paid", "--id", "e-1").out
    assert "a worker takes it to whom it concerns" in needed
    desk.work()
    again = desk.type("send", "order.paid", "--id", "e-1").out
    assert "a worker takes it" not in again
    assert "it has been taken to whom it concerns" in again
    for elsewhere in (("order.lost",), ("order.paid", "--organization", "typo")):
        assert "so far nobody is known to wait for it or to be started by it" in desk.type("send", *elsewhere).out
