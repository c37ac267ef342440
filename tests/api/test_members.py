"""Members over HTTP: of two who change one, the second is told that it is not as they saw it."""

from __future__ import annotations

from api.house import house, run, said


def test_who_changes_a_member_says_what_they_saw() -> None:
    async def scenario() -> None:
        async with house() as there:
            token = await there.key("root", "admin")
            async with there.ask(token) as client:
                made = await client.post("/api/members", json={"id": "eve"})
                seen = made.headers["ETag"]
                place = "/api/members/eve"
                changed = await client.patch(place, json={"name": "Eve"}, headers={"If-Match": seen})
                assert (changed.status_code, said(changed)["name"]) == (200, "Eve")
                late = [
                    await client.patch(place, json={"name": "Ewa"}, headers={"If-Match": seen}),
                    await client.delete(place, headers={"If-Match": seen}),
                ]
                assert [each.status_code for each in late] == [412, 412]
                assert said(await client.get(place))["name"] == "Eve"
                assert (await client.patch(place, json={"name": "x"}, headers={"If-Match": "eve"})).status_code == 412
                gone = await client.delete(place, headers={"If-Match": changed.headers["ETag"]})
                assert gone.status_code == 204

    run(scenario())
