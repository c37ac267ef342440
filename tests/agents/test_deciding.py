"""Approvals and what there is to look at: who may, and who may not."""

from __future__ import annotations

from typing import Any

import pytest

from agents.there import MODES, There, greet, refund, run, text, there


async def asked(house: There) -> tuple[str, str]:
    """An execution that waits, and the approval that it waits for."""
    await house.engine.workflows.save(refund())
    async with house.agent(await house.key("bot", "operator")) as client:
        id_ = (await client.call_tool("refund", {"amount": 7})).structured_content["id"]
        listed = await client.call_tool("perdure_list_approvals", {"execution": id_, "status": "pending"})
        (approval,) = listed.structured_content["items"]
        assert (approval["submittedData"], approval["approverRole"]) == ({"amount": 7}, "finance")
        return id_, approval["id"]


@pytest.mark.parametrize("mode", MODES)
def test_whoever_is_asked_decides_and_it_goes_on(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            execution, approval = await asked(house)
            async with house.agent(await house.key("fay", "approver", groups=("finance",)), mode) as client:
                mine = await client.call_tool("perdure_list_approvals", {"assignee": "me"})
                assert [each["id"] for each in mine.structured_content["items"]] == [approval]
                given: dict[str, Any] = {"approval": approval, "decision": "approve", "comments": "fine"}
                decided = await client.call_tool("perdure_decide_approval", given)
                assert decided.structured_content["status"] == "approved"
                assert (decided.structured_content["decidedBy"], decided.structured_content["comments"]) == (
                    "fay",
                    "fine",
                )
                again = await client.call_tool("perdure_decide_approval", given)
                assert again.structured_content["decidedAt"] == decided.structured_content["decidedAt"]
                other = await client.call_tool("perdure_decide_approval", {**given, "decision": "reject"})
                assert other.is_error
                assert "fay" in text(other)
                shown = await client.call_tool("perdure_show_execution", {"execution": execution, "waitSeconds": 30})
                assert shown.structured_content["status"] == "completed"

    run(scenario())


def test_on_ones_own_machine_whoever_asks_decides() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(refund())
            async with house.agent() as client:
                await client.call_tool("refund", {})
                (approval,) = (await client.call_tool("perdure_list_approvals", {})).structured_content["items"]
                given = {"approval": approval["id"], "decision": "reject", "comments": "too much"}
                decided = await client.call_tool("perdure_decide_approval", given)
                assert (decided.structured_content["status"], decided.structured_content["decidedBy"]) == (
                    "rejected",
                    "dev",
                )

    run(scenario())


def test_an_agent_with_a_key_of_somebody_who_is_asked_does_not_decide_if_that_is_for_looking() -> None:
    async def scenario() -> None:
        async with there() as house:
            _, approval = await asked(house)
            await house.engine.members.add("fay", roles=["approver", "viewer"], groups=["finance"])
            key = (await house.engine.keys.create("fay", scopes=["viewer"])).token
            async with house.agent(key) as client:
                given = {"approval": approval, "decision": "approve"}
                refused = await client.call_tool("perdure_decide_approval", given)
                assert "limited to viewer" in text(refused)
            assert (await house.engine.approvals.get(approval)).status == "pending"

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_who_starts_it_cannot_decide_it_and_is_told_who_may(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            _, approval = await asked(house)
            async with house.agent(await house.key("bot2", "operator", "editor"), mode) as client:
                given = {"approval": approval, "decision": "approve"}
                refused = await client.call_tool("perdure_decide_approval", given)
                assert refused.is_error
                assert refused.structured_content["code"] == "forbidden"
                assert "whoever is in the group 'finance' may, or an admin" in text(refused)
            assert (await house.engine.approvals.get(approval)).status == "pending"

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_a_viewer_looks_at_everything_and_starts_nothing(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            execution, _ = await asked(house)
            async with house.agent(await house.key("eve", "viewer"), mode) as client:
                refused = await client.call_tool("refund", {})
                assert refused.is_error
                assert "that takes the role operator or editor or admin, and eve has viewer" in text(refused)
                listed = await client.call_tool("perdure_list_executions", {"status": "waiting", "workflow": "refund"})
                assert [each["id"] for each in listed.structured_content["items"]] == [execution]
                why = await client.call_tool("perdure_why", {"execution": execution})
                assert why.structured_content["waits"][0]["kind"] == "approval"
                assert text(why).startswith("It waits at step 'ask' for the approval")
            assert len((await house.engine.executions.list()).items) == 1

    run(scenario())


@pytest.mark.parametrize("mode", MODES)
def test_what_another_organization_has_does_not_exist(mode: str) -> None:
    async def scenario() -> None:
        async with there() as house:
            execution, approval = await asked(house)
            token = await house.key("mal", "admin", organization="other")
            await house.engine.workflows.save(greet(), "other")
            async with house.agent(token, mode) as client:
                assert "refund" not in {each.name for each in (await client.list_tools()).tools}
                with pytest.raises(Exception, match="there is no tool 'refund'"):
                    await client.call_tool("refund", {})
                for name, given in (
                    ("perdure_show_execution", {"execution": execution}),
                    ("perdure_why", {"execution": execution}),
                    ("perdure_decide_approval", {"approval": approval, "decision": "approve"}),
                ):
                    told = await client.call_tool(name, given)
                    assert told.is_error
                    assert "there is no" in text(told)
                for name in ("perdure_list_executions", "perdure_list_approvals"):
                    assert (await client.call_tool(name, {})).structured_content["items"] == []
                assert (await client.call_tool("perdure_list_approvals", {"execution": execution})).structured_content[
                    "items"
                ] == []
                assert not (await client.call_tool("greet", {"name": "Mal"})).is_error
            assert (await house.engine.approvals.get(approval)).status == "pending"

    run(scenario())


def test_arguments_that_do_not_fit_are_all_told() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house, house.agent() as client:
            told = await client.call_tool("perdure_decide_approval", {"decision": "maybe", "comment": "x"})
            assert told.is_error
            assert {each["path"] for each in told.structured_content["errors"]} == {
                "/approval",
                "/decision",
                "/comment",
            }
            for name, given in (
                ("perdure_list_executions", {"limit": 101}),
                ("perdure_list_executions", {"limit": "5"}),
                ("perdure_list_executions", {"status": "odd"}),
                ("perdure_list_executions", {"cursor": "nonsense"}),
                ("perdure_list_approvals", {"cursor": "nonsense"}),
                ("perdure_show_execution", {"execution": "x" * 501}),
                ("perdure_show_execution", {"execution": "a", "waitSeconds": 61}),
            ):
                assert (await client.call_tool(name, given)).is_error, (name, given)

    run(scenario())


def test_lists_come_in_pages() -> None:
    async def scenario() -> None:
        async with there(needs_key=False) as house:
            await house.engine.workflows.save(greet())
            async with house.agent() as client:
                ids = [(await client.call_tool("greet", {})).structured_content["id"] for _ in range(3)]
                first = (await client.call_tool("perdure_list_executions", {"limit": 2})).structured_content
                second = (
                    await client.call_tool("perdure_list_executions", {"limit": 2, "cursor": first["next"]})
                ).structured_content
                assert [each["id"] for each in (*first["items"], *second["items"])] == ids[::-1]
                assert second["next"] is None

    run(scenario())
