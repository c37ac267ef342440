"""The matrix: every field of every operation, path, query, form, event, webhook, transform, task and call, each with every hostile
value, against a server in a process of its own. It never ends, answers with no 5xx but 503, and still works afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import Struct

from api.house import GREET, House, database
from api.test_matrix import furnish
from hostile.documents import LISTENER, of_expressions, of_transforms, of_values
from hostile.requests import Asked, every_cookie, every_delivery, every_event_in_headers, every_form, every_request
from hostile.upstream import BODIES, upstream
from hostile.values import VALUES, readable
from perdure.hosts.envelopes import new_key
from perdure.service.engine import Engine

HERE = Path(__file__).parent
TOOLS = Path(sys.executable).parent
CONNECTIONS = 6
SECONDS_EACH = 30
SETTLE_SECONDS = 60


class Told(Struct):
    """What came of requests, by status; `wrong`: what must not have come."""

    statuses: Counter[int] = Counter()
    wrong: list[str] = []


class Server(Struct):
    process: subprocess.Popen[str]
    host: str
    port: int
    token: str
    log: list[str]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """A sound request, that has to be answered well."""
        given = None if body is None else json.dumps(body).encode()
        with contextlib.closing(http.client.HTTPConnection(self.host, self.port, timeout=SECONDS_EACH)) as connection:
            connection.request(method, path, given, self._headers({"Content-Type": "application/json"}))
            answer = connection.getresponse()
            text = answer.read()
        assert answer.status < 300, (method, path, answer.status, text[:2_000])
        return msgspec.json.decode(text) if text else None

    def send(self, requests: Iterable[Asked]) -> Told:
        told, waiting, turn = Told(Counter(), []), iter(requests), threading.Lock()

        def work() -> None:
            connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS_EACH)
            while True:
                with turn:
                    asked = next(waiting, None)
                if asked is None:
                    break
                status, text = self._sent(connection, asked)
                with turn:
                    told.statuses[status] += 1
                    if (status >= 500 and status != 503) or not status:
                        told.wrong.append(f"{asked.what} -> {status} {text[:300]}")
            connection.close()

        with ThreadPoolExecutor(CONNECTIONS) as pool:
            for done in [pool.submit(work) for _ in range(CONNECTIONS)]:
                done.result()
        assert self.process.poll() is None, f"the server has ended: {''.join(self.log[-50:])}"
        return told

    def _sent(self, connection: http.client.HTTPConnection, asked: Asked) -> tuple[int, str]:
        """0: there was no answer. A connection that was closed in between is opened again once."""
        for _ in range(2):
            try:
                connection.putrequest(asked.method, asked.path)
                for name, value in self._headers(asked.headers).items():
                    connection.putheader(name, value)
                if asked.body is not None:
                    connection.putheader("Content-Length", str(len(asked.body)))
                connection.endheaders(asked.body)
                answer = connection.getresponse()
                return answer.status, answer.read().decode("utf-8", "replace")
            except (http.client.HTTPException, OSError) as error:
                connection.close()
                last = repr(error)
        return 0, last

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", **more}


@contextlib.contextmanager
def served(url: str, key: str, token: str, called: str, folder: Path) -> Iterator[Server]:
    tests = str(HERE.parent)
    odd = {"command": [sys.executable, str(HERE / "tool_server.py")]}
    (folder / "connections.json").write_text(json.dumps({"mcpServers": {"odd": odd}}))
    environment = {
        **os.environ,
        "PYTHONPATH": tests,
        "PERDURE_SECRET_KEY": key,
        "PERDURE_ALLOW_ADDRESSES": called.removeprefix("http://"),
        "OPENAI_API_KEY": "sk-none",
        "OPENAI_MODEL": "odd",
        "OPENAI_BASE_URL": f"{called}/v1",
        "PERDURE_LOG_LEVEL": "warning",
    }
    command = [str(TOOLS / "perdure"), "serve", "--port", "0", "--db", url, "--tasks", str(HERE / "tasks.py")]
    command += ["--connections", str(folder / "connections.json")]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace") as process:
        assert process.stderr is not None
        log: list[str] = []
        for line in process.stderr:
            log.append(line)
            if (address := re.search(r"http://(\S+):(\d+)", line)) is not None:
                break
        else:
            pytest.fail("".join(log))
        threading.Thread(target=lambda: log.extend(process.stderr or ()), daemon=True).start()
        try:
            yield Server(process, address[1], int(address[2]), token, log)
        finally:
            process.terminate()
            process.wait(30)


async def _furnished(url: str, key: str) -> tuple[dict[str, str], dict[str, str]]:
    """Ids of things that there are; tokens."""
    engine = Engine(url, secret_keys=key)
    async with engine:
        things = await furnish(House(engine, ""), "default")
        await engine.members.add("hostile", roles=("viewer", "operator", "editor", "approver", "admin"))
        token = (await engine.keys.create("hostile")).token
        hook = (await engine.webhooks.create("hooked")).token
        await engine.members.change("owner", groups=["finance"])
        link = await engine.approvals.link(things.of["approval"], member="owner")
        assert hook is not None
        return {**things.of, "token": "none", "token:path": "none"}, {"key": token, "hook": hook, "link": link.url}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_input_ends_the_server_or_makes_it_fail(tmp_path: Path, kind: str) -> None:
    url, key = database(tmp_path, kind), new_key()
    there, tokens = asyncio.run(_furnished(url, key))
    began = time.monotonic()
    with upstream() as called, served(url, key, tokens["key"], called, tmp_path) as server:
        document = server.ask("GET", "/api/openapi.json")
        groups: dict[str, Iterable[Asked]] = {
            "operations": every_request(document, there),
            "webhooks": every_delivery(tokens["hook"]),
            "events": every_event_in_headers(),
            "cookies": every_cookie(tokens["key"]),
            "forms": every_form("/a/" + tokens["link"].rpartition("/a/")[2]),
        }
        server.ask("POST", "/api/workflows", LISTENER)
        told = {name: server.send(requests) for name, requests in groups.items()}
        for name, each in told.items():
            print(f"{kind} {name}: {each.statuses.total():,} requests, {dict(sorted(each.statuses.items()))}")
            for line in each.wrong[:30]:
                print(f"{kind} wrong: {line}")
        ran = _run_all(server, called)
        _still_works(server)
        seconds = time.monotonic() - began
    print(f"{kind} executions: {dict(ran)}; {seconds:.0f} s")
    assert [each for group in told.values() for each in group.wrong][:20] == []
    assert told["operations"].statuses.total() > 5_000
    assert ran["pending"] == ran["running"] == ran["parked"] == 0, ran


def _run_all(server: Server, called: str) -> Counter[str]:
    """Start every workflow of `documents.py` with every value; how they stand when nothing runs any more."""
    starts: list[Asked] = []
    for document in of_values(called):
        saved = server.ask("POST", "/api/workflows", document)
        is_call = document["name"] in ("v-json", "v-object", "v-text", "v-model")
        count = len(BODIES) if is_call else len(VALUES) if document["name"].startswith("v-tool") else len(readable())
        starts += [_start(saved["id"], {"n": number}) for number in range(count)]
    for document in (*of_expressions(), *of_transforms()):
        starts.append(_start(server.ask("POST", "/api/workflows", document)["id"], {}))
    told = server.send(starts)
    assert set(told.statuses) == {201}, (told.statuses, told.wrong)
    end = time.monotonic() + SETTLE_SECONDS
    while (counts := _counts(server))["pending"] + counts["running"] and time.monotonic() < end:
        time.sleep(0.2)
        assert server.process.poll() is None, f"the server has ended: {''.join(server.log[-50:])}"
    return counts


def _start(workflow: str, given: Any) -> Asked:
    body = json.dumps({"workflowId": workflow, "input": given}).encode()
    return Asked(f"start {workflow} {given}", "POST", "/api/executions", {"Content-Type": "application/json"}, body)


def _counts(server: Server) -> Counter[str]:
    found: Counter[str] = Counter()
    for status in ("pending", "running", "waiting", "completed", "failed", "cancelled"):
        cursor: str | None = ""
        while cursor is not None:
            page = server.ask("GET", f"/api/executions?status={status}&limit=500{cursor}")
            found[status] += len(page["items"])
            found["parked"] += sum((each["waiting_for"] or {}).get("kind") == "operator" for each in page["items"])
            cursor = None if page["next"] is None else f"&cursor={page['next']}"
    return found


def _still_works(server: Server) -> None:
    server.ask("POST", "/api/workflows", {**GREET, "name": "afterwards"})
    started = server.ask("POST", "/api/executions", {"name": "afterwards", "input": {"name": "Ada"}})
    ended = server.ask("GET", f"/api/executions/{started['id']}?wait=20&until=ended")
    assert (ended["status"], ended["output"]["greeting"]) == ("completed", "Hello Ada!")
    sent = server.ask("POST", "/api/events", {"type": "order.paid", "id": "afterwards", "payload": {"key": "k"}})
    assert sent["items"][0]["id"] == "afterwards"
    end = time.monotonic() + SETTLE_SECONDS
    while not server.ask("GET", "/api/events/afterwards").get("routed"):
        assert time.monotonic() < end, "the event is not routed"
        time.sleep(0.05)
    assert server.ask("GET", "/readyz")["status"] == "ready"
    assert server.process.poll() is None
