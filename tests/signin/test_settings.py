"""What an operator says of sign-in in the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from perdure.api.app import application
from perdure.hosts.settings import session_ms
from perdure.service.engine import Engine
from perdure.service.oidc.settings import oidc_settings
from perdure.settings.setting import BadSetting

SOUND = {
    "PERDURE_PUBLIC_URL": "https://flows.example.com/",
    "PERDURE_OIDC_ISSUER": "https://id.example.com",
    "PERDURE_OIDC_CLIENT_ID": "perdure",
    "PERDURE_OIDC_CLIENT_SECRET": "hush",
}


def test_nobody_signs_in_by_a_provider_unless_it_is_said() -> None:
    assert oidc_settings({}) is None
    assert oidc_settings({"PERDURE_OIDC_ISSUER": " "}) is None


def test_what_is_said_and_what_follows_from_it(tmp_path: Path) -> None:
    found = oidc_settings(SOUND)
    assert found is not None
    assert found.redirect_uri == "https://flows.example.com/api/session/oidc/callback"
    assert (found.organization, found.create, found.groups_claim) == ("default", None, None)
    assert (found.scopes, found.allowed) == (("openid", "email", "profile"), None)
    assert "hush" not in repr(found)
    (tmp_path / "secret").write_text("from a file\n")
    other = oidc_settings(
        {
            **SOUND,
            "PERDURE_OIDC_CLIENT_SECRET": "",
            "PERDURE_OIDC_CLIENT_SECRET_FILE": str(tmp_path / "secret"),
            "PERDURE_OIDC_ORGANIZATION": "acme",
            "PERDURE_OIDC_CREATE": "viewer",
            "PERDURE_OIDC_GROUPS_CLAIM": "teams",
            "PERDURE_OIDC_SCOPES": "email groups",
        }
    )
    assert other is not None
    assert (other.client_secret, other.organization, other.create) == ("from a file", "acme", "viewer")
    assert (other.groups_claim, other.scopes) == ("teams", ("openid", "email", "groups"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"ISSUER": ""}, r"PERDURE_OIDC_CLIENT_ID is set, and PERDURE_OIDC_ISSUER is not"),
        ({"ISSUER": "id.example.com"}, r"PERDURE_OIDC_ISSUER is 'id.example.com'; write the URL"),
        ({"ISSUER": "ftp://id.example.com"}, r"write the URL"),
        ({"ISSUER": "https://"}, r"write the URL"),
        ({"ISSUER": "https://[id"}, r"write the URL"),
        ({"ISSUER": "https://id.example.com?tenant=1"}, r"write the URL"),
        ({"ISSUER": "https://id.example.com#a"}, r"write the URL"),
        ({"ISSUER": "https://me@id.example.com"}, r"write the URL"),
        ({"ISSUER": "http://id.example.com"}, r"whoever is on the way.*PERDURE_OIDC_ALLOW_ADDRESSES"),
        ({"CLIENT_ID": ""}, r"PERDURE_OIDC_CLIENT_ID is not set"),
        ({"CLIENT_SECRET": ""}, r"PERDURE_OIDC_CLIENT_SECRET is not set"),
        ({"CLIENT_SECRET": "schlüssel"}, r"PERDURE_OIDC_CLIENT_SECRET is not set, or not plain text"),
        ({"CLIENT_SECRET_FILE": "/x"}, r"are both set"),
        (
            {"CLIENT_SECRET": "", "CLIENT_SECRET_FILE": "/nowhere/x"},
            r"CLIENT_SECRET_FILE \(/nowhere/x\) cannot be read",
        ),
        ({"CREATE": "owner"}, r"PERDURE_OIDC_CREATE is 'owner'; write one of viewer"),
        ({"ALLOW_ADDRESSES": "10.0.0.0/99"}, r"PERDURE_OIDC_ALLOW_ADDRESSES is "),
    ],
)
def test_what_cannot_be_read_is_told_by_its_name(changed: dict[str, str], said: str) -> None:
    environment = {**SOUND, **{f"PERDURE_OIDC_{name}": value for name, value in changed.items()}}
    with pytest.raises(BadSetting, match=said) as told:
        oidc_settings(environment)
    assert "hush" not in str(told.value)


def test_without_its_own_address_there_is_no_way_back() -> None:
    with pytest.raises(BadSetting, match="PERDURE_PUBLIC_URL is not set"):
        oidc_settings({**SOUND, "PERDURE_PUBLIC_URL": ""})


@pytest.mark.parametrize(
    "issuer", ["http://localhost:8080", "http://127.0.0.1/x", "http://[::1]:1", "http://keycloak:8080"]
)
def test_plain_http_is_for_ones_own_machine_and_for_what_is_named(issuer: str) -> None:
    assert oidc_settings({**SOUND, "PERDURE_OIDC_ISSUER": issuer, "PERDURE_OIDC_ALLOW_ADDRESSES": "keycloak:8080"})


def test_a_server_does_not_begin_with_half_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERDURE_OIDC_ISSUER", "https://id.example.com")
    with pytest.raises(BadSetting, match="PERDURE_OIDC_CLIENT_ID is not set"):
        application(Engine())


def test_without_the_library_it_is_said_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SOUND.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setitem(sys.modules, "perdure.service.oidc.provider", None)
    with pytest.raises(BadSetting, match=r"PERDURE_OIDC_ISSUER is set.*pip install 'perdure\[oidc\]'"):
        application(Engine())


def test_without_it_nobody_loads_the_library() -> None:
    code = "import sys; from perdure.api.app import application; from perdure import Engine; application(Engine()); print('authlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_how_long_a_session_lasts() -> None:
    assert session_ms({}) == session_ms({"PERDURE_SESSION_HOURS": " "}) == 12 * 3_600_000
    assert session_ms({"PERDURE_SESSION_HOURS": "0.5"}) == 1_800_000
    for wrong in ("0", "-1", "long", "nan", "1e9"):
        with pytest.raises(BadSetting, match=f"PERDURE_SESSION_HOURS is '{wrong}'; write hours, as 12"):
            session_ms({"PERDURE_SESSION_HOURS": wrong})
