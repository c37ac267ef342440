"""Schedules over HTTP: added, changed and taken away, beside those of documents."""

from __future__ import annotations

from typing import Any

import pytest

from api.house import GREET, database, house, run, said
from api.test_matrix import CRON


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
