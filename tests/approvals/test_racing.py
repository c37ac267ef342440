"""Many people decide the same approvals at once, from several processes, while their time runs out and executions are cancelled.

With PERDURE_PATIENCE=1 the figures are those that are promised: 2,000 approvals and 8 callers. Without it they are smaller, and the
same must hold.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any, Literal

import pytest

from cli.typing import here
from perdure.core import facts as f
from perdure.model.steps import Approval, Step
from perdure.service.deciding import ApprovalItem
from perdure.service.engine import Engine
from perdure.testing.words import x
from postgres import fresh_schema
from service.words import one

PATIENCE = os.environ.get("PERDURE_PATIENCE") == "1"
APPROVALS = 2_000 if PATIENCE else 60
STEP_MS = 25
"""From one moment to the next."""
NAMES = [["c0", "c1"], ["c2", "c3"], ["c4", "c5"], ["c6", "c7"]]
"""Callers, by process."""
ON_TIMEOUT: tuple[Literal["approve", "reject", "fail", "stay"], ...] = ("approve", "reject", "fail", "stay")
HERE = Path(__file__).parent
pytestmark = pytest.mark.simulation


class Caller:
    def __init__(self, url: str, names: list[str]) -> None:
        found = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "caller.py")],
            env=os.environ | {"PYTHONPATH": found},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"url": url, "names": names}) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "here\n"

    def go(self, asked: list[dict[str, Any]]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()

    def answers(self) -> list[dict[str, Any]]:
        said, _ = self.process.communicate(timeout=600)
        assert self.process.returncode == 0
        found: list[dict[str, Any]] = json.loads(said)
        return found


async def opened(engine: Engine) -> list[dict[str, Any]]:
    """Approvals that are due at the moment at which everybody wants to decide them."""
    chance = Random(7)
    for name in ON_TIMEOUT:
        approval = Approval(x("input"), due_at=x("input.due"), on_timeout=name)
        await engine.workflows.save(one(Step("ask", approval), f"ask {name}"))
    for caller in [each for names in NAMES for each in names]:
        await engine.members.add(caller, roles=["approver", "operator"])
    begin = int(time.time() * 1_000) + 3_000 + APPROVALS * 5
    asked: list[dict[str, Any]] = []
    for number in range(APPROVALS):
        at = begin + number * STEP_MS
        workflow = f"ask {ON_TIMEOUT[number % len(ON_TIMEOUT)]}"
        execution = await engine.executions.start(workflow, {"due": at + chance.randint(-10, 10)})
        asked.append({"execution": execution.id, "at": at})
    found: dict[str, str] = {}
    while len(found) < APPROVALS:
        cursor = None
        while True:
            page = await engine.approvals.list(cursor=cursor, limit=500)
            found.update({item.workflow_execution_id: item.id for item in page.items})
            if (cursor := page.next) is None:
                break
    return [{**each, "approval": found[each["execution"]]} for each in asked]


async def raced(url: str, engine: Engine) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    callers = await asyncio.to_thread(lambda: [Caller(url, names) for names in NAMES])
    asked = await opened(engine)
    for caller in callers:
        caller.go(asked)
    answers = await asyncio.gather(*(asyncio.to_thread(caller.answers) for caller in callers))
    return asked, [answer for each in answers for answer in each]


async def ended(engine: Engine, asked: list[dict[str, Any]]) -> dict[str, ApprovalItem]:
    """How each approval stands, when nothing is left to be done about it."""
    found = {}
    for each in asked:
        execution = await engine.executions.get(each["execution"])
        item = await engine.approvals.get(each["approval"])
        if item.status != "pending":
            record = await asyncio.wait_for(engine.host.shell.ended(execution.id), 60)
            assert record.status in ("completed", "failed", "cancelled")
        found[item.id] = item
    return found


def check(answers: list[dict[str, Any]], final: dict[str, ApprovalItem]) -> Counter[str]:
    seen: Counter[str] = Counter()
    for answer in answers:
        item = final[answer["approval"]]
        match answer["answer"]:
            case "approve" | "reject":
                # Also who was not the first is told who was.
                assert (answer["answer"], answer["decided_by"]) == (item.decision, item.decided_by)
                assert answer["decision"] == item.decision
                seen["won" if item.decided_by == answer["by"] else "was of the same opinion"] += 1
            case "Conflict" if answer["decision"] == "cancel":
                seen["cancelled too late"] += 1
            case "Conflict" if "its time is over" in answer["message"]:
                # No worker had come by yet; time has won even so, unless it was called off before one did.
                assert item.decided_by == "system" or item.status == "closed"
                assert item.on_timeout != "stay"
                seen["was told that time won"] += 1
            case "Conflict":
                if item.status == "closed":
                    assert "is closed" in answer["message"]
                else:
                    assert f"is {item.status} already, by {item.decided_by} at 20" in answer["message"]
                    assert answer["decision"] != item.decision
                seen["was told who won"] += 1
            case "cancelled":
                seen["cancelled"] += 1
            case _:
                raise AssertionError(answer)
    return seen


async def check_histories(engine: Engine, final: dict[str, ApprovalItem]) -> Counter[str]:
    """One outcome each, and it is the one that was decided, unless the execution was called off first."""
    seen: Counter[str] = Counter()
    for item in final.values():
        execution = await engine.executions.get(item.workflow_execution_id)
        outcomes = [
            entry.fact
            for entry in (await execution.history()).items
            if isinstance(entry.fact, f.StepCompleted | f.StepFailed)
        ]
        assert len(outcomes) <= 1, item.id
        if outcomes and isinstance(outcomes[0], f.StepCompleted):
            assert outcomes[0].output["decision"] == item.decision
            assert outcomes[0].output["decidedBy"] == item.decided_by
        by = "nobody" if item.decided_by is None else "time" if item.decided_by == "system" else "people"
        seen[f"{item.status} by {by}"] += 1
    return seen


async def check_audit(engine: Engine, final: dict[str, ApprovalItem]) -> None:
    """What people or time have decided is in the audit, each once."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    cursor = None
    while True:
        page = await engine.audit.list(limit=500, cursor=cursor)
        for entry in page.items:
            if entry.register == "approvals":
                found[entry.subject].append(f"{entry.action} by {entry.by}")
        if (cursor := page.next) is None:
            break
    decided = {item.id: item for item in final.values() if item.decided_by is not None}
    assert found == {id_: [f"approval.{item.status} by {item.decided_by}"] for id_, item in decided.items()}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_each_approval_is_decided_once_and_the_losers_are_told_who_won(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = f"sqlite:///{tmp_path}/flows.db" if kind == "sqlite" else fresh_schema()

    async def race() -> tuple[Counter[str], Counter[str]]:
        async with Engine(url) as engine:
            asked, answers = await raced(url, engine)
            assert len(answers) == APPROVALS * sum(map(len, NAMES))
            final = await ended(engine, asked)
            await check_audit(engine, final)
            return check(answers, final), await check_histories(engine, final)

    answers, outcomes = asyncio.run(race())
    with capsys.disabled():
        print(f"\n{kind}: {dict(outcomes)}; {dict(answers)}")
    # People, time and cancellations were all first now and then, or it was no race.
    assert outcomes["approved by people"] + outcomes["rejected by people"] > APPROVALS // 20
    by_time, closed = outcomes["approved by time"] + outcomes["rejected by time"], outcomes["closed by nobody"]
    assert min(by_time, closed) > 0 if PATIENCE else by_time + closed > 0
    assert answers["was told who won"] > APPROVALS // 2
    checked = here(capsys, "doctor", "--db", url)
    assert checked.status == 0, checked.out
