"""What is typed wrong is told in one sentence, with the way out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.typing import here, perdure
from perdure.cli.app import application
from perdure.cli.main import COMMANDS, main

NAMES = [name for entries in COMMANDS.values() for name in entries]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["docto"], "perdure: there is no command 'docto'; did you mean 'doctor'?\nTry: perdure --help\n"),
        (["db", "bakup"], "perdure db: there is no command 'bakup'; did you mean 'backup'?\nTry: perdure db --help\n"),
        (["executions", "lits"], "perdure executions: there is no command 'lits'; did you mean 'list'?\nTry: "),
        (["doctor", "--bd", "x"], "perdure doctor: unknown option: --bd; did you mean --db?\nTry: perdure doctor --h"),
        (["demo", "x"], "perdure demo: it takes nothing more, and there is 'x' left\n"),
        (
            ["demo", "--crash-at", "soon"],
            'perdure demo: invalid value for --crash-at: unable to convert "soon" into int',
        ),
        (["run"], "perdure run: "),
        (["workflows", "activate", "x", "--version", "1"], "perdure workflows activate: unknown option: --version"),
        (["run", "x", "--wait"], "perdure run: unknown option: --wait\nTry: perdure run --help"),
        (["run", "x", "--inptu=1"], "perdure run: unknown option: --inptu; did you mean --input?\n"),
        (["keys", "create", "--version"], "perdure keys create: unknown option: --version"),
        (["frobnicate"], f"perdure: there is no command 'frobnicate'; there are {', '.join(NAMES)}\n"),
    ],
)
def test_a_slip_is_told_with_what_was_meant(typed: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, *typed)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith(said)
    assert "Traceback" not in ended.err


def test_a_slip_is_told_to_a_program_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    ended = here(capsys, "doctor", "--quikc", "--json")
    assert ended.status == 2
    assert ended.object == {"error": {"type": "usage", "message": "unknown option: --quikc; did you mean --quick?"}}


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_a_help_with_an_option_for_programs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for typed in ([name, "--help"], ["help", name]):
        shown = here(capsys, *typed)
        assert (shown.status, shown.err) == (0, "")
        assert shown.out.startswith(f"Usage: perdure {name}")
        assert "--json" in shown.out or "Commands" in shown.out


def test_every_command_of_a_group_has_json_and_a_database(capsys: pytest.CaptureFixture[str]) -> None:
    app = application()
    commands = [(group, name) for group in ("workflows", "executions", "db") for name in app[group] if name[0] != "-"]
    assert len(commands) == 6 + 9 + 4
    for group, name in commands:
        shown = here(capsys, group, name, "--help")
        assert "--json" in shown.out, (group, name)
        assert "--db" in shown.out, (group, name)


def test_the_bare_help_names_every_command_that_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    shown = here(capsys, "--help")
    assert shown.status == 0
    parsed = [name for name in application() if not name.startswith("-")]
    assert sorted(parsed) == sorted(NAMES)
    assert all(f"  {name} " in shown.out for name in NAMES)
    assert {here(capsys, *typed).out for typed in ([], ["-h"], ["help"])} == {shown.out}


def test_help_on_the_way_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Usage: perdure db backup" in here(capsys, "db", "backup", "--help").out


def test_the_version_is_known_to_commands_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert here(capsys, "doctor", "--version").out == here(capsys, "--version").out


def test_who_stops_reading_is_not_told_of_it() -> None:
    done = subprocess.run(
        f"{sys.prefix}/bin/perdure demo --json | head -c 1", shell=True, capture_output=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == (b"{", b"")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_for_a_shell(shell: str, tmp_path: Path) -> None:
    ended = perdure("--install-completion", "--shell", shell, "--output", tmp_path / "made", HOME=str(tmp_path))
    assert (ended.status, ended.err) == (0, "")
    script = (tmp_path / "made").read_text()
    assert "--until-idle" in script or "__complete" in script
    assert main(["--version"]) == 0


def test_a_demonstration_for_programs_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(here(capsys, "demo", "--json").out)
    assert (told["status"], told["output"], told["crashes"], told["broken"]) == (
        "completed",
        ["lamp", "desk", "pen"],
        1,
        [],
    )
