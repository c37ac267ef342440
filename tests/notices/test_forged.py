"""Nobody is told of an approval, or sent a link to decide it, but by its own notice: whoever copies one, or calls its tasks from a
workflow of their own, learns and sends nothing, in their own organization or another's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from notices.test_notifiers import ask_somebody, notices, once
from perdure.model.steps import Step, Task
from perdure.runtime.notices import SEND, WHOM
from perdure.service.engine import Engine
from perdure.service.errors import Refused
from perdure.service.execution import Execution
from perdure.store.notices import NOTICES
from perdure.testing.words import x
from service.words import begun, one
from tasks.servers import SmtpServer, smtp_server

EVIL = "attacker@evil.example"


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Iterator[SmtpServer]:
    with smtp_server() as server:
        monkeypatch.setenv("SMTP_URL", f"smtp://127.0.0.1:{server.port}?from=flows@example.com")
        monkeypatch.setenv("PERDURE_PUBLIC_URL", "https://flows.example.com")
        yield server


def document(dialect: str, task: str) -> dict[str, Any]:
    given = {"notifier": "mail"}
    match dialect:
        case "graph":
            return {
                "name": "steal",
                "nodes": [
                    {"id": "a", "type": "MCP_TOOL", "data": {"connectionId": "local", "toolName": task, "input": given}}
                ],
                "connections": [],
            }
        case "ports":
            return {"name": "steal", "steps": [{"stepSlug": "a", "stepType": "action", "config": {"type": task}}]}
        case "orchestration":
            return {"name": "steal", "version": "1.0.0", "steps": [{"stepId": "a", "type": "TASK", "taskId": task}]}
        case _:
            tool = {"connectionId": "local", "toolName": task}
            return {"name": "steal", "steps": [[{"name": "a", "tool": tool, "input": given}]]}


@pytest.mark.parametrize("task", [WHOM, SEND, f"local/{SEND}", "perdure.transform", "perdure.anything"])
@pytest.mark.parametrize("dialect", ["graph", "ports", "orchestration", "phases"])
def test_no_document_may_call_what_is_the_engines_own(dialect: str, task: str) -> None:
    async def ask(engine: Engine) -> None:
        with pytest.raises(Refused) as told:
            await engine.workflows.save(document(dialect, task))
        assert {problem.step for problem in told.value.problems} == {"a"}

    once("memory://", ask)


@pytest.mark.parametrize("called", [{"id": NOTICES, "name": "mine"}, {"name": NOTICES}, {"name": "perdure:mine"}])
def test_no_workflow_is_called_as_what_the_engine_does_by_itself(called: dict[str, str]) -> None:
    async def ask(engine: Engine) -> None:
        with pytest.raises(Refused, match="as what the engine does by itself"):
            await engine.workflows.save({**called, "nodes": [{"id": "a", "type": "MANUAL_TRIGGER"}], "connections": []})

    once("memory://", ask)


async def two_organizations(engine: Engine) -> str:
    """The approval that somebody of `beta` is asked for, whose notice has been sent."""
    await engine.members.add("boss", roles=["admin"], organization="beta", email="boss@beta.example")
    for organization in ("default", "beta"):
        await engine.notifiers.add("mail", "email", organization=organization)
    approval = await ask_somebody(engine, {"sum": 5}, organization="beta")
    assert await notices(engine, 1, "beta") == ["completed"]
    return approval


async def refused(execution: Execution) -> None:
    await asyncio.wait_for(execution.ended(), 20)
    record = (await execution.describe()).record
    assert record.status == "failed"
    assert "by its own notice" in str(record.error)


@pytest.mark.parametrize("task", [WHOM, SEND])
def test_a_workflow_that_a_program_has_built_is_not_believed(task: str, post: SmtpServer) -> None:
    async def ask(engine: Engine) -> None:
        approval = await two_organizations(engine)
        given = {"topic": "opened", "approval": approval, "organization": "beta", "at": 1}
        sending = {"notifier": "mail", "given": given, "to": [EVIL], "member": "boss"}
        for organization in ("default", "beta"):
            workflow = one(Step("steal", Task(task, x("input"))), "steal")
            execution = await begun(engine, workflow, given if task == WHOM else sending, organization=organization)
            await refused(execution)

    once("memory://", ask)
    assert [each for each in post.messages if EVIL.encode() in each] == []
    assert len(post.messages) == 1


def test_a_copy_of_a_notice_sends_nothing_and_tells_nothing(post: SmtpServer) -> None:
    async def ask(engine: Engine) -> None:
        approval = await two_organizations(engine)
        (record,) = (await engine.executions.list(workflow=NOTICES, organization="beta")).items
        notice = await engine.executions.get(record.id, organization="beta")
        other = {"topic": "opened", "approval": approval, "organization": "beta", "at": 1}
        sending = [{"notifier": "mail", "given": other, "to": [EVIL], "member": "boss"}]
        copies = [
            await notice.rerun(),
            await notice.rerun(input=other),
            await notice.fork(at_step="send", outputs={"whom": sending}),
        ]
        for copy in copies:
            await refused(copy)

    once("memory://", ask)
    assert len(post.messages) == 1
