"""Two fixtures: `url`, which is each kind of store in turn, new and empty; `sql_url`, the same of those that can be asked in SQL."""

from __future__ import annotations

from pathlib import Path

import pytest

from postgres import fresh_schema


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return "memory://" if request.param == "memory" else _kept(request.param, tmp_path)


@pytest.fixture(params=["sqlite", "postgres"])
def sql_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return _kept(request.param, tmp_path)


def _kept(kind: str, folder: Path) -> str:
    return f"sqlite:///{folder}/flows.db" if kind == "sqlite" else fresh_schema()
