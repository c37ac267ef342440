"""One fixture: `patient`, a healthy database of its own for each test, and the time that it is there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from doctor.patient import make


@pytest.fixture(scope="session")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    path = tmp_path_factory.mktemp("healthy") / "flows.db"
    return path, make(path)


@pytest.fixture
def patient(healthy: tuple[Path, int], tmp_path: Path) -> tuple[Path, int]:
    path, now = healthy
    return Path(shutil.copy(path, tmp_path / "flows.db")), now
