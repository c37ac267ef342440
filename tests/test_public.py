"""The names that everybody may use."""

from __future__ import annotations

import subprocess
import sys

import pytest

import perdure
from perdure.service.engine import Engine


def test_every_public_name_is_there() -> None:
    assert perdure.Engine is Engine
    assert {name for name in perdure.__all__ if getattr(perdure, name) is None} == set()
    assert dir(perdure) == sorted(perdure.__all__)


def test_a_name_that_is_not_there_is_an_ordinary_mistake() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Motor'"):
        perdure.Motor  # noqa: B018


def test_nothing_is_imported_before_it_is_asked_for() -> None:
    asked = "import sys, perdure; print(sorted(name for name in sys.modules if name.startswith('perdure')))"
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "['perdure']"


@pytest.mark.parametrize(
    "asked", ["from perdure import Engine; Engine()", "from perdure.cli.main import main; main([]); main(['--help'])"]
)
def test_the_http_library_is_not_imported_before_something_is_called(asked: str) -> None:
    code = f"import sys, atexit; atexit.register(lambda: print('httpx2' in sys.modules, file=sys.stderr)); {asked}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "False"


def test_the_library_of_mcp_is_not_imported_before_a_session_is_opened() -> None:
    used = "async def once():\n async with Engine(connections={'it': {'command': ['x']}}) as engine:\n  await engine.connections.list()"
    code = f"import asyncio, sys\nfrom perdure import Engine\n{used}\nasyncio.run(once())\nprint('mcp' in sys.modules, 'httpx2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False False"


def test_help_is_told_before_anything_of_the_engine_is_imported() -> None:
    code = "import sys; from perdure.cli.main import main; main([]); print(sorted(sys.modules), file=sys.stderr)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    assert [
        name for name in ("msgspec", "asyncio", "apsw", "importlib.metadata", "perdure.errors") if name in told
    ] == []
