"""Fixtures: `patient`, a healthy database of its own for each test, of each kind in turn; `blank`, one in which nothing has
happened; `file`, a healthy one of SQLite.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from doctor.patients import KINDS, Patient, SqlitePatient, healthy


@pytest.fixture(scope="session")
def to_copy(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A healthy database of each kind, made when the first test needs it."""
    return cache(lambda kind: healthy(KINDS[kind][0], tmp_path_factory.mktemp(kind)))


@pytest.fixture(params=KINDS)
def patient(request: pytest.FixtureRequest, to_copy: Any, tmp_path: Path) -> Patient:
    copied: Patient = KINDS[request.param][1](to_copy(request.param), tmp_path)
    return copied


@pytest.fixture(params=KINDS)
def blank(request: pytest.FixtureRequest, tmp_path: Path) -> Patient:
    made: Patient = KINDS[request.param][0](tmp_path)
    return made


@pytest.fixture
def file(to_copy: Any, tmp_path: Path) -> SqlitePatient:
    copied: SqlitePatient = KINDS["sqlite"][1](to_copy("sqlite"), tmp_path)
    return copied
