"""`perdure approvals link` makes a link that a server with the same key takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from api.house import house, run
from cli.test_people import Typed
from cli.typing import here
from links.words import asked, item, sent
from perdure.clock import now_ms
from perdure.expressions.times import instant_ms
from perdure.hosts.envelopes import new_key

PUBLIC = "https://flows.example.com"
HOUR_MS = 3_600_000


@pytest.fixture
def typed(capsys: pytest.CaptureFixture[str]) -> Typed:
    return lambda *arguments: here(capsys, *arguments)


def test_the_command_line_makes_one_that_the_server_takes(
    tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    db, key = f"sqlite:///{tmp_path}/flows.db", new_key()
    ids: list[str] = []

    async def prepare() -> None:
        async with house(db, secret_keys=key) as there:
            await there.engine.members.add("ann", groups=["finance"])
            ids.append(await asked(there.engine, {"sum": 90}, votesRequired=2))

    run(prepare())
    monkeypatch.setenv("PERDURE_SECRET_KEY", key)
    monkeypatch.delenv("PERDURE_PUBLIC_URL", raising=False)
    command = ("approvals", "link", ids[0], "--db", db)
    bare = typed(*command, "--as", "ann")
    assert (bare.status, bare.out[:3]) == (0, "/a/")
    assert "it decides in the name of ann, once, until" in bare.err
    assert "PERDURE_PUBLIC_URL" in bare.err

    monkeypatch.setenv("PERDURE_PUBLIC_URL", PUBLIC)
    told = typed(*command, "--as", "ann", "--expires", "PT1H", "--json").object
    assert (told["approvalId"], told["member"]) == (ids[0], "ann")
    assert 0 < instant_ms(told["expiresAt"]) - now_ms() <= HOUR_MS

    async def decide() -> None:
        async with house(db, secret_keys=key) as there, there.ask() as client:
            for url, decision in ((bare.out.strip(), "reject"), (told["url"].removeprefix(PUBLIC), "approve")):
                assert (await sent(client, url, decision)).status_code == 200
                (vote,) = (await item(there, ids[0])).votes
                assert (vote.by, vote.decision) == ("ann", decision)

    run(decide())


def test_what_is_missing_is_said(tmp_path: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch) -> None:
    db, ids = f"sqlite:///{tmp_path}/flows.db", []

    async def prepare() -> None:
        async with house(db) as there:
            ids.append(await asked(there.engine, {"sum": 90}))

    monkeypatch.delenv("PERDURE_SECRET_KEY", raising=False)
    run(prepare())
    command = ("approvals", "link", ids[0], "--db", db)
    nobody, keyless, never = typed(*command), typed(*command, "--as", "ann"), typed(*command, "--expires", "soon")
    assert (nobody.status, keyless.status, never.status) == (2, 2, 2)
    assert "--as MEMBER" in nobody.err
    assert "PERDURE_SECRET_KEY" in keyless.err
    assert "--expires soon" in never.err
