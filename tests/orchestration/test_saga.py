"""The order saga, from the event that starts it to its end: paid, not paid, declined, and called off wherever it is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from hosts.health import assert_healthy, effects_in
from orchestration.scenes import BY_NAME, SCENES, Scene
from orchestration.shop import Shop
from orchestration.views import statuses, undoing_of
from perdure.service.engine import Engine
from postgres import fresh_schema

SHIPPED_WITH_A_GIFT_CARD = "called off while it is shipped, and the gift card takes nothing back"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return {
        "memory": lambda: "memory://",
        "sqlite": lambda: f"sqlite:///{tmp_path}/flows.db",
        "postgres": fresh_schema,
    }[request.param]()


def played(url: str, scene: Scene, folder: Path) -> dict[str, Any]:
    """How the execution is seen in the end."""
    return asyncio.run(_played(url, scene, folder))[0]


async def _played(url: str, scene: Scene, folder: Path) -> tuple[dict[str, Any], Shop]:
    engine = Engine(url)
    shop = Shop(engine, folder / "effects", scene.called_off)
    async with engine:
        return await shop.play(scene), shop


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_what_becomes_of_an_order(scene: Scene, url: str, tmp_path: Path) -> None:
    view = played(url, scene, tmp_path)
    assert (view["status"], statuses(view)) == (scene.status, scene.steps)
    assert undoing_of(view) == scene.undoing
    assert (view["correlationId"], view["triggerEventId"], view["input"]) == ("O1", "placed", scene.order)
    assert view["completedAt"] is not None
    if url.startswith("sqlite"):
        assert_healthy(tmp_path / "flows.db", effects_in(tmp_path / "effects"))


def test_what_was_not_paid_in_time_is_told_by_its_handler(url: str, tmp_path: Path) -> None:
    view = played(url, BY_NAME["not paid in time"], tmp_path)
    steps = view["state"]["steps"]
    assert (steps["await_payment"]["error"]["code"], steps["await_payment"]["error"]["category"]) == (
        "TIMEOUT",
        "TIMEOUT",
    )
    assert steps["give_up"]["output"] == {"released": steps["reserve_stock"]["output"]["reservation"]}
    assert view["output"]["text"].startswith("Your order was not paid")


def test_who_called_it_off_is_told_in_both_spellings(url: str, tmp_path: Path) -> None:
    view = played(url, BY_NAME["called off while it waits"], tmp_path)
    told = view["cancellation"]
    assert view["cancelation"] == told
    assert {key: told[key] for key in ("reason", "source", "eventId")} == {
        "reason": "the customer has called the order off",
        "source": "EVENT",
        "eventId": "off",
    }
    assert view["state"]["waitingForEvent"] is None


def test_a_compensation_that_fails_in_a_step_has_the_fields_of_the_seed(url: str, tmp_path: Path) -> None:
    view = played(url, BY_NAME[SHIPPED_WITH_A_GIFT_CARD], tmp_path)
    state = view["compensationState"]
    assert set(state) == {"status", "startedAt", "completedAt", "plan", "completed", "failed"}
    assert (state["status"], state["completed"]) == ("COMPLETED_WITH_ERRORS", ["recall_parcel", "release_stock"])
    (failed,) = state["failed"]
    assert set(failed) == {"stepId", "error", "timestamp"}
    assert (failed["stepId"], failed["error"]) == ("refund", "nothing can be paid back to a gift card")
    assert state["startedAt"] <= failed["timestamp"] <= state["completedAt"]
    assert view["cancellation"]["requestedAt"] <= state["startedAt"]


def test_what_undoes_is_given_what_was_done(url: str, tmp_path: Path) -> None:
    scene = BY_NAME["called off while it is charged"]
    view, shop = asyncio.run(_played(url, scene, tmp_path))
    steps, given = view["state"]["steps"], shop.given["refund"]
    assert set(given) == {"originalOutput", "workflowInput", "workflowState", "cancellation"}
    assert (given["originalOutput"], given["workflowInput"]) == (steps["charge"]["output"], scene.order)
    assert given["workflowState"]["variables"] == {"method": "card", "token": "tok_1"}
    assert given["cancellation"] == view["cancellation"]
    assert shop.given["release_stock"] == {"reservation": steps["reserve_stock"]["output"]["reservation"]}
