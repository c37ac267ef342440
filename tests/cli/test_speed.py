"""How long people wait. What is measured is an installed program, whose modules were compiled when they were installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.documents import GREETING
from cli.typing import PERDURE, environment, fastest, perdure, written

HELP_SECONDS, RUN_SECONDS = 0.15, 0.5

pytestmark = pytest.mark.flat
"""Alone, and not beside the rest of the suite."""


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    ours = environment(PYTHONPYCACHEPREFIX=str(tmp_path / "compiled"))
    ours.pop("PYTHONDONTWRITEBYTECODE", None)
    return ours


@pytest.mark.parametrize("typed", ["--help", "--version"])
def test_the_help_is_there_at_once(typed: str, installed: dict[str, str]) -> None:
    seconds = fastest([PERDURE, typed], installed, HELP_SECONDS)
    print(f"\nperdure {typed}: {seconds * 1_000:.0f} ms")
    assert seconds <= HELP_SECONDS


def test_the_help_is_there_at_once_also_if_nothing_was_compiled(tmp_path: Path) -> None:
    bare = environment(PYTHONDONTWRITEBYTECODE="1", PYTHONPYCACHEPREFIX=str(tmp_path / "nothing"))
    assert fastest([PERDURE, "--help"], bare, HELP_SECONDS) <= HELP_SECONDS


def test_a_trivial_run_takes_less_than_half_a_second(tmp_path: Path, installed: dict[str, str]) -> None:
    document = str(written(tmp_path, "hello.json", GREETING))
    for options in ([], ["--json"]):
        seconds = fastest([PERDURE, "run", document, *options], installed, RUN_SECONDS)
        print(f"\nperdure run {' '.join(options)}: {seconds * 1_000:.0f} ms")
        assert seconds <= RUN_SECONDS


def test_what_the_help_needs_is_next_to_nothing() -> None:
    """So that it stays fast, also on slower machines."""
    loaded = perdure("--help", PYTHONPROFILEIMPORTTIME="1").err
    assert "perdure.cli.main" in loaded
    for slow in ("cyclopts", "rich", "msgspec", "asyncio", "perdure.core"):
        assert f" {slow}\n" not in loaded, slow
