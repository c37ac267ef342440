"""schemathesis against a server that runs: whatever it asks, what comes back is what the OpenAPI document says, and never a 5xx.

All of its checks are on. Left out, by name: the stream, which does not end, and MCP, which is no REST. `positive_data_acceptance`
lets refusals pass that a schema cannot foresee (400, 412, 413, 422: a cursor of another list, a document that is no workflow); that
such a request is never refused by its form alone is a check of our own, in `fuzz_hooks.py`.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import msgspec
import pytest

from api.fuzz_places import NOWHERE
from api.house import House, database
from api.test_matrix import furnish
from perdure.hosts.envelopes import new_key
from perdure.service.engine import Engine

LEFT_OUT = "^/(mcp|api/stream)"
EXAMPLES, REQUESTS = (160, 10_000) if os.environ.get("PERDURE_PATIENCE") else (6, 1_000)
TOML = """\
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", 400, 401, 403, 404, 409, 412, 413, 422, 429]
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429]
[checks.missing_required_header]
expected-statuses = [400, 401, 403, 404, 406, 412, 415, 422]
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_whatever_is_asked_is_answered_as_the_document_says(tmp_path: Path, kind: str) -> None:
    url, key = database(tmp_path, kind), new_key()
    there, token = asyncio.run(_furnished(url, key))
    environment = {
        **os.environ,
        "PERDURE_SECRET_KEY": key,
        "THERE": msgspec.json.encode(there).decode(),
        "SCHEMATHESIS_HOOKS": "api.fuzz_hooks",
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    (tmp_path / "schemathesis.toml").write_text(TOML)
    tools = Path(sys.executable).parent
    with subprocess.Popen(
        [tools / "perdure", "serve", "--port", "0", "--db", url], env=environment, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        told = server.stderr.readline()
        address = re.search(r"http://\S+:\d+", told)
        assert address is not None, told
        threading.Thread(target=server.stderr.read, daemon=True).start()  # nobody waits for a log that is full
        try:
            ran = subprocess.run(
                [
                    tools / "schemathesis",
                    *("run", f"{address.group()}/api/openapi.json", "--url", address.group()),
                    *("-H", f"Authorization: Bearer {token}", "--max-examples", str(EXAMPLES), "--workers", "2"),
                    *("--exclude-path-regex", LEFT_OUT, "--checks", "all", "--phases", "examples,coverage,fuzzing"),
                    # Whoever connects to a name that nobody knows waits for the resolver of this machine.
                    *("--request-timeout", "60", "--max-response-time", "60"),
                    *("--no-color", "--seed", "11", "--generation-database", "none"),
                ],
                env=environment,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=2_400,
            )
            assert server.poll() is None, "the server has ended"
        finally:
            server.terminate()
            server.wait(30)
    assert ran.returncode == 0, ran.stdout[-20_000:] + ran.stderr[-2_000:]
    counted = re.search(r"([\d,]+) generated", ran.stdout)
    assert counted is not None, ran.stdout[-2_000:]
    print(f"{counted.group(1)} requests")
    assert int(counted.group(1).replace(",", "")) >= REQUESTS


async def _furnished(url: str, key: str) -> tuple[dict[str, str], str]:
    engine = Engine(url, secret_keys=key)
    async with engine:
        things = await furnish(House(engine, ""), "default")
        await engine.connections.remove("api")  # to a name that nobody knows: each time that is longer in coming
        await engine.connections.add("api", NOWHERE)
        every = ("viewer", "operator", "editor", "approver", "admin")
        await engine.members.add("fuzz", roles=every)
        issued = await engine.keys.create("fuzz")
        return {**things.of, "own_key": issued.key.id, "own_member": "fuzz"}, issued.token
