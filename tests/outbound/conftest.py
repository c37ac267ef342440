"""A canary and a watch for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from outbound import canary as birds
from outbound.canary import Canary, Watch

watch = birds.watch


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    for name in ("PERDURE_ALLOW_ADDRESSES", "OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL", "SMTP_URL"):
        monkeypatch.delenv(name, raising=False)
    with birds.canary(tmp_path) as found:
        yield found


__all__ = ["Watch"]
