"""A client that waits, once it is closed: whoever asks is told so, and whoever still waits too."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from api.house import GREET
from client.serving import served
from perdure import Conflict, SyncClient

SECONDS_MAX = 20

ASKED: dict[str, Callable[[SyncClient, Any], Any]] = {
    "a verb": lambda client, _: client.workflows.list(),
    "a verb of an execution": lambda _, execution: execution.result(),
    "what happened": lambda _, execution: list(execution.watch()),
    "a stream": lambda client, _: next(client.stream()),
}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with served(tmp_path_factory.mktemp("server"), "--no-examples") as server:
        yield server.url


@pytest.mark.parametrize("asked", ASKED)
def test_who_asks_a_closed_client_is_told_that_it_is_closed(asked: str, url: str) -> None:
    with SyncClient(url) as client:
        client.workflows.save(GREET)
        execution = client.executions.start("greet", {"name": "Ada"})
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(Conflict, match=r"SyncClient\('http.*'\) is closed; .* make another"):
            ASKED[asked](client, execution)
        gc.collect()
    assert [each for each in warned if "never awaited" in str(each.message)] == []
    client.close()


def test_a_stream_that_had_begun_ends_with_its_client(url: str) -> None:
    with SyncClient(url) as client:
        heard = client.stream(after=0)
        next(heard)
    with pytest.raises(Conflict, match="is closed"):
        next(heard)


def test_who_waits_in_another_thread_is_told_when_the_client_is_closed(url: str) -> None:
    client, told = SyncClient(url), []
    listens = threading.Event()

    def listen() -> None:
        try:
            for _ in client.stream(after=0):
                listens.set()
        except Conflict as error:
            told.append(str(error))

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    assert listens.wait(SECONDS_MAX)
    client.close()
    thread.join(SECONDS_MAX)
    assert len(told) == 1
