"""Every command and every snippet of the pages, as somebody types them who follows them in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connections.servers import installed
from docs.pages import fits, follow
from examples.chat import Chat, chat

ROOT = Path(__file__).parent.parent.parent
PAGES = (
    *("README.md", "docs/tutorial.md", "docs/graph.md", "docs/events.md", "docs/approvals.md", "docs/secrets.md"),
    "docs/operations.md",
    *("docs/ports.md", "docs/tutorial-ports.md", "docs/orchestration.md", "docs/how-to-events-and-sagas.md"),
    *("docs/phases.md", "docs/how-to-typed-pipelines.md", "docs/how-to-mcp.md", "docs/how-to-agents.md"),
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
    text = (ROOT / page).read_text()
    if "npx" in text:  # it takes what is there before it downloads anything
        (tmp_path / "node_modules").symlink_to(installed().parent)
    assert follow(text, tmp_path, model.environment), "a page without a command shows nothing"


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
