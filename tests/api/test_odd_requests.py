"""Requests that nobody sends but by mistake, or to see what comes: each is answered by what is wrong with it."""

from __future__ import annotations

from typing import Any

import pytest

from api.house import ASK, GREET, JSON, House, house, run, said

HALF_KEY = b'{"\\ud800": 1}'
HALF_KEYS = b'{"\\ud800": 1, "\\ud800": 2}'
ODD_NUMBERS = [
    *(b'{"a": ' + b"1" * count + b"}" for count in (310, 350, 400, 401)),
    *(b'{"a": ' + b"1" * 401 + after + b"}" for after in (b"e", b".", b"+", b"-5", b"..")),
    b'{"a": -' + b"1" * 350 + b"}",
]
PLACES = ("/api/executions", "/api/workflows", "/api/workflows/validate", "/api/events", "/api/session", "/mcp")


@pytest.mark.parametrize("body", [HALF_KEY, HALF_KEYS, *ODD_NUMBERS], ids=lambda body: body[:24].decode())
def test_what_cannot_be_kept_is_refused_wherever_it_is_sent(body: bytes) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin"), **JSON) as client:
            for place in PLACES:
                response = await client.post(place, content=body)
                assert response.status_code == 400, (place, response.text)
                assert said(response)

    run(scenario())


def test_an_event_may_have_its_attributes_in_headers() -> None:
    told = {
        "ce-specversion": "1.0",
        "ce-id": "7",
        "ce-source": "/shop",
        "ce-type": "order.sent",
        "ce-region": "K%C3%B6ln",
    }

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            sent = await client.post("/api/events", json={"type": "x.y", "id": "other"}, headers=told)
            assert (sent.status_code, said(sent)["items"][0]["id"]) == (202, "7"), sent.text
            found = await there.engine.events.get("7")
            assert (found.event.type, found.event.source) == ("order.sent", "/shop")
            assert found.event.data == {"type": "x.y", "id": "other"}
            assert found.event.metadata == {"region": "Köln", "datacontenttype": "application/json"}
            empty = await client.post("/api/events", headers={**told, "ce-id": "8"})
            assert empty.status_code == 202, empty.text
            missing = await client.post("/api/events", headers={"ce-specversion": "1.0", "ce-id": "9"})
            assert missing.status_code == 422, missing.text
            text = await client.post("/api/events", content=b"<a/>", headers={**told, "content-type": "text/xml"})
            assert text.status_code == 415, text.text

    run(scenario())


def test_a_key_that_is_sent_twice_is_refused() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await there.engine.workflows.save(GREET)
            for place, body in (("/api/executions", {"name": "greet"}), ("/api/workflows", GREET)):
                sent = [("Idempotency-Key", "1"), ("Idempotency-Key", "2")]
                response = await client.post(place, json=body, headers=sent)
                assert (response.status_code, said(response)["code"]) == (400, "bad_idempotency_key")
            assert not (await there.engine.executions.list()).items

    run(scenario())


def test_nobody_takes_the_place_of_a_delivery() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "operator")) as client:
            await there.engine.workflows.save(GREET)
            for key in ("webhook:wh_1:7", "again:1"):
                response = await client.post(
                    "/api/executions", json={"name": "greet"}, headers={"Idempotency-Key": key}
                )
                assert response.status_code == 409, response.text
                assert "let it begin otherwise" in said(response)["detail"]

    run(scenario())


def test_a_body_may_say_that_it_is_not_compressed() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            for told, status in (("Identity", 201), ("", 201), ("gzip", 415)):
                await there.engine.workflows.save(GREET)
                response = await client.post(
                    "/api/executions", json={"name": "greet"}, headers={"Content-Encoding": told}
                )
                assert response.status_code == status, response.text

    run(scenario())


def test_where_a_body_is_missing_that_is_what_is_told() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            response = await client.post("/api/executions")
            assert (response.status_code, said(response)["code"]) == (400, "no_body")

    run(scenario())


def test_what_stands_for_a_slash_is_none() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await there.engine.workflows.save({**GREET, "name": "a/b"})
            assert (await client.get("/api/workflows/a%2Fb")).status_code == 200
            for place in ("a%1fb", "a%1Fb%2fc"):
                response = await client.get(f"/api/workflows/{place}")
                assert (response.status_code, said(response)["code"]) == (404, "workflow_not_found")

    run(scenario())


def test_whoever_watches_over_a_server_may_ask_for_heads() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            for place in ("/healthz", "/readyz"):
                response = await client.head(place)
                assert (response.status_code, response.content) == (200, b"")

    run(scenario())


CLOSED: dict[str, Any] = {**GREET, "inputSchema": {"type": "object", "required": ["z"]}}


@pytest.mark.parametrize("what", ["deactivated", "other input", "deleted name"])
def test_a_start_under_its_key_is_answered_however_its_workflow_has_changed(what: str) -> None:
    async def change(there: House) -> None:
        if what == "deactivated":
            await there.engine.workflows.deactivate("greet", "1")
        elif what == "other input":
            await there.engine.workflows.save(CLOSED)
        else:
            await there.engine.workflows.save({**GREET, "name": "other"})

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await there.engine.workflows.save(GREET)
            key = {"Idempotency-Key": "17"}
            asked = {"name": "greet", "input": {"name": "Ada"}}
            first = await client.post("/api/executions", json=asked, headers=key)
            await change(there)
            again = await client.post("/api/executions", json=asked, headers=key)
            assert (again.status_code, said(again)["id"]) == (201, said(first)["id"]), again.text
            assert again.headers["Idempotent-Replayed"] == "true"
            other = await client.post("/api/executions", json={**asked, "input": {"name": "Eve"}}, headers=key)
            assert (other.status_code, said(other)["code"]) == (422, "other_request"), other.text
            named = await client.post("/api/executions", json={**asked, "name": "helo"}, headers=key)
            assert (named.status_code, said(named)["code"]) == (422, "other_request"), named.text
            assert "of workflow 'greet'" in said(named)["detail"]
            fresh = await client.post("/api/executions", json={"name": "helo"}, headers={"Idempotency-Key": "18"})
            assert fresh.status_code == 404

    run(scenario())


def test_of_a_bulk_request_what_could_not_be_done_is_done_under_the_same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_OPEN_EXECUTIONS_MAX", "3")

    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            await there.engine.workflows.save(ASK)
            for _ in range(5):
                execution = await there.engine.executions.start("refund")
                await execution.cancel()
                await execution.ended()
            asked = {"action": "rerun", "filter": {"workflow": "refund", "status": "cancelled"}}
            key = {"Idempotency-Key": "all"}
            first = said(await client.post("/api/bulk", json=asked, headers=key))["items"]
            assert [each["done"] for each in first].count(True) == 3
            done = {each["id"]: each for each in first if each["done"]}
            for approval in (await there.engine.approvals.list(status="pending")).items:
                await there.engine.approvals.decide(approval.id, "approve")
            for each in first:
                if each["done"]:
                    await (await there.engine.executions.get(each["new"])).ended()
            monkeypatch.setattr(there.engine.limits, "_open", {})  # it is counted once a second
            again = said(await client.post("/api/bulk", json=asked, headers=key))["items"]
            told = {each["id"]: each for each in again}
            assert all(told[id_] == each for id_, each in done.items())
            assert all(told[each["id"]]["done"] for each in first)

    run(scenario())
