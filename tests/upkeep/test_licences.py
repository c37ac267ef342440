"""The list of licences is that of `uv.lock`, and none in it is unknown. `.venv/bin/python scripts/licences.py` writes it anew."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def licences() -> Any:
    """The script, which is no part of a package."""
    spec = importlib.util.spec_from_file_location("licences", ROOT / "scripts" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules["licences"] = module
    spec.loader.exec_module(module)
    return module


def test_the_list_is_up_to_date_and_no_licence_is_unknown(licences: Any) -> None:
    found = licences.packages()
    assert licences.problems(found) == []
    assert licences.PAGE.read_text("utf-8") == licences.page(found), "run .venv/bin/python scripts/licences.py"


def test_it_has_every_dependency_and_every_extra(licences: Any) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = {"core": project["dependencies"], **project["optional-dependencies"]}
    listed = {package.name: package for package in licences.packages()}
    for dependencies in wanted.values():
        for dependency in dependencies:
            name = dependency.split(">")[0].split("[")[0]
            assert name in listed, name
    assert {package.needed_for for package in listed.values()} == set(wanted)
    assert "psycopg-binary" in listed, "also what the extra of a dependency brings"
    assert "starlette" in listed, "also what a dependency needs itself"
    assert "pytest" not in listed
    assert "pywin32" not in listed


def test_what_it_cannot_tell_is_a_problem(licences: Any) -> None:
    package = licences.Package
    assert licences.licence_of("cronsim", "9.9") == ("", ""), "another version was not read"
    assert licences.licence_of("no-such-package", "1") == ("", "")
    assert licences.licence_of("msgspec", "0.0.1") == ("", ""), "another version is installed"
    known = [package(name, "1", "MIT", "", "core") for name in licences.REVIEWED]
    assert licences.problems(known) == []
    told = licences.problems([*known, package("a", "1", "", "", "core"), package("b", "2", "GPL-3.0-only", "", "core")])
    assert [line.split(";")[0] for line in told] == ["a 1: unknown licence", "b 2: GPL-3.0-only was not accepted"]
    assert "no dependency any more" in licences.problems(known[1:])[0]


def test_what_quickjs_ng_is_stands_there(licences: Any) -> None:
    page = licences.PAGE.read_text("utf-8")
    assert "| quickjs-ng | 0.17.0.2 | MIT AND Unicode-3.0 | core |" in page
    assert "https://github.com/quickjs-ng/quickjs" in page
