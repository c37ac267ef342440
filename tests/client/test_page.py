"""The page about clients, followed with a server at hand."""

from __future__ import annotations

from pathlib import Path

from client.serving import served
from docs.pages import follow

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to-client.md"


def test_the_page_about_clients_is_so(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "typed").mkdir()
    with served(tmp_path / "server", "--no-examples") as server:
        assert follow(PAGE.read_text(), tmp_path / "typed", {"PERDURE_SERVER_URL": server.url})
