"""Schedules over HTTP: added, changed and taken away, beside those of documents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from api.house import GREET, database, house, run, said
from api.test_matrix import CRON
from perdure.core import schedules
from perdure.core.steps import task
from perdure.expressions.times import LAST_MS, iso


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_a_schedule_is_added_changed_and_taken_away(kind: str, tmp_path: Any) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind)) as there:
            token = await there.key("eve", "editor")
            workflow = await there.engine.workflows.save(GREET)
            async with there.ask(token) as client:
                body = {"workflow": "greet", "id": "mornings", "schedule": "0 7 * * *", "timezone": "Europe/Berlin"}
                made = await client.post("/api/schedules", json=body)
                again = await client.post("/api/schedules", json=body)
                assert (made.status_code, again.status_code) == (201, 201)
                assert said(made) == said(again)
                assert (said(made)["id"], said(made)["added"]) == (f"{workflow.id}/mornings", True)
                place = f"/api/schedules/{workflow.id}/mornings"
                changed = await client.patch(place, json={"every": "PT5M", "timezone": None, "input": {"name": "Ada"}})
                assert changed.status_code == 200, changed.text
                assert said(changed) == {
                    **said(made),
                    "schedule": None,
                    "every_ms": 300_000,
                    "timezone": "UTC",
                    "input": {"name": "Ada"},
                    "next_at": said(changed)["next_at"],
                }
                assert [each["id"] for each in said(await client.get("/api/schedules"))["items"]] == [said(made)["id"]]
                assert (await client.delete(place)).status_code == 204
                assert (await client.get(place)).status_code == (await client.delete(place)).status_code == 404
            done = [each.action for each in (await there.engine.audit.list()).items if each.register == "schedules"]
            assert done == ["schedule.removed", "schedule.changed", "schedule.added"]

    run(scenario())


REFUSED: dict[str, tuple[dict[str, Any], int, str]] = {
    "no time": ({}, 422, "when?"),
    "no slot": ({"every": "P3000000D"}, 422, "after the year 9999; give a shorter one"),
    "two times": ({"schedule": "@daily", "every": "P1D"}, 422, "not both"),
    "no cron": ({"schedule": "0 25 * * *"}, 422, "no cron expression"),
    "no zone": ({"schedule": "@daily", "timezone": "Mars"}, 422, "no time zone"),
    "too often": ({"every": 10}, 422, "the least is a second"),
    "never": ({"schedule": "@daily", "end": "1970-01-01T00:00:00Z"}, 422, "no time between"),
    "no id": ({"schedule": "@daily", "id": "a/b"}, 422, "'id' has"),
    "nobody": ({"schedule": "@daily", "workflow": "nobody"}, 404, "no workflow 'nobody'"),
    "misspelt": ({"schedul": "@daily"}, 422, "schedul"),
    "taken by the document": ({"schedule": "@daily", "workflow": "daily", "id": "start"}, 409, "already"),
}


def test_what_is_no_schedule_is_refused_with_all_that_is_wrong() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("eve", "editor")
            for document in (GREET, CRON):
                await there.engine.workflows.save(document)
            async with there.ask(token) as client:
                for name, (given, status, part) in REFUSED.items():
                    response = await client.post("/api/schedules", json={"workflow": "greet", **given})
                    assert response.status_code == status, (name, response.text)
                    assert part in response.text, (name, response.text)
                both = await client.post("/api/schedules", json={"workflow": "greet", "schedule": "x", "timezone": "y"})
                assert [each["field"] for each in said(both)["errors"]] == ["schedule", "timezone"]
            assert len((await there.engine.schedules.list()).items) == 1

    run(scenario())


def test_those_of_documents_are_changed_there() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("eve", "editor")
            workflow = await there.engine.workflows.save(CRON)
            async with there.ask(token) as client:
                place = f"/api/schedules/{workflow.id}/start"
                for response in (await client.patch(place, json={"every": "P1D"}), await client.delete(place)):
                    assert response.status_code == 409
                    assert "stands in the document" in response.text

    run(scenario())


FAR = "P3000000D"
"""As many days after any year of this calendar, it is over."""


def far(**data: Any) -> dict[str, Any]:
    return {"name": "far", "nodes": [{"id": "s", "type": "SCHEDULE_TRIGGER", "data": data}], "connections": []}


@pytest.mark.parametrize("kind", ["memory", "sqlite", "postgres"])
def test_slots_after_the_year_9999_that_older_versions_stored_break_no_list(
    kind: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        async with house(database(tmp_path, kind), needs_key=False) as there, there.ask() as client:
            with monkeypatch.context() as older:
                older.setattr(schedules, "LAST_MS", 10**15)
                saved = said(await client.post("/api/workflows", json=far(every=FAR)))
                added = {"workflow": "far", "id": "added", "every": FAR}
                assert said(await client.post("/api/workflows", json=GREET))["id"]
                assert (await client.post("/api/schedules", json=added)).status_code == 201
            for place in ("/api/schedules", *(f"/api/schedules/{saved['id']}/{each}" for each in ("s", "added"))):
                answer = await client.get(place)
                assert answer.status_code == 200, answer.text
                assert {each["next_at"] for each in said(answer).get("items", [said(answer)])} == {None}
            for each in ("s", "added"):
                place = f"/api/schedules/{saved['id']}/{each}"
                assert said(await client.get(f"{place}/next"))["items"] == []
                for what in ("pause", "resume", "reset"):
                    assert said(await client.post(f"{place}/{what}"))["next_at"] is None
            refused = await client.patch(f"/api/schedules/{saved['id']}/added", json={"catchUp": "all"})
            assert (refused.status_code, said(refused)["errors"][0]["field"]) == (422, "every")

    run(scenario())


def test_a_schedule_without_a_slot_is_refused_and_one_with_a_last_slot_is_listed() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            refused = await client.post("/api/workflows", json=far(every=FAR))
            assert refused.status_code == 400
            assert [each["path"] for each in said(refused)["errors"]] == ["/nodes/0/data/every"]
            saved = said(await client.post("/api/workflows", json=far(every="PT5M", start="9999-12-31T23:59:59Z")))
            coming = await client.get(f"/api/schedules/{saved['id']}/s/next")
            assert said(coming)["items"] == ["9999-12-31T23:59:59.000Z"]
            assert said(await client.get("/api/schedules"))["items"][0]["next_at"] == "9999-12-31T23:59:59.000Z"

    run(scenario())


@pytest.mark.parametrize("is_older", [False, True])
def test_a_retry_after_the_year_9999_is_told_as_its_last_instant(
    is_older: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_older:
        monkeypatch.setattr(task, "add_ms", lambda at, duration: at + duration)
    policy = {"maxAttempts": 3, "initialInterval": FAR, "maxInterval": FAR}
    step = {"stepId": "w", "type": "TASK", "taskId": "boom", "retryPolicy": policy}

    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:

            @there.engine.task("boom")
            async def boom(input_: Any) -> None:
                raise RuntimeError

            document = {"name": "far", "version": "1.0.0", "steps": [step]}
            assert (await client.post("/api/workflows", json=document)).status_code == 201
            place = f"/api/executions/{said(await client.post('/api/executions', json={'workflowId': 'far'}))['id']}"
            waits: list[Any] = []
            while not waits or waits[0]["kind"] != "backoff":
                await asyncio.sleep(0.02)
                why = await client.get(f"{place}/why")
                assert why.status_code == 200, why.text
                waits = said(why)["waits"]
            assert waits[0]["until"] == iso(LAST_MS)
            for view in ("", "/steps", "/history", "?view=own"):
                assert (await client.get(place + view)).status_code == 200

    run(scenario())
