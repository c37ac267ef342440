"""`url` is each kind of store in turn, new and empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from postgres import fresh_schema


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return "memory://"
    return f"sqlite:///{tmp_path}/flows.db" if request.param == "sqlite" else fresh_schema()


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operator of this machine has set is not for these."""
    for name in ("PERDURE_SECRET_KEY", "PERDURE_SECRET_KEY_FILE", "PERDURE_ALLOW_ADDRESSES"):
        monkeypatch.delenv(name, raising=False)
