"""What a server writes to its log: a line for each record, which program or person can read, and no secret in it."""

from __future__ import annotations

import json
import logging
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from cli.typing import perdure
from operations.processes import running
from perdure.cli.log_lines import formatter, safe
from perdure.hosts.envelopes import new_key

SECRET = "canary-3f9c81aa5d"
HOSTILE = "first\nsecond\r\n\x1b[31mred\x07\x00 \u2028\u202eback \x85 \ud800"
TASKS = f"""
import logging
from perdure import node

@node("LOG_IT")
async def log_it(params):
    logger = params.logger
    logger.info("the secret is %s", params.data["key"])
    logger.warning("beside", extra={{"headers": {{"Authorization": "Basic canary-header-1", "X-Api-Key": "canary-header-2"}}}})
    logger.warning({HOSTILE!r}, extra={{"field": {HOSTILE!r}, {HOSTILE!r}: 1}})
    logging.getLogger("somebody.else").warning("they sent Bearer canary-bearer-77 and postgresql://u:canary-pw-1@db/x")
    try:
        raise ValueError("no " + params.data["key"])
    except ValueError:
        logger.exception("it failed")
    return {{}}
"""
DOCUMENT: dict[str, Any] = {
    "name": "logs",
    "nodes": [
        {"id": "start", "type": "WEBHOOK_TRIGGER"},
        {"id": "log", "type": "LOG_IT", "data": {"key": "{{secrets.KEY}}"}},
    ],
    "connections": [{"fromNodeId": "start", "toNodeId": "log"}],
}


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_and_no_foreign_line_comes_into_the_log(tmp_path: Path, form: str) -> None:
    key, db = new_key(), f"sqlite:///{tmp_path}/flows.db"
    (tmp_path / "tasks.py").write_text(TASKS)
    (tmp_path / "flow.json").write_text(json.dumps(DOCUMENT))
    (tmp_path / "secret.txt").write_text(SECRET)
    typed = ("keys", "create", "ops", "--role", "admin", "--db", db, "--json")
    made = perdure(*typed, cwd=tmp_path, PERDURE_SECRET_KEY=key).object
    token = made["token"]
    settings = {"PERDURE_LOG_FORMAT": form, "PERDURE_LOG_LEVEL": "info", "PERDURE_SECRET_KEY": key}
    with running(tmp_path, "serve", "--port", "0", "--db", db, "--tasks", "tasks.py", **settings) as server:
        url = server.url()
        headers = {"Authorization": f"Bearer {token}", "Cookie": "s=canary-cookie-1", "X-Api-Key": "canary-key-1"}
        with httpx2.Client(base_url=url, headers=headers, trust_env=False, timeout=30) as client:
            assert client.put("/api/secrets/KEY", json={"value": SECRET}).status_code in (200, 201, 204)
            assert client.post("/api/workflows", json=DOCUMENT).status_code == 201
            hook = client.post("/api/webhooks", json={"workflow": "logs"}).json()["token"]
            started = client.post(f"/hooks/{hook}", json={"x": 1}).json()
            client.post("/hooks/canary-wrong-hook-token-1234", json={})
            client.get("/a/canary-link-token-1234")
            client.get("/canary-nowhere?key=canary-query-1")
            client.get("/api/workflows", headers={"Authorization": "Bearer prd_canary-bad-key"})
            client.get("/healthz", headers={"X-Request-Id": "mine-17"})
            done = client.get(f"/api/executions/{started['executionId']}?wait=30")
            assert done.json()["status"] == "completed", done.text
        _raw(url, b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: a\x1b[31m\r\nConnection: close\r\n\r\n")
        server.until("it failed")
        err = server.end()
    found = [word for word in ("canary", token, hook, hook.removeprefix("whk_"), SECRET) if word in err]
    assert not found, err
    assert "\x1b" not in err
    assert "\u2028" not in err
    lines = err.splitlines()
    told = [line for line in lines if "first" in line]
    assert len(told) == 1
    assert "second" in told[0]
    assert not [line for line in lines if line.startswith(("second", "back"))]
    if form == "json":
        _check_json(lines, started["executionId"])


def _check_json(lines: list[str], execution: str) -> None:
    records = [json.loads(line) for line in lines if line.startswith("{")]
    assert len(records) == len(lines) - 1, "all but the banner"
    requests = [each for each in records if each["event"] == "request"]
    assert {"/hooks/{token}", "other", "/healthz", "/api/workflows"} <= {each["route"] for each in requests}
    assert next(each["request_id"] for each in requests if each["route"] == "/healthz") == "mine-17"
    assert {each["organization"] for each in requests if each["route"] == "/api/webhooks"} == {"default"}
    (failed,) = [each for each in records if each["event"] == "it failed"]
    about = {name: failed[name] for name in ("execution_id", "step", "attempt", "level", "logger")}
    assert about == {
        "execution_id": execution,
        "step": "log",
        "attempt": 1,
        "level": "error",
        "logger": "perdure.tasks",
    }
    assert failed["exception"].splitlines()[-1] == "ValueError: no ***"
    (beside,) = [each for each in records if each["event"] == "beside"]
    assert beside["headers"] == {"Authorization": "***", "X-Api-Key": "***"}
    (other,) = [each for each in records if each["logger"] == "somebody.else"]
    assert (other["execution_id"], other["step"]) == (execution, "log")


def _raw(url: str, request: bytes) -> None:
    """As no client sends it."""
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 0), 10) as connection:
        connection.sendall(request)
        while connection.recv(4096):
            pass


def test_without_a_word_only_warnings_are_told(tmp_path: Path) -> None:
    with running(tmp_path, "dev", "--port", "0", "--db", f"sqlite:///{tmp_path}/flows.db", "--no-examples") as server:
        with httpx2.Client(base_url=server.url(), trust_env=False) as client:
            assert client.get("/healthz").status_code == 200
        assert server.end().count("\n") == 1, "the banner"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("PERDURE_LOG_LEVEL", "loud", "debug or info or warning or error"),
        ("PERDURE_LOG_FORMAT", "xml", "text or json"),
    ],
)
def test_a_setting_that_cannot_be_read_is_refused(tmp_path: Path, name: str, value: str, told: str) -> None:
    ended = perdure("worker", "--until-idle", "--db", f"sqlite:///{tmp_path}/flows.db", cwd=tmp_path, **{name: value})
    assert ended.status == 2
    assert name in ended.err
    assert told in ended.err


def test_where_a_module_says_where_logs_go_they_go_there(tmp_path: Path) -> None:
    (tmp_path / "tasks.py").write_text(
        "import logging\nfrom perdure import task\ntask('t')(lambda given: given)\nlogging.basicConfig(filename='own.log', level='INFO', format='%(message)s')\n"
    )
    db = f"sqlite:///{tmp_path}/flows.db"
    with running(tmp_path, "dev", "--port", "0", "--db", db, "--tasks", "tasks.py", PERDURE_LOG_LEVEL="info") as server:
        with httpx2.Client(base_url=server.url(), trust_env=False) as client:
            client.get("/healthz")
        assert "request" not in server.end()
    assert "request" in (tmp_path / "own.log").read_text()


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(
    "message", [HOSTILE, "\n", "\x9b31m", "a\tb", "".join(map(chr, [*range(32), *range(127, 160)])), "\u2066x\u2069"]
)
def test_whatever_a_record_says_it_is_one_line(message: str, *, as_json: bool) -> None:
    record = logging.makeLogRecord(
        {"name": "n", "msg": "%s", "args": (message,), "levelname": "INFO", "more": [message]}
    )
    line = formatter(as_json=as_json, colors=False).format(record)
    assert len(line.splitlines()) == 1
    assert line.isprintable()
    line.encode()


@pytest.mark.parametrize(
    "text",
    [
        "prd_abc123_canary00000000000_x",
        "POST /hooks/whk_canary-000000000",
        "/hooks/canary0000?x=1",
        "https://x.example/a/canary000000000",
        "whsec_canary0000000000",
        "Authorization: Bearer canary.eyJ0.xyz",
        "basic canaryQWxhZGRpbg==",
        "postgresql://me:canary@db/flows",
    ],
)
def test_what_is_a_secret_by_its_form_is_hidden(text: str) -> None:
    assert "canary" not in safe(text)
    assert "***" in safe(text)
