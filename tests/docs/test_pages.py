"""Every command and every snippet of the pages, as somebody types them who follows them in an empty folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connections.servers import installed
from docs.pages import File, fits, session
from examples.chat import Chat, chat

ROOT = Path(__file__).parent.parent.parent
PAGES = (
    *("README.md", "docs/tutorial.md", "docs/graph.md", "docs/events.md", "docs/approvals.md", "docs/secrets.md"),
    *("docs/ports.md", "docs/tutorial-ports.md", "docs/orchestration.md", "docs/how-to-events-and-sagas.md"),
    *("docs/phases.md", "docs/how-to-typed-pipelines.md", "docs/how-to-mcp.md"),
)


def answer(request: dict[str, Any]) -> str:
    """What the model of the pages says, whoever asks: JSON, if it is to be."""
    is_json = request.get("response_format") == {"type": "json_object"}
    return json.dumps({"urgency": 0.9, "summary": "The shop is down"}) if is_json else "Seven."


@pytest.fixture(scope="module")
def model() -> Iterator[Chat]:
    with chat(answer) as there:
        yield there


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: Path, model: Chat) -> None:
    happened = list(session((ROOT / page).read_text()))
    assert any(not isinstance(one, File) for one in happened), "a page without a command shows nothing"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    if "npx" in (ROOT / page).read_text():  # it takes what is there before it downloads anything
        (tmp_path / "node_modules").symlink_to(installed().parent)
    for one in happened:
        if isinstance(one, File):
            (tmp_path / one.name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / one.name).write_text(one.text)
            continue
        ended = subprocess.run(
            one.command,
            shell=True,
            cwd=tmp_path,
            env={**os.environ, **model.environment, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=120,
        )
        assert fits(one.seen, ended.stdout), f"$ {one.command}\n{ended.stdout}\n--- the page says:\n{one.seen}"


@pytest.mark.parametrize(
    ("expected", "actual", "good"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nc\n", False),
        ("a … c", "a b c", True),
        ("a …", "b", False),
        ("…\nend", "one\ntwo\nend", True),
        ("begin\n…", "begin", True),
        ("begin\n…\nend", "begin\nend", True),
        ("begin\n…\nend", "begin\nend\nmore", False),
        ("a (b) [c]", "a (b) [c]", True),
        ("", "", True),
    ],
)
def test_what_fits(expected: str, actual: str, *, good: bool) -> None:
    assert fits(expected, actual) is good
