"""A client that is told nothing asks the server of the environment, and no other is sent the key of the environment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from api.house import house, run
from perdure import Client, NoServer, SyncClient, Unauthorized
from perdure.settings.setting import BadSetting

OWN = "http://127.0.0.1:1"
KEY = "prd_abcdefghij_" + "s" * 43 + "_abcdef"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any of what is ours."""
    for name in ("PERDURE_SERVER_URL", "PERDURE_KEY", "PERDURE_KEY_FILE"):
        monkeypatch.delenv(name, raising=False)


def sent_key(client: Client) -> str | None:
    """What it authorizes itself with."""
    return client._channel._headers.get("Authorization")


@pytest.mark.parametrize("kind", [Client, SyncClient])
def test_without_a_server_the_setting_is_named(kind: Callable[[], object]) -> None:
    with pytest.raises(NoServer, match=r"which server\? give its address, .* or set PERDURE_SERVER_URL"):
        kind()


@pytest.mark.parametrize("is_in_a_file", [False, True])
def test_server_and_key_of_the_environment_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_in_a_file: bool
) -> None:
    async def scenario() -> None:
        async with house() as there:
            key = await there.key("boss", "admin")
            monkeypatch.setenv("PERDURE_SERVER_URL", f"{there.url}/")
            async with Client() as stranger:
                with pytest.raises(Unauthorized):
                    await stranger.members.list()
            (tmp_path / "key").write_text(f"{key}\n")
            name, value = ("PERDURE_KEY_FILE", str(tmp_path / "key")) if is_in_a_file else ("PERDURE_KEY", key)
            monkeypatch.setenv(name, value)
            async with Client() as client:
                assert client.url == there.url
                assert [each.id for each in (await client.members.list()).items] == ["boss"]

    run(scenario())


def test_a_client_that_waits_finds_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_SERVER_URL", OWN)
    monkeypatch.setenv("PERDURE_KEY", KEY)
    with SyncClient() as client:
        assert client.url == OWN
        assert sent_key(client._client) == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("own", "url", "is_sent"),
    [
        (OWN, None, True),
        (OWN, OWN, True),
        (OWN, f"{OWN}/", True),
        ("http://LOCALHOST:1/", "http://localhost:1", True),
        (OWN, "http://127.0.0.1:2", False),
        (OWN, "https://127.0.0.1:1", False),
        (OWN, f"{OWN}/other", False),
        (OWN, f"{OWN}0", False),
        ("nowhere", OWN, False),
        ("", OWN, False),
    ],
)
def test_a_key_of_the_environment_is_sent_to_its_server_alone(
    monkeypatch: pytest.MonkeyPatch, own: str, url: str | None, *, is_sent: bool
) -> None:
    monkeypatch.setenv("PERDURE_SERVER_URL", own)
    monkeypatch.setenv("PERDURE_KEY", KEY)
    assert (sent_key(Client(url)) is not None) == is_sent


def test_what_is_given_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_SERVER_URL", OWN)
    monkeypatch.setenv("PERDURE_KEY", KEY)
    assert Client("http://127.0.0.1:2").url == "http://127.0.0.1:2"
    assert sent_key(Client(key="prd_given")) == "Bearer prd_given"
    with pytest.raises(NoServer, match="'' is not the address"):
        Client("")


def test_a_key_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_SERVER_URL", OWN)
    monkeypatch.setenv("PERDURE_KEY_FILE", "nowhere.key")
    with pytest.raises(BadSetting, match=r"PERDURE_KEY_FILE \(nowhere.key\) cannot be read"):
        Client()
    assert Client(OWN, KEY).url == OWN
