"""What is no link: changed in any place, cut, signed with other keys, over. One and the same page, and nothing is changed."""

from __future__ import annotations

import string
from pathlib import Path

import msgspec
import pytest

from api.house import house, run
from links.words import asked, item, link, read, sent
from perdure.hosts.envelopes import new_key, read_keys
from perdure.service.engine import Engine
from perdure.service.errors import Conflict
from perdure.service.link_tokens import FORMAT, Link, Signing

LINK = Link(FORMAT, "nonce", "default", "e1-ask-1", "ann", 500, 1_000)
LETTERS = string.ascii_letters + string.digits + "-_"


def test_a_token_says_what_was_signed_until_its_time_is_over() -> None:
    signing = Signing(read_keys(new_key()))
    for signed in (LINK, Link(FORMAT, "ü", "o" * 200, "ä" * 200, "é" * 200, 500, 1_000, True, ("viewer",))):
        token = signing.signed(signed)
        assert set(token) <= set(LETTERS)
        assert signing.read(token, 999) == signed
        assert signing.read(token, 1_000) is None


def test_every_character_counts() -> None:
    """Also the last one, some of whose bits base64 does not need."""
    signing = Signing(read_keys(new_key()))
    token = signing.signed(LINK)
    for place in range(len(token)):
        for other in LETTERS if place in (0, len(token) - 1) else "Aa0-":
            changed = token[:place] + other + token[place + 1 :]
            assert (signing.read(changed, 0) is None) == (changed != token), (place, other)
        assert signing.read(token[:place], 0) is None
        assert signing.read(token[:place] + token[place + 1 :], 0) is None
    for more in ("=", "==", "A", "AA", "AAAA", " ", "\n", "%00", "é", "/", "."):
        assert signing.read(token + more, 0) is None
        assert signing.read(more + token, 0) is None
    for nothing in ("", "A", "=", "-" * 43, "A" * 10_000, "\ud800"):
        assert signing.read(nothing, 0) is None


def test_what_another_key_or_another_purpose_has_signed_is_nothing() -> None:
    keys = read_keys(new_key())
    token = Signing(keys).signed(LINK)
    assert Signing(read_keys(new_key())).read(token, 0) is None
    (derived,) = keys.derived(b"something else")
    assert derived not in keys.derived(b"approval links 1")


def test_a_format_of_another_version_is_nothing() -> None:
    signing = Signing(read_keys(new_key()))
    for other in (FORMAT - 1, FORMAT + 1):
        assert signing.read(signing.signed(msgspec.structs.replace(LINK, format=other)), 0) is None


def test_links_of_before_count_while_the_key_of_before_is_there() -> None:
    old, new = new_key(), new_key()
    token = Signing(read_keys(old)).signed(LINK)
    assert Signing(read_keys(f"{new},{old}")).read(token, 0) == LINK
    assert Signing(read_keys(new)).read(token, 0) is None
    both = Signing(read_keys(f"{new},{old}")).signed(LINK)
    assert Signing(read_keys(new)).read(both, 0) == LINK


def test_whatever_is_no_link_is_one_and_the_same_page_and_changes_nothing() -> None:
    async def scenario() -> None:
        async with house() as there, there.ask() as client:
            ann = await there.engine.members.add("ann", groups=["finance"])
            await there.engine.members.add("ann", groups=["finance"], organization="other")
            approval = await asked(there.engine, {"sum": 90})
            theirs = await asked(there.engine, {"sum": 90}, "other")
            path = await link(there, approval)
            token = path.removeprefix("/a/")
            forged = Signing(read_keys(new_key())).signed(Link(FORMAT, "x", "default", approval, "ann", 0, 2**62))
            signing = there.engine.links._signing
            assert signing is not None
            mixed = [
                signing.signed(Link(FORMAT, "x", organization, id_, "ann", ann.since, until))
                for organization, id_, until in (
                    ("default", theirs, 2**62),  # of another organization
                    ("other", approval, 2**62),
                    ("default", "gone", 2**62),
                    ("default", approval, 1),  # its time is over
                )
            ]
            changed = [token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in range(len(token))]
            cut = [token[:at] for at in range(0, len(token), 7)]
            audited = await there.engine.audit.list()
            pages = set()
            for no_link in (*changed, *cut, *mixed, forged, f"{token}/x", f"{token}%2f", "..%2f..", "a" * 5_000):
                for response in (await client.get(f"/a/{no_link}"), await sent(client, f"/a/{no_link}")):
                    assert response.status_code == 404, no_link
                    read(response)
                    kept = {"content-security-policy", "referrer-policy", "cache-control", "content-type"}
                    pages.add((response.content, *(response.headers[name] for name in sorted(kept))))
            assert len(pages) == 1
            for response in (await client.get("/a/%00"), await sent(client, "/a/%00")):
                assert response.status_code == 400, "NUL is refused in every path"
            assert (await item(there, approval)).status == "pending"
            assert (await item(there, theirs, "other")).status == "pending"
            assert await there.engine.audit.list() == audited
            assert (await client.get(path)).status_code == 200

    run(scenario())


def test_without_a_key_of_the_operator_there_are_no_links_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PERDURE_SECRET_KEY", raising=False)

    async def scenario() -> None:
        async with house(f"sqlite:///{tmp_path}/flows.db") as there, there.ask() as client:
            approval = await asked(there.engine, {"sum": 90})
            with pytest.raises(Conflict, match=r"no approval links here.*PERDURE_SECRET_KEY.*perdure secrets new-key"):
                await there.engine.approvals.link(approval, member="ann")
            assert (await client.get("/a/abc")).status_code == 404
            assert [each.action for each in (await there.engine.audit.list()).items] == ["workflow.saved"]

    run(scenario())


def test_no_link_shows_itself(capsys: pytest.CaptureFixture[str]) -> None:
    async def scenario() -> None:
        async with Engine() as engine:
            approval = await asked(engine, {"sum": 90})
            made = await engine.approvals.link(approval, member="ann")
            print(made, repr(made))
            assert made.url.removeprefix("/a/") not in capsys.readouterr().out

    run(scenario())
