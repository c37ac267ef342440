"""A client has the verbs of an engine: the same names, taking the same, and answering with the same."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from perdure import Client, Engine
from perdure.client.execution import Execution as RemoteExecution
from perdure.service.execution import Execution

SAID_BY_THE_KEY = {"organization", "actor", "by"}
PARTS = (
    "workflows",
    "executions",
    "bulk",
    "approvals",
    "events",
    "triggers",
    "schedules",
    "webhooks",
    "connections",
    "secrets",
    "notifiers",
    "members",
    "keys",
    "sessions",
    "audit",
)
OF_THE_ENGINE_ALONE = {
    "workflows.validate",  # without asking anybody: `check` asks the server
    "workflows.tools",
    "workflows.offers",  # to agents, by MCP
    "triggers.note",  # by whoever takes in what comes from outside
    "webhooks.look",  # before a request is read
    "webhooks.signed",  # with the secret, which stays there
    "secrets.rotate",  # of all organizations, with keys of the environment
    "secrets.encrypt",
    "secrets.keys",
    "secrets.to_sign_with",
    "keys.caller",
    "sessions.sign_in",  # by a browser
    "sessions.sign_in_member",
    "sessions.sign_out",
    "sessions.caller",
    "keys.caller_by_hash",
    "keys.exist",
    "keys.look_again",  # by the engine, when members change
    "sessions.look_again",
}
LEFT_OUT: dict[str, set[str]] = {
    "workflows.check": {"alone"},
    "executions.start": {"differs", "note", "limits"},
    "execution.rerun": {"limits"},
    "execution.fork": {"limits"},
    "bulk.perform": {"limits"},
    "events.send": {"incoming"},
    "events.send_all": {"incoming"},
    "schedules.next": {"after"},
    "webhooks.receive": {"request_id", "at"},
}
"""What only whoever has the engine can say."""


def verbs(part: Any) -> dict[str, set[str]]:
    """By name, what each of them takes."""
    found = {}
    for name, verb in inspect.getmembers(part, inspect.isroutine):
        if not name.startswith("_"):
            found[name] = set(inspect.signature(verb).parameters) - SAID_BY_THE_KEY - {"self"}
    return found


@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_client_has_the_verbs_of_that_part_of_an_engine(part: str) -> None:
    here, there = verbs(getattr(Engine(), part)), verbs(getattr(Client("http://127.0.0.1:1"), part))
    wanted = {name: takes for name, takes in here.items() if f"{part}.{name}" not in OF_THE_ENGINE_ALONE}
    assert set(there) == set(wanted)
    for name, takes in wanted.items():
        left_out = LEFT_OUT.get(f"{part}.{name}", set())
        assert there[name] == takes - left_out, f"{part}.{name}"
        assert left_out <= takes, f"{part}.{name}"


def test_an_execution_at_a_server_is_asked_and_told_as_one_of_an_engine() -> None:
    here, there = verbs(Execution), verbs(RemoteExecution)
    assert there == {name: takes - LEFT_OUT.get(f"execution.{name}", set()) for name, takes in here.items()}


def test_a_key_is_nowhere_to_be_read() -> None:
    client = Client("http://127.0.0.1:1", "prd_sesame", deadline_seconds=0.1)
    assert repr(client) == "Client('http://127.0.0.1:1')"
    shown = [repr(each) for each in (client.executions, client._channel, vars(client))]
    assert not [each for each in shown if "sesame" in each]
