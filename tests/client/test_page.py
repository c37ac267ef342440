"""The page about clients, followed with a server at hand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from cli.typing import SECONDS_MAX, environment
from client.serving import Served, served
from docs.pages import follow

PAGE = Path(__file__).parent.parent.parent / "docs" / "how-to-client.md"
ADDRESS, KEY = re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
"""What is typed before anything else: where the server is; and for `perdure serve`, which does not start before, a key."""


def typed(script: str, home: Path) -> str:
    """What a shell says to all that, without settings of ours."""
    settings = {name: value for name, value in environment().items() if not name.startswith("PERDURE_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{settings['PATH']}"
    ended = subprocess.run(
        ["sh", "-e", "-c", script],
        env={**settings, "HOME": str(home), "PATH": path},
        cwd=home,
        capture_output=True,
        check=False,
        text=True,
        timeout=SECONDS_MAX,
    )
    assert ended.returncode == 0, ended.stderr
    return str(ended.stdout)


def address(server: Served) -> str:
    return str(ADDRESS).replace("http://127.0.0.1:8400", server.url)


def test_the_page_about_clients_is_so(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "typed").mkdir()
    with served(tmp_path / "server", "--no-examples") as server:
        assert follow(PAGE.read_text(), tmp_path / "typed", {"PERDURE_SERVER_URL": server.url})


def test_what_it_sets_is_enough_to_ask_dev(tmp_path: Path) -> None:
    with served(tmp_path, "--no-examples") as server:
        assert "there are no workflows" in typed(f"{address(server)}perdure workflows list", tmp_path)


def test_what_it_sets_is_enough_to_ask_serve(tmp_path: Path) -> None:
    typed(KEY, tmp_path)
    assert (tmp_path / ".perdure.key").stat().st_mode & 0o777 == 0o600
    set_ = "\n".join(line for line in KEY.splitlines() if line.startswith("export "))
    with served(tmp_path, command="serve") as server:
        assert "admin" in typed(f"{address(server)}{set_}\nperdure members list", tmp_path)
