"""Starting, looking at and steering executions over HTTP."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.house import ASK, GREET, database, house, run, said


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_saved_started_and_looked_at(kind: str, tmp_path: Path) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind)) as there, there.ask(await there.key("ada", "editor")) as client:
            saved = await client.post("/api/workflows", json=GREET)
            assert saved.status_code == 201
            again = await client.post("/api/workflows", json=GREET)
            assert (again.status_code, said(again)["created"]) == (200, False)
            body = {"workflowId": said(saved)["id"], "input": {"name": "Ada"}, "correlationId": "c-1"}
            started = await client.post("/api/executions", json=body)
            assert started.status_code == 201
            place = started.headers["location"]
            assert place == f"/api/executions/{said(started)['id']}"
            ended = await client.get(place, params={"wait": 20})
            found = said(ended)
            assert (found["status"], found["output"]["greeting"]) == ("completed", "Hello Ada!")
            assert ended.headers["etag"] == f'"{found["execution_version"]}"'
            view = said(await client.get(place, params={"view": "graph"}))
            assert view["status"] == "SUCCESS"
            assert (await client.get(place, params={"view": "ports"})).status_code == 409
            listed = said(await client.get("/api/executions", params={"correlationId": "c-1"}))
            assert [each["id"] for each in listed["items"]] == [found["id"]]
            history = said(await client.get(f"{place}/history", params={"limit": 2}))
            assert len(history["items"]) == 2
            rest = said(await client.get(f"{place}/history", params={"after": history["next"]}))
            assert rest["items"][0]["seq"] == 3
            steps = said(await client.get(f"{place}/steps"))["items"]
            assert [each["step"] for each in steps] == ["start", "hello"]
            step = said(await client.get(f"{place}/steps/hello"))
            assert step["status"] == "completed"
            assert (await client.get(f"{place}/steps/nope")).status_code == 404

    run(scenario())


def test_the_same_key_is_the_same_start() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            await client.post("/api/workflows", json=GREET)
            key = {"Idempotency-Key": "order-17"}
            body = {"name": "greet", "input": {"name": "Ada"}}
            first = await client.post("/api/executions", json=body, headers=key)
            second = await client.post("/api/executions", json=body, headers=key)
            assert (first.status_code, first.content) == (second.status_code, second.content)
            assert "idempotent-replayed" not in first.headers
            assert second.headers["idempotent-replayed"] == "true"
            for other in (
                {**body, "input": {"name": "Bob"}},
                {**body, "correlationId": "c"},
                {**body, "triggeredBy": "event"},
            ):
                refused = await client.post("/api/executions", json=other, headers=key)
                assert (refused.status_code, said(refused)["code"]) == (422, "other_request"), other
            for bad in ("", "a" * 201):
                refused = await client.post("/api/executions", json=body, headers={"Idempotency-Key": bad})
                assert refused.status_code == 400, bad
            assert len(said(await client.get("/api/executions"))["items"]) == 1

    run(scenario())


def test_only_if_it_is_still_so() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            await client.post("/api/workflows", json=ASK)
            started = said(await client.post("/api/executions", json={"name": "refund"}))
            place = f"/api/executions/{started['id']}"
            while said(await client.get(place))["status"] != "waiting":
                pass
            etag = (await client.get(place)).headers["etag"]
            for wrong, status in (
                ('"99"', 412),
                ("nonsense", 412),
                ('"-1"', 412),
                (f"W/{etag}", 412),
                (f"{etag}, {etag}", 400),
            ):
                refused = await client.post(f"{place}/cancel", headers={"If-Match": wrong})
                assert refused.status_code == status, wrong
            cancelled = await client.post(f"{place}/cancel", json={"reason": "twice"}, headers={"If-Match": etag})
            assert (cancelled.status_code, said(cancelled)["status"]) == (200, "cancelled")
            assert (await client.post(f"{place}/cancel")).status_code == 409
            again = await client.post(f"{place}/rerun")
            assert again.status_code == 201
            assert said(again)["origin"] == started["id"]
            why = said(await client.get(f"/api/executions/{said(again)['id']}/why"))
            assert why["id"] == said(again)["id"]

    run(scenario())


def test_a_document_that_is_not_saved() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            started = await client.post("/api/executions", json={"document": GREET, "input": {"name": "Eve"}})
            assert started.status_code == 201
            found = said(await client.get(started.headers["location"], params={"wait": 20}))
            assert (found["output"]["greeting"], found["version"]) == ("Hello Eve!", None)
            bad = await client.post(
                "/api/executions", json={"document": {**GREET, "connections": [{"fromNodeId": "nobody"}]}}
            )
            assert bad.status_code == 400
            assert said(bad)["error"] == "Workflow validation failed"
            assert said(bad)["errors"]
            for body in (
                {},
                {"name": "a", "workflowId": "b"},
                {"document": GREET, "version": "1"},
                {"name": "a", "nme": 1},
            ):
                refused = await client.post("/api/executions", json=body)
                assert refused.status_code == 422, body
            assert (await client.post("/api/executions", json={"name": "nobody"})).status_code == 404

    run(scenario())


def test_an_approval_is_decided_over_http() -> None:
    async def scenario() -> None:
        async with house() as there:
            editor, finance = await there.key("ada", "editor"), await there.key("fin", "viewer")
            await there.engine.members.change("fin", groups=["finance"])
            async with there.ask(editor) as ada, there.ask(finance) as fin:
                await ada.post("/api/workflows", json=ASK)
                started = said(await ada.post("/api/executions", json={"name": "refund", "input": {"amount": 90}}))
                items: list[dict[str, str]] = []
                while not items:
                    items = said(await fin.get("/api/approvals", params={"assignee": "me", "status": "pending"}))[
                        "items"
                    ]
                (item,) = items
                assert item["wfExecutionId"] == started["id"]
                place = f"/api/approvals/{item['id']}"
                assert (await ada.post(f"{place}/decision", json={"decision": "approve"})).status_code == 403
                decided = await fin.post(f"{place}/decision", json={"decision": "approve", "comments": "fine"})
                assert (decided.status_code, said(decided)["status"]) == (200, "approved")
                again = await fin.post(f"{place}/decision", json={"decision": "approve", "comments": "fine"})
                assert again.status_code == 200
                other = await fin.post(f"{place}/decision", json={"decision": "reject"})
                assert other.status_code == 409
                found = said(await ada.get(f"/api/executions/{started['id']}", params={"wait": 20}))
                assert found["status"] == "completed"

    run(scenario())


def test_no_operator_passes_an_approval_in_a_child_over_http() -> None:
    outer = {
        "name": "outer",
        "nodes": [
            {"id": "call", "type": "RUN_WORKFLOW", "data": {"workflowId": "refund", "input": {"n": 1}, "wait": True}},
            {"id": "pay", "type": "SET", "data": {"values": {"paid": "{{amount}}"}}},
        ],
        "connections": [{"fromNodeId": "call", "toNodeId": "pay"}],
    }

    async def scenario() -> None:
        async with house() as there:
            operator, admin = await there.key("olga", "operator"), await there.key("ada", "admin")
            async with there.ask(operator) as olga, there.ask(admin) as ada:
                for document in (ASK, outer):
                    await ada.post("/api/workflows", json=document)
                started = said(await olga.post("/api/executions", json={"name": "outer", "input": {"amount": 10}}))
                items: list[dict[str, str]] = []
                while not items:
                    items = said(await ada.get("/api/approvals", params={"status": "pending"}))["items"]
                await ada.post(f"/api/approvals/{items[0]['id']}/decision", json={"decision": "approve"})
                place = f"/api/executions/{started['id']}"
                assert said(await olga.get(place, params={"wait": 20}))["status"] == "completed"
                changed = {"atStep": "pay", "variables": {"amount": 1_000_000}}
                for verb, body in (("fork", changed), ("rerun", {"fromStep": "pay"})):
                    refused = await olga.post(f"{place}/{verb}", json=body)
                    assert refused.status_code == 403, said(refused)
                    assert "step 'pay' follows 'call'" in refused.text
                assert (await ada.post(f"{place}/fork", json=changed)).status_code == 201
                assert (await olga.post(f"{place}/rerun", json={"fromStep": "call"})).status_code == 201

    run(scenario())
