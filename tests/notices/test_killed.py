"""Workers that open approvals and tell of them are killed again and again. Each notice is sent; twice only what was being sent when
its worker died, and then under the same id.

With PERDURE_PATIENCE=1 there are more of them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from perdure.model.steps import Approval, Step
from perdure.service.engine import Engine
from perdure.store.notices import NOTICES
from perdure.testing.words import x
from postgres import fresh_schema
from service.words import one
from tasks.servers import Received, Reply, http_server

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
APPROVALS, KILLS = (1_000, 15) if PATIENCE else (60, 4)
ANSWER_SECONDS = 0.02
"""So long a call takes, so that some are under way whenever a worker is killed."""
JUST_SECONDS = 2.0
"""So long it may take on a busy machine until it is written down that something was sent."""
HERE = Path(__file__).parent
pytestmark = pytest.mark.simulation


def teller(url: str) -> subprocess.Popen[str]:
    found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    more = {"PYTHONPATH": found, "PERDURE_LEASE_SECONDS": "1"}
    process = subprocess.Popen(
        [sys.executable, str(HERE / "teller.py"), url], env=os.environ | more, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    return process


async def begin(url: str, hook: str) -> None:
    async with Engine(url, works=False) as engine:
        await engine.notifiers.add("hook", "webhook", url=hook)
        await engine.workflows.save(one(Step("ask", Approval(x("input"))), "ask"))
        await asyncio.gather(*(engine.executions.start("ask", {"n": n}) for n in range(APPROVALS)))


async def statuses(url: str) -> list[str]:
    """How the notices stand."""
    async with Engine(url, works=False) as engine:
        found: list[str] = []
        cursor = None
        while True:
            page = await engine.executions.list(workflow=NOTICES, limit=500, cursor=cursor)
            found += [record.status for record in page.items]
            if (cursor := page.next) is None:
                return found


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_each_notice_is_sent_and_none_twice_but_what_a_crash_has_cut_off(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/flows.db" if kind == "sqlite" else fresh_schema()
    sent: list[tuple[float, str, bytes]] = []

    def reply(received: Received) -> Reply:
        if received.body:  # else its sender died between the headers and the body
            sent.append((time.monotonic(), received.headers["webhook-id"], received.body))
        time.sleep(ANSWER_SECONDS)
        return Reply()

    chance, kills = Random(11), []
    with http_server(reply) as server:
        monkeypatch.setenv("PERDURE_ALLOW_ADDRESSES", f"127.0.0.1:{server.port}")
        asyncio.run(begin(url, server.url("/hook")))
        for _ in range(KILLS):
            worker = teller(url)
            before = len(sent)
            until = time.monotonic() + 5
            while len(sent) == before and time.monotonic() < until and len(sent) < APPROVALS:
                time.sleep(0.005)
            time.sleep(chance.uniform(0, 0.3))
            worker.send_signal(signal.SIGKILL)
            worker.communicate()
            kills.append(time.monotonic())
        worker = teller(url)
        until = time.monotonic() + 300
        while (found := asyncio.run(statuses(url))) != ["completed"] * APPROVALS:
            assert time.monotonic() < until, found
            time.sleep(0.2)
        worker.terminate()
        worker.communicate(timeout=30)
    by_id: defaultdict[str, list[tuple[float, bytes]]] = defaultdict(list)
    for at, id_, body in sent:
        by_id[id_].append((at, body))
    assert len(by_id) == APPROVALS
    gaps: list[float] = []
    for each in by_id.values():
        assert len({body for _, body in each}) == 1
        for (first, _), (second, _) in pairwise(each):
            killed = [at for at in kills if first < at < second]
            assert killed, "sent twice, and nobody was killed in between"
            gaps.append(killed[0] - first)
    longest = max(gaps, default=0.0)
    with capsys.disabled():
        said = f"{len(gaps)} sent again, the first time at most {longest:.2f} s before a worker was killed"
        print(f"\n{kind}: {APPROVALS} notices, {KILLS} kills, {said}")
    assert longest < JUST_SECONDS, "sent again although there was time to write down that it was sent"
