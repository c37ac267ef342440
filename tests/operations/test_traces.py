"""One execution is one trace, by whichever processes it is carried on: as a collector sees it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2
import pytest

from operations.collector import Told, collecting
from operations.processes import running
from perdure.hosts.tracing.ids import Place, read, span_id, trace_id

CLIENT = 3
PARENT = Place(0x0AF7651916CD43DD8448EB211C80319C, 0xB7AD6B7169203331)
CANARY = "canary-7d1f"


class Other:
    """Somebody who is called; by which headers."""

    def __init__(self) -> None:
        self.headers: list[dict[str, str]] = []
        self.url = ""


@contextmanager
def other() -> Iterator[Other]:
    found = Other()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            found.headers.append({name.lower(): value for name, value in self.headers.items()})
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        found.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def document(url: str) -> dict[str, Any]:
    """Something set on the spot, a call, and a task that may last."""
    return {
        "name": "traced",
        "nodes": [
            {"id": "start", "type": "MANUAL_TRIGGER"},
            {"id": "made", "type": "SET", "data": {"values": {"x": CANARY}}},
            {
                "id": "call",
                "type": "HTTP_REQUEST",
                "data": {
                    "variableName": "said",
                    "method": "POST",
                    "endpoint": f"{url}/{CANARY}?q={CANARY}",
                    "body": f'{{"a": "{CANARY}"}}',
                },
            },
            {"id": "last", "type": "LAST", "data": {"x": CANARY}},
        ],
        "connections": [
            {"fromNodeId": "start", "toNodeId": "made"},
            {"fromNodeId": "made", "toNodeId": "call"},
            {"fromNodeId": "call", "toNodeId": "last"},
        ],
    }


LAST = """
import asyncio, pathlib
from perdure import node

@node("LAST")
async def last(params):
    if not pathlib.Path("go").exists():
        pathlib.Path("begun").touch()
        await asyncio.sleep(600)
    return {}
"""


def settings(there: Other, otel: dict[str, str]) -> dict[str, str]:
    return {**otel, "PERDURE_ALLOW_ADDRESSES": there.url.removeprefix("http://")}


def serve(folder: Path) -> tuple[str, ...]:
    (folder / "tasks.py").write_text(LAST)
    typed = ("dev", "--port", "0", "--no-examples", "--tasks", "tasks.py")
    return (*typed, "--db", f"sqlite:///{folder}/flows.db")


def started(url: str, given: dict[str, Any], **headers: str) -> str:
    with httpx2.Client(base_url=url, trust_env=False, timeout=30) as client:
        saved = client.post("/api/workflows", json=given)
        assert saved.status_code == 201, saved.text
        answer = client.post("/api/executions", json={"name": given["name"], "input": {"s": CANARY}}, headers=headers)
        assert answer.status_code == 201, answer.text
        found: str = answer.json()["id"]
        return found


def ended(url: str, execution: str) -> str:
    with httpx2.Client(base_url=url, trust_env=False, timeout=60) as client:
        status: str = client.get(f"/api/executions/{execution}?wait=30").json()["status"]
        return status


def below(found: dict[str, Told], execution: str) -> None:
    """The parts are where they belong."""
    whole = found["execution traced"]
    assert {each.trace for each in found.values()} == {whole.trace}
    assert whole.span == f"{span_id(execution):016x}"
    for name in ("start", "made", "call", "last"):
        assert found[f"step {name}"].parent == whole.span
    assert found["attempt call"].parent == found["step call"].span
    assert found["POST"].parent == found["attempt call"].span
    for each in found.values():
        assert whole.begun_at <= each.begun_at <= each.ended_at
        assert each.attributes["perdure.execution.id"] == execution


NAMES = (
    *("execution traced", "step start", "step made", "step call", "attempt call", "POST"),
    *("step last", "attempt last"),
)


def test_an_execution_is_a_trace_with_its_steps_attempts_and_calls(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with other() as there, collecting() as (collector, otel):
        with running(tmp_path, *serve(tmp_path), **settings(there, otel)) as server:
            execution = started(server.url(), document(there.url))
            assert ended(server.url(), execution) == "completed"
            server.end()
        found = collector.named(*NAMES)
        below(found, execution)
        whole = found["execution traced"]
        assert (whole.trace, whole.parent) == (f"{trace_id(execution):032x}", "")
        assert whole.service == "perdure"
        assert whole.attributes["perdure.status"] == "completed"
        assert found["POST"].kind == CLIENT
        assert found["POST"].attributes["http.response.status_code"] == 200
        (headers,) = there.headers
        assert headers["traceparent"] == f"00-{whole.trace}-{found['POST'].span}-01"
        assert CANARY.encode() not in collector.raw, "nothing that anybody gave"


def test_a_process_that_is_killed_and_one_that_goes_on_tell_one_trace(tmp_path: Path) -> None:
    with other() as there, collecting() as (collector, otel):
        given = settings(there, otel)
        with running(tmp_path, *serve(tmp_path), **given) as first:
            execution = started(first.url(), document(there.url))
            collector.named("step made", "step call", "attempt call", "POST")
            _exists(tmp_path / "begun", first)
            first.end(signal.SIGKILL)
        (tmp_path / "go").touch()
        with running(tmp_path, *serve(tmp_path), **given) as second:
            assert ended(second.url(), execution) == "completed"
            second.end()
        names = {each.name for each in collector.spans}
        assert names == set(NAMES)
        attempts = [each for each in collector.spans if each.name == "attempt last"]
        assert sorted((each.attributes["perdure.attempt"], each.attributes["perdure.status"]) for each in attempts) == [
            (1, "lost"),
            (2, "completed"),
        ]
        found = {each.name: each for each in collector.spans}
        below(found, execution)
        assert {each.parent for each in attempts} == {found["step last"].span}
        assert len(there.headers) == 1, "what was done is not done again"


def _exists(path: Path, process: Any) -> None:
    """The task has begun: it says so by a file, as it says nothing else."""
    waiting = threading.Event()
    for _ in range(3_000):
        if path.exists():
            return
        waiting.wait(0.01)
    raise AssertionError(process.err)


def test_whoever_starts_it_within_a_trace_has_it_there(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with other() as there, collecting() as (collector, otel):
        with running(tmp_path, *serve(tmp_path), **settings(there, otel)) as server:
            execution = started(server.url(), document(there.url), traceparent=PARENT.traceparent)
            assert ended(server.url(), execution) == "completed"
            server.end()
        found = collector.named(*NAMES)
        below(found, execution)
        assert found["execution traced"].trace == f"{PARENT.trace:032x}"
        assert found["execution traced"].parent == f"{PARENT.span:016x}"


def test_an_event_within_a_trace_starts_an_execution_there(tmp_path: Path) -> None:
    flow = {
        "name": "woken",
        "nodes": [{"id": "start", "type": "EVENT_TRIGGER", "data": {"eventPattern": "order.paid"}}],
        "connections": [],
    }
    with other() as there, collecting() as (collector, otel):
        with running(tmp_path, *serve(tmp_path), **settings(there, otel)) as server:
            with httpx2.Client(base_url=server.url(), trust_env=False, timeout=30) as client:
                answer = client.post("/api/workflows", json=flow)
                assert answer.status_code == 201, answer.text
                for n, headers in enumerate(({"traceparent": PARENT.traceparent}, {"traceparent": "nonsense"})):
                    sent = client.post("/api/events", json={"type": "order.paid", "id": f"e{n}"}, headers=headers)
                    assert sent.status_code == 202, sent.text
                other_trace = Place(PARENT.trace + 1, PARENT.span).traceparent
                again = client.post(
                    "/api/events", json={"type": "order.paid", "id": "e0"}, headers={"traceparent": other_trace}
                )
                assert not again.json()["items" if "items" in again.json() else "events"][0].get("differs")
            collector.until(lambda spans: len([each for each in spans if each.name == "execution woken"]) == 2)
            server.end()
        parents = sorted(each.parent for each in collector.spans if each.name == "execution woken")
        assert parents == ["", f"{PARENT.span:016x}"]


def test_what_is_not_sampled_is_not_told_and_says_so_to_whoever_is_called(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with other() as there, collecting() as (collector, otel):
        unsampled = Place(PARENT.trace, PARENT.span, sampled=False).traceparent
        with running(tmp_path, *serve(tmp_path), **settings(there, otel)) as server:
            execution = started(server.url(), document(there.url), traceparent=unsampled)
            assert ended(server.url(), execution) == "completed"
            server.end()
        assert collector.spans == []
        assert there.headers[0]["traceparent"].startswith(f"00-{PARENT.trace:032x}-")
        assert there.headers[0]["traceparent"].endswith("-00")


def test_without_a_collector_nothing_is_sent_along(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    with other() as there, running(tmp_path, *serve(tmp_path), **settings(there, {})) as server:
        execution = started(server.url(), document(there.url), traceparent=PARENT.traceparent)
        assert ended(server.url(), execution) == "completed"
        assert "traceparent" not in there.headers[0]


def test_a_collector_that_is_not_there_keeps_nobody_from_working_or_ending(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    nowhere = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_BSP_SCHEDULE_DELAY": "50"}
    with other() as there, running(tmp_path, *serve(tmp_path), **settings(there, nowhere)) as server:
        execution = started(server.url(), document(there.url))
        assert ended(server.url(), execution) == "completed"
        server.end()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"OTEL_TRACES_EXPORTER": "zipkin"}, "write otlp, console or none"),
        ({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x:1"}, "http/protobuf"),
    ],
)
def test_a_setting_for_something_else_is_told_of_and_keeps_nobody(
    tmp_path: Path, given: dict[str, str], told: str
) -> None:
    with running(tmp_path, *serve(tmp_path), **given) as server:
        server.url()
        assert told in server.end()


@pytest.mark.parametrize(
    ("given", "good"),
    [
        (PARENT.traceparent, True),
        ("00-" + "0" * 32 + "-b7ad6b7169203331-01", False),
        ("00-0af7651916cd43dd8448eb211c80319c-" + "0" * 16 + "-01", False),
        (PARENT.traceparent.upper(), False),
        ("ff" + PARENT.traceparent[2:], False),
        ("01" + PARENT.traceparent[2:] + "-more", True),
        (PARENT.traceparent + "-more", False),
        (PARENT.traceparent + "\n", False),
        ("", False),
        (None, False),
    ],
)
def test_what_is_a_traceparent(given: str | None, *, good: bool) -> None:
    assert (read(given) is not None) is good
    assert not good or read(given) == PARENT
