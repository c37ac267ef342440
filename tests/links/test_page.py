"""The page of a link: looking decides nothing, the form decides once, and browsers are told to keep the address to themselves."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from api.house import House, house, run
from links.words import FORM, asked, item, link, read, sent

SEEN = {"title": "Refund of 90 €", "message": "The parcel\narrived broken."}


async def ann(there: House) -> None:
    await there.engine.members.add("ann", groups=["finance"], name="Ann B.")


def test_looking_decides_nothing_however_often() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(there.engine, {"sum": 90}, metadata=SEEN, submittedData="{{sum}}")
            path = await link(there, approval)
            before = await item(there, approval)
            for _ in range(3):
                looked = await client.get(path)
                assert looked.status_code == 200
                head = await client.head(path)
                assert (head.status_code, head.content) == (200, b"")
                assert head.headers["content-length"] == looked.headers["content-length"]
            for query in ("?decision=approve", "?decision=approve&comments=x"):
                assert read(await client.get(path + query)).has_form
            assert await item(there, approval) == before
            assert [each.action for each in (await there.engine.audit.list()).items][:1] == ["approval.linked"]

    run(scenario())


def test_the_page_says_what_is_asked_and_in_whose_name_it_is_decided() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            more = {
                "dueDate": "2031-05-06T07:08:09Z",
                "resourceType": "order",
                "resourceId": "A-1",
                "priority": "urgent",
            }
            approval = await asked(there.engine, {"order": {"sum": 90, "lines": [1]}}, metadata=SEEN, **more)
            page = read(await client.get(await link(there, approval)))
            execution = (await item(there, approval)).workflow_execution_id
            for text in (
                *("refund asks for a decision", *SEEN.values(), "6 May 2031, 07:08 UTC", "order A-1", "urgent"),
                *(execution, "You decide as Ann B. (ann)", '"sum": 90'),
            ):
                assert text in page.text, text
            assert not any(name == "script" for name, _ in page.elements)

    run(scenario())


def test_the_page_has_the_title_and_the_description_that_the_step_gives_it() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            said = {"title": "Refund {{sum}}?", "description": "For {{who}}."}
            approval = await asked(there.engine, {"sum": 90, "who": "Bob"}, **said)
            looked = await client.get(await link(there, approval))
            assert "<title>Refund 90? · Perdure</title>" in looked.text
            assert "For Bob." in read(looked).text

    run(scenario())


@pytest.mark.parametrize(
    ("decision", "status", "word"), [("approve", "approved", "Approved"), ("reject", "rejected", "Rejected")]
)
def test_the_form_decides_and_the_page_says_so_also_when_it_is_opened_again(
    decision: str, status: str, word: str
) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            done = await sent(client, path, decision, comments=" fine & good ")
            assert done.status_code == 200
            found = await item(there, approval)
            assert (found.status, found.decided_by, found.comments) == (status, "ann", "fine & good")
            assert found.modified_data is None
            for page in (read(done), read(await client.get(path))):
                assert f"{word}" in page.text
                assert "by you, ann" in page.text
                assert "fine & good" in page.text
                assert not page.has_form
            entry = next(
                each for each in (await there.engine.audit.list()).items if each.action == f"approval.{status}"
            )
            made = next(each for each in (await there.engine.audit.list()).items if each.action == "approval.linked")
            assert entry.by == "ann"
            assert entry.details["link"] == made.details["link"]
            assert (made.by, made.details["member"]) == ("program", "ann")

    run(scenario())


def test_the_same_again_is_answered_as_the_first_and_another_decision_says_who_decided() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            first = await sent(client, path)
            before = await item(there, approval)
            again, other = await sent(client, path), await sent(client, path, "reject", comments="no")
            assert (first.status_code, again.status_code, other.status_code) == (200, 200, 409)
            assert first.text == again.text == other.text
            assert "Approved" in read(other).text
            assert await item(there, approval) == before

    run(scenario())


@pytest.mark.parametrize("due", ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
def test_the_page_shows_a_due_date_in_every_year(due: str) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(there.engine, {"sum": 90}, metadata=SEEN, dueDate=due)
            looked = await client.get(await link(there, approval))
            assert (looked.status_code, due in looked.text) == (200, True)

    run(scenario())


def test_what_browsers_are_told_of_it() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            path = await link(there, await asked(there.engine, {"sum": 90}))
            for response in (await client.get(path), await client.get("/a/nonsense"), await sent(client, path)):
                told = response.headers
                assert told["referrer-policy"] == "no-referrer"
                assert told["cache-control"] == "no-store"
                assert told["x-content-type-options"] == "nosniff"
                assert told["x-frame-options"] == "DENY"
                hashed = b64encode(sha256(read(response).style.encode()).digest()).decode()
                assert told["content-security-policy"] == (
                    f"default-src 'none'; style-src 'sha256-{hashed}'; form-action 'self'; frame-ancestors 'none'; "
                    "base-uri 'none'"
                )
                assert not [1 for _, attributes in read(response).elements for name, _ in attributes if name == "style"]

    run(scenario())


def test_what_is_not_the_form_of_this_page_decides_nothing() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            sends: list[tuple[int, str | None, bytes]] = [
                (415, "application/json", b'{"decision": "approve"}'),
                (415, "multipart/form-data; boundary=x", b"--x--"),
                (415, "text/plain", b"decision=approve"),
                (415, None, b"decision=approve"),
                (422, FORM["Content-Type"], b""),
                (422, FORM["Content-Type"], b"comments=x"),
                (422, FORM["Content-Type"], b"decision=maybe"),
                (422, FORM["Content-Type"], b"decision=approve&decision=reject"),
                (422, FORM["Content-Type"], b"decision=approve&other=1"),
                (422, FORM["Content-Type"], b"decision=approve&comments=%ff"),
                (422, FORM["Content-Type"], "decision=approve&comments=é".encode()),
                (422, FORM["Content-Type"], b"decision"),
                (422, FORM["Content-Type"], b"decision=approve&comments=" + b"x" * 10_001),
                (413, FORM["Content-Type"], b"decision=approve&comments=" + b"x" * 600_000),
            ]
            for status, kind, body in sends:
                response = await client.post(path, content=body, headers={} if kind is None else {"Content-Type": kind})
                assert response.status_code == status, (kind, body[:60])
                assert "refund" not in read(response).text or status == 422
            for method in ("PUT", "DELETE", "PATCH"):
                assert (await client.request(method, path)).status_code == 405
            assert (await item(there, approval)).status == "pending"
            assert (await sent(client, path)).status_code == 200

    run(scenario())


def test_a_page_from_elsewhere_decides_nothing() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            foreign = [
                {"Sec-Fetch-Site": "cross-site"},
                {"Sec-Fetch-Site": "same-site"},
                {"Sec-Fetch-Site": "cross-site", "Origin": there.url},
                {"Origin": "https://evil.example.com"},
                {"Origin": "http://["},
                {"Origin": f"{there.url}.evil.example.com"},
            ]
            own = [
                {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
                {"Sec-Fetch-Site": "none"},
                {"Origin": there.url},
                {"Origin": "null"},
            ]
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            for headers in foreign:
                refused = await client.post(path, content="decision=approve", headers={**FORM, **headers})
                assert refused.status_code == 403, headers
                assert (await item(there, approval)).status == "pending"
            for headers in own:
                approval = await asked(there.engine, {"sum": 90})
                path = await link(there, approval)
                done = await client.post(path, content="decision=approve", headers={**FORM, **headers})
                assert done.status_code == 200, headers
                assert (await item(there, approval)).status == "approved"

    run(scenario())


def test_on_ones_own_machine_a_page_of_ours_may_send_its_form_and_no_other_page_may() -> None:
    async def scenario() -> None:
        async with house(needs_key=False) as there, there.ask() as client:
            approval = await asked(there.engine, {"sum": 90})
            path = await link(there, approval)
            for headers in ({"Origin": "null"}, {"Origin": "null", "Sec-Fetch-Site": "cross-site"}):
                refused = await client.post(path, content="decision=approve", headers={**FORM, **headers})
                assert refused.status_code == 403
            ours = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}
            assert (await client.post(path, content="decision=approve", headers={**FORM, **ours})).status_code == 200
            assert (await item(there, approval)).decided_by == "ann"

    run(scenario())


def test_data_can_be_changed_where_the_workflow_lets_it_and_nowhere_else() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            fixed = await asked(there.engine, {"sum": 90}, submittedData={"sum": 90})
            path = await link(there, fixed)
            assert 'name="data"' not in (await client.get(path)).text
            refused = await sent(client, path, data='{"sum": 1}')
            assert refused.status_code == 422
            assert (await item(there, fixed)).status == "pending"

            free = await asked(there.engine, {"sum": 90}, submittedData={"sum": 90}, allowDataModification=True)
            path = await link(there, free)
            shown = re.search(r"<textarea[^>]*name=\"data\"[^>]*>\n([^<]*)<", (await client.get(path)).text)
            assert shown is not None
            for wrong in ('{"sum": ', '{"sum": 1, "sum": 2}', "[" * 200 + "]" * 200, "<script>"):
                again = await sent(client, path, data=wrong, comments="kept")
                assert again.status_code == 422
                assert wrong in read(again).text
                assert "kept" in read(again).text
            assert (await item(there, free)).status == "pending"
            assert (await sent(client, path, data='{"sum": 40}')).status_code == 200
            assert (await item(there, free)).modified_data == {"sum": 40}

            same = await asked(there.engine, {"sum": 90}, submittedData={"sum": 90}, allowDataModification=True)
            path = await link(there, same)
            as_sent_by_a_browser = shown.group(1).replace("&quot;", '"').replace("\n", "\r\n")
            assert (await sent(client, path, data=as_sent_by_a_browser)).status_code == 200
            assert (await item(there, same)).modified_data is None

            rejected = await asked(there.engine, {"sum": 90}, submittedData={"sum": 90}, allowDataModification=True)
            assert (await sent(client, await link(there, rejected), "reject", data="{")).status_code == 200
            assert (await item(there, rejected)).status == "rejected"

    run(scenario())


def test_data_that_is_too_long_is_cut_and_cannot_be_changed_here() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            approval = await asked(
                there.engine, {"text": "x" * 60_000}, submittedData="{{text}}", allowDataModification=True
            )
            path = await link(there, approval)
            looked = await client.get(path)
            assert 'name="data"' not in looked.text
            assert "60,002 characters in all" in read(looked).text
            assert len(looked.content) < 40_000
            assert (await sent(client, path, data='"x"')).status_code == 422
            assert (await sent(client, path)).status_code == 200
            assert (await item(there, approval)).modified_data is None

    run(scenario())


def test_no_token_stands_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            await ann(there)
            path = await link(there, await asked(there.engine, {"sum": 90}))
            with caplog.at_level("DEBUG", "perdure"):
                await client.get(path)
                await sent(client, path)
                await client.post("/hooks/a-token-of-a-webhook", content=b"{}")
            said = [str(vars(record)) for record in caplog.records]
            assert [line for line in said if "'route': '/a/{token:path}', 'status': 200" in line]
            assert not [line for line in said if path.removeprefix("/a/") in line or "a-token-of" in line]

    run(scenario())
