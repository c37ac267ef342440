"""Each example of the graph dialect, by the command that its folder's README names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent.parent / "examples" / "graph"
CARD = "4111111111111111"
ITEMS = [{"price": 3, "count": 2}, {"price": 4, "count": 1}]
RUNS: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("hello", {"name": "Ann"}, {"greeting": "Hello Ann!"}),
    ("linear", {"items": ITEMS, "card": CARD}, {"total": 10}),
    ("branch", {"order": {"id": "A1", "total": 2_000, "country": "DE"}}, {"summary": "A1: a person packs it"}),
    ("branch", {"order": {"id": "A2", "total": 20, "country": "AT"}}, {"summary": "A2: parcel"}),
    ("branch", {"order": {"id": "A3", "total": 20, "country": "US"}}, {"summary": "A3: freight, with customs papers"}),
    ("diamond", {"customer": "ann", "sku": "lamp", "count": 3}, {"accepted": True}),
    ("diamond", {"customer": "mallory", "sku": "lamp", "count": 3}, {"accepted": False}),
    ("diamond", {"customer": "ann", "sku": "lamp", "count": 11}, {"accepted": False}),
    ("retry", {"parcel": "P7"}, {"message": "P7 left after 3 attempts"}),
    ("poll", {"job": "J1"}, {"report": "J1 was done when asked for the 3. time"}),
    ("fan-out", {"north": ITEMS, "south": ITEMS, "card": CARD}, {"total": 20}),
)
MORE = {"fan-out": ("--with", "linear.json")}


def run(name: str, given: Any, **environment: str) -> Any:
    """Its output."""
    command = [sys.executable, "-m", "perdure", "run", f"{name}.json", "--tasks", "tasks.py", *MORE.get(name, ())]
    command += ["--input", json.dumps(given), "--json"]
    ended = subprocess.run(
        command,
        cwd=FOLDER,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout)["output"]


@pytest.mark.parametrize(("name", "given", "expected"), RUNS)
def test_example(name: str, given: Any, expected: dict[str, Any]) -> None:
    output = run(name, given)
    assert {key: output[key] for key in expected} == expected


class _Title(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/page"
        self.send_response(200 if found else 404)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(b'{"title": "Perdure"}' if found else b"{}")

    def log_message(self, format: str, *args: Any) -> None:
        """Not to the terminal."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Title)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("page", "title"), [("page", "Perdure"), ("nothing", None)])
def test_http(site: str, page: str, title: str | None) -> None:
    output = run("http", {"url": f"http://{site}/{page}"}, PERDURE_ALLOW_ADDRESSES=site)
    assert output["title"] == title


def test_none_is_left_out() -> None:
    tested = {name for name, _, _ in RUNS} | {"http"}
    assert tested == {path.stem for path in FOLDER.glob("*.json")}
