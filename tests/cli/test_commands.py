"""What people type."""

from __future__ import annotations

import subprocess
import sys

import pytest

import perdure
from perdure.cli.main import main


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"perdure {perdure.__version__}\n"


def test_without_a_command_it_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    assert "demo" in capsys.readouterr().out


@pytest.mark.parametrize("crash_at", ["0", "3", "8"])
def test_the_demonstration_survives_a_crash_wherever_it_comes(
    crash_at: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--crash-at", crash_at]) == 0
    shown = capsys.readouterr().out
    assert "completed: ['lamp', 'desk', 'pen']" in shown
    assert f"A worker was killed at commit point {crash_at}" in shown


@pytest.mark.parametrize("crash_at", ["-1", "999"])
def test_the_demonstration_says_if_nobody_was_killed(crash_at: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--crash-at", crash_at]) == 0
    assert "Nobody was killed: this run has the commit points 0 to 2" in capsys.readouterr().out


def test_the_entry_point_is_installed() -> None:
    done = subprocess.run(
        [f"{sys.prefix}/bin/perdure", "--version"], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.startswith("perdure ")
