"""What a route does not know is refused by its name: a filter that nobody heeds would answer with everything."""

from __future__ import annotations

from typing import Any

import pytest

from api.house import ASK, GREET, house, run, said


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("/api/executions?triggeredBy=webhook", "there is no parameter 'triggeredBy' here"),
        ("/api/executions?statsu=failed", "did you mean 'status'?"),
        ("/api/executions?status=failed&status=cancelled", "the parameter 'status' is given twice; give it once"),
        ("/api/workflows/x/versions?limit=1", "there is no parameter 'limit' here; it takes none"),
        ("/api/audit?nobody=1&nothing=2", "there is no parameter 'nothing' here"),
    ],
)
def test_parameters_that_are_not_known_are_told(path: str, told: str) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "admin")) as client:
            refused = await client.get(path)
            assert (refused.status_code, said(refused)["code"]) == (422, "invalid_request")
            assert told in said(refused)["detail"]
            assert len(said(refused)["errors"]) == path.count("nobody=") + 1

    run(scenario())


def test_who_may_not_ask_is_not_told_what_there_is() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask("prd_nobody") as client:
            assert (await client.get("/api/executions?statsu=failed")).status_code == 401

    run(scenario())


def test_a_condition_that_nothing_is_compared_with_is_refused() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            saved = said(await client.post("/api/workflows", json=GREET))
            place = f"/api/workflows/{saved['id']}/activate"
            refused = await client.post(place, json={"version": "1"}, headers={"If-Match": '"9"'})
            assert (refused.status_code, said(refused)["code"]) == (400, "no_if_match")
            assert (await client.post(place, json={"version": "1"})).status_code == 200

    run(scenario())


def test_a_history_goes_on_by_the_cursor_that_every_list_has() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            await client.post("/api/workflows", json=GREET)
            started = said(await client.post("/api/executions", json={"name": "greet"}))
            assert started["componentWorkflowId"] == started["id"]
            place = f"/api/executions/{started['id']}"
            await client.get(place, params={"wait": 20})
            whole: list[Any] = said(await client.get(f"{place}/history"))["items"]
            paged: list[Any] = []
            more: dict[str, str] = {}
            while True:
                page = said(await client.get(f"{place}/history", params={"limit": "1", **more}))
                paged += page["items"]
                if page["next"] is None:
                    break
                more = {"cursor": page["next"]}
            assert paged == whole
            assert [each["id"] for each in whole] == [str(each["seq"]) for each in whole]
            steps = said(await client.get(f"{place}/steps"))["items"]
            assert [each["id"] for each in steps] == [each["step"] for each in steps]

    run(scenario())


def test_nobody_is_led_to_where_the_host_says() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            answer = await client.get("/api/workflows/", headers={"Host": "evil.example"})
            assert (answer.status_code, answer.headers.get("location")) == (404, None)

    run(scenario())


def test_all_executions_are_meant_only_by_who_says_how_many_they_are() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            await client.post("/api/workflows", json=ASK)
            started = said(await client.post("/api/executions", json={"name": "refund"}))
            body: Any = {"action": "cancel", "filter": {}}
            refused = await client.post("/api/bulk", json=body)
            assert (refused.status_code, said(refused)["code"]) == (422, "all_of_them")
            matched = said(await client.post("/api/bulk/preview", json=body))["matched"]
            done = await client.post("/api/bulk", json={**body, "matched": matched})
            assert (done.status_code, len(said(done)["items"])) == (200, 1)
            assert said(await client.get(f"/api/executions/{started['id']}"))["status"] == "cancelled"

    run(scenario())


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": 1, "a": 2}', b"[" * 200, b"\xff"])
def test_what_is_not_even_json_is_told_as_every_document_that_cannot_be_saved(body: bytes) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask(await there.key("ada", "editor")) as client:
            json = {"Content-Type": "application/json"}
            refused = await client.post("/api/workflows", content=body, headers=json)
            assert refused.status_code == 400
            assert said(refused)["error"] == "Workflow validation failed"
            assert said(refused)["errors"]

    run(scenario())
