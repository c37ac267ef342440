"""Ports documents through the service: saved and activated, started by events, webhooks and people, with secrets, and told in the
words of their dialect.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perdure.service.engine import Engine
from perdure.service.errors import Refused
from service.words import SOON

KEY = bytes(range(32)).hex()


def _step(slug: str, type_: str, config: dict[str, Any], **next_steps: str) -> dict[str, Any]:
    return {"stepSlug": slug, "name": slug.title(), "stepType": type_, "config": config, "nextSteps": next_steps}


def _document(name: str, *steps: dict[str, Any], **more: Any) -> dict[str, Any]:
    numbered = [{**step, "order": number} for number, step in enumerate(steps, 1)]
    return {"name": name, "steps": numbered, **more}


START = _step("start", "trigger", {"type": "manual"}, success="echo")
ECHO = _step("echo", "action", {"type": "set_variables", "parameters": {"seen": "{{ input }}"}}, success="end")


def _engine(url: str, **more: Any) -> Engine:
    engine = Engine(url, **more)

    @engine.task("whisper")
    def whisper(given: dict[str, Any]) -> dict[str, Any]:
        return {"said": f"the key is {given['key']}", "length": len(given["key"])}

    return engine


def test_a_document_that_leads_nowhere_stays_a_draft_until_it_does_not(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            open_end = _document("orders", START, {**ECHO, "nextSteps": {"success": "ship"}})
            saved = await engine.workflows.save(open_end)
            assert (saved.status, [warning.type for warning in saved.warnings]) == ("draft", ["unknown_step"])
            with pytest.raises(Refused) as refused:
                await engine.workflows.activate("orders", saved.version)
            assert "'ship', which is not a step" in str(refused.value.problems[0].message)
            with pytest.raises(Refused):
                await engine.workflows.save(open_end, activate=True)
            tried = await engine.executions.start(open_end, {"n": 1})
            with pytest.raises(Exception, match="there are start, echo"):
                await tried.result()
            whole = await engine.workflows.save(_document("orders", START, ECHO))
            assert (whole.status, whole.version) == ("active", "2")
            assert await (await engine.executions.start("orders", {"n": 1})).result() == {"seen": {"n": 1}}

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_event_starts_it_with_its_payload(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            await engine.workflows.save(_document("paid", START, ECHO, triggers={"event": "order.paid"}))
            await engine.events.send({"id": "e1", "type": "order.paid", "payload": {"order": 7}})
            view = await _only(engine)
            assert (view["triggeredBy"], view["input"], view["output"]) == (
                "event",
                {"order": 7},
                {"seen": {"order": 7}},
            )
            assert (view["triggerData"]["id"], view["triggerData"]["payload"]) == ("e1", {"order": 7})

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_webhook_starts_it_with_its_body(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            hooked = {**START, "config": {"type": "webhook"}}
            await engine.workflows.save(_document("hooked", hooked, ECHO))
            made = await engine.webhooks.create("hooked")
            assert made.token is not None
            await engine.webhooks.receive(made.token, {}, b'{"n": 3}')
            view = await _only(engine)
            assert (view["triggeredBy"], view["input"]) == ("webhook", {"n": 3})
            assert view["variables"]["steps"]["start"]["output"]["meta"]["trigger"]["type"] == "webhook"

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_schedules_stand_on_the_step_and_on_the_workflow(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            daily = {**START, "config": {"type": "scheduled", "schedule": "0 9 * * *", "timezone": "Europe/Berlin"}}
            await engine.workflows.save(_document("daily", daily, ECHO))
            await engine.workflows.save(_document("hourly", START, ECHO, triggers={"schedule": "@hourly"}))
            listed = [each.schedule for each in (await engine.schedules.list()).items]
            assert sorted((each.cron, each.timezone, each.id) for each in listed) == [
                ("0 9 * * *", "Europe/Berlin", "start"),
                ("@hourly", "UTC", "triggers"),
            ]

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_a_secret_is_filled_in_for_its_call_and_stars_everywhere_else(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url, secret_keys=KEY) as engine:
            await engine.secrets.set("SHOP_KEY", "hunter2-hunter2")
            asks = _step("ask", "action", {"type": "whisper", "parameters": {"key": "{{ secrets.KEY }}"}})
            await engine.workflows.save(_document("secret", asks, config={"secrets": {"KEY": "SHOP_KEY"}}))
            execution = await engine.executions.start("secret")
            assert await execution.result() == {"said": "the key is ***", "length": 15}
            view = await execution.view()
            assert view["variables"]["secrets"] == {"KEY": "***"}
            assert "hunter2" not in str(view)

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_it_is_told_in_the_words_of_the_seeds(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            review = _step("review", "approval", {"approverRole": "boss"}, approved="echo")
            await engine.workflows.save(
                _document("asking", {**START, "nextSteps": {"default": "review"}}, review, ECHO)
            )
            execution = await engine.executions.start("asking", {"n": 1}, triggered_by="manual")
            assert execution.component_workflow_id == execution.id
            await _waits(execution)
            view = await execution.view()
            assert (view["status"], view["waitingFor"], view["currentStepSlug"]) == ("running", "approval", "review")
            asked = await execution.step_view("review")
            assert (asked["success"], asked["port"]) == (None, None)
            (approval,) = (await engine.approvals.list()).items
            assert asked["approvalTaskId"] == approval.id
            await engine.approvals.decide(approval.id, "approve", comments="fine")
            await execution.result()
            names = [entry.name for entry in (await execution.history()).items if entry.name is not None]
            assert names == ["workflow_started", "workflow_waiting", "workflow_completed"]
            done, view = await execution.step_view("review"), await execution.view()
            assert (done["success"], done["port"], done["error"]) == (True, "approved", None)
            assert view["metadata"] == {"resumeWithPort": "approved"}
            assert view["wfDefinitionId"] == (await engine.workflows.show("asking")).id
            found = await engine.executions.list(component_workflow_id=execution.id)
            assert [record.id for record in found.items] == [execution.id]
            others: tuple[dict[str, Any], ...] = (
                {"status": "failed"},
                {"workflow": "another"},
                {"organization": "another"},
            )
            for other in others:
                none = await engine.executions.list(component_workflow_id=execution.id, **other)
                assert none.items == ()
            assert (await engine.executions.list(component_workflow_id="nobody")).items == ()

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_what_is_run_inline_keeps_its_document_and_hands_it_on_to_a_rerun(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            body = {
                "organizationId": "default",
                "workflowConfig": {"name": "inline", "config": {"variables": {"a": 1}}},
                "stepsConfig": [{**START, "order": 1}, {**ECHO, "order": 2}],
                "input": {"n": 1},
                "triggeredBy": "schedule",
                "triggerData": {"slot": 1},
            }
            execution = await engine.executions.start(body)
            assert await execution.result() == {"seen": {"n": 1}}
            view = await execution.view()
            assert (view["wfDefinitionId"], view["triggeredBy"], view["triggerData"]) == (None, "schedule", {"slot": 1})
            assert view["metadata"]["isInlineExecution"] is True
            assert view["metadata"]["workflowConfig"] == body["workflowConfig"]
            assert view["metadata"]["stepsConfig"] == body["stepsConfig"]
            assert view["workflowConfig"] == {"variables": {"a": 1}}
            again = await execution.rerun(input={"n": 2})
            assert await again.result() == {"seen": {"n": 2}}
            assert (await again.view())["stepsConfig"] == view["stepsConfig"]

    asyncio.run(asyncio.wait_for(scenario(), SOON))


async def _only(engine: Engine) -> Any:
    while not (found := (await engine.executions.list()).items):  # noqa: ASYNC110  nobody is told
        await asyncio.sleep(0)
    execution = await engine.executions.get(found[0].id)
    await execution.result()
    return await execution.view()


async def _waits(execution: Any) -> None:
    async for _ in execution.watch():
        pass


def test_user_id_is_the_member_who_started_it_and_the_child_has_the_same(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            await engine.members.add("ann", roles=("operator",))
            ids = {name: f"{{{{ {name} }}}}" for name in ("userId", "executionId", "workflowId", "wfDefinitionId")}
            child = _document("child", _step("out", "output", {"mapping": {"ids": ids}}))
            call = {"type": "workflow", "workflowId": "child", "wait": True}
            mapping = {**ids, "child": "{{ steps.call.output.data.ids }}"}
            parent = _document(
                "parent", _step("call", "action", call, success="out"), _step("out", "output", {"mapping": mapping})
            )
            saved_child = await engine.workflows.save(child)
            saved = await engine.workflows.save(parent)
            execution = await engine.executions.start("parent", actor="ann")
            output = await execution.result()
            own = {"userId": "ann", "executionId": execution.id, "workflowId": saved.id, "wfDefinitionId": saved.id}
            assert {key: value for key, value in output.items() if key != "child"} == own
            assert output["child"] == {
                **own,
                "executionId": output["child"]["executionId"],
                "workflowId": saved_child.id,
                "wfDefinitionId": saved_child.id,
            }
            assert output["child"]["executionId"] != execution.id
            given = await (await engine.executions.start("child", {"userId": "u_1"}, actor="ann")).result()
            assert given["ids"]["userId"] == "u_1"
            by_program = await (await engine.executions.start("child")).result()
            assert by_program["ids"]["userId"] is None

    asyncio.run(asyncio.wait_for(scenario(), SOON))


def test_an_inline_execution_has_no_definition_id(url: str) -> None:
    async def scenario() -> None:
        async with _engine(url) as engine:
            mapping = {name: f"{{{{ {name} }}}}" for name in ("executionId", "wfDefinitionId")}
            execution = await engine.executions.start(_document("inline", _step("out", "output", {"mapping": mapping})))
            assert await execution.result() == {"executionId": execution.id, "wfDefinitionId": None}

    asyncio.run(asyncio.wait_for(scenario(), SOON))
