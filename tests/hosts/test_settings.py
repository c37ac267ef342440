"""What an operator says in the environment."""

from __future__ import annotations

from ipaddress import ip_address

import pytest

from perdure.hosts.settings import connections_max, streams_max, task_settings
from perdure.settings.setting import BadSetting


def test_nothing_is_allowed_unless_it_is_said() -> None:
    settings = task_settings({})
    assert settings.allowed is None
    assert settings.smtp_url is None


def test_hosts_and_networks() -> None:
    allowed = task_settings({"PERDURE_ALLOW_ADDRESSES": "localhost:8080, 10.1.0.0/16,"}).allowed
    assert allowed is not None
    assert allowed.covers(ip_address("127.0.0.1"), "localhost", 8080)
    assert not allowed.covers(ip_address("127.0.0.1"), "localhost", 8081)
    assert allowed.covers(ip_address("10.1.2.3"), "intranet", 443)
    assert not allowed.covers(ip_address("10.2.2.3"), "intranet", 443)


def test_mail() -> None:
    settings = task_settings({"SMTP_URL": "smtp://mail:25", "PERDURE_EMAIL_FROM": "shop@example.com"})
    assert (settings.smtp_url, settings.email_from) == ("smtp://mail:25", "shop@example.com")


def test_what_is_no_network_is_told() -> None:
    with pytest.raises(BadSetting, match=r"PERDURE_ALLOW_ADDRESSES.*10\.1\.0\.0/16"):
        task_settings({"PERDURE_ALLOW_ADDRESSES": "10.1.0.0/99"})


def test_what_a_process_of_transforms_has_to_have() -> None:
    assert not task_settings({}).sandbox_requires_all
    assert task_settings({"PERDURE_SANDBOX_REQUIRE": " all "}).sandbox_requires_all
    with pytest.raises(BadSetting, match="PERDURE_SANDBOX_REQUIRE is 'seccomp'; write all, or unset it"):
        task_settings({"PERDURE_SANDBOX_REQUIRE": "seccomp"})


def test_how_many_may_listen() -> None:
    assert streams_max({}) == streams_max({"PERDURE_STREAMS_MAX": ""}) == 500
    assert streams_max({"PERDURE_STREAMS_MAX": " 7 "}) == 7
    for wrong in ("many", "-3", "1e3", "9" * 9):
        with pytest.raises(
            BadSetting, match=f"PERDURE_STREAMS_MAX is '{wrong}'; write a whole number from 0 to 99999999"
        ):
            streams_max({"PERDURE_STREAMS_MAX": wrong})


def test_how_many_may_be_connected() -> None:
    assert connections_max({}) == 2_000
    assert connections_max({"PERDURE_CONNECTIONS_MAX": "7"}) == 7
    with pytest.raises(BadSetting, match="PERDURE_CONNECTIONS_MAX is '0'; write a whole number from 1 to 99999999"):
        connections_max({"PERDURE_CONNECTIONS_MAX": "0"})


def test_how_many_transforms_run_at_once() -> None:
    assert task_settings({}).sandbox_processes is None
    assert task_settings({"PERDURE_SANDBOX_PROCESSES": " 8 "}).sandbox_processes == 8
    for wrong in ("1", "many", "-3", "1e3", "1000"):
        with pytest.raises(
            BadSetting, match=f"PERDURE_SANDBOX_PROCESSES is '{wrong}'; write a whole number from 2 to 256"
        ):
            task_settings({"PERDURE_SANDBOX_PROCESSES": wrong})
