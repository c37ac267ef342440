"""`/api/approvals`: what is asked in a wrong way, and what happened to one."""

from __future__ import annotations

import pytest

from api.house import house, run
from links.words import asked


@pytest.mark.parametrize(("given", "lacking"), [("resourceType", "resourceId"), ("resourceId", "resourceType")])
def test_what_approvals_are_about_is_said_by_both_or_neither(given: str, lacking: str) -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            answer = await client.get("/api/approvals", params={given: "x"})
            assert answer.status_code == 422
            (wrong,) = answer.json()["errors"]
            assert wrong["field"] == lacking
            assert wrong["message"] == f"{lacking} of the query: it goes together with {given}; give both, or neither"
            both = await client.get("/api/approvals", params={given: "x", lacking: "y"})
            assert (both.status_code, both.json()["items"]) == (200, [])

    run(scenario())


def test_what_happened_to_one_comes_page_by_page() -> None:
    async def scenario() -> None:
        async with house() as there:
            await there.engine.members.add("ann", groups=["finance"])
            approval = await asked(there.engine, {"sum": 90})
            await there.engine.approvals.decide(approval, "approve", actor="ann", comments="fine")
            async with there.ask(await there.key("vera", "viewer")) as client:
                first = (await client.get(f"/api/approvals/{approval}/history", params={"limit": 2})).json()
                assert [each["what"] for each in first["items"]] == ["opened", "voted"]
                voted = first["items"][1]
                assert (voted["by"], voted["decision"], voted["comments"]) == ("ann", "approve", "fine")
                rest = await client.get(f"/api/approvals/{approval}/history", params={"cursor": first["next"]})
                assert ([each["what"] for each in rest.json()["items"]], rest.json()["next"]) == (["decided"], None)
                assert (await client.get("/api/approvals/nothing/history")).status_code == 404

    run(scenario())
