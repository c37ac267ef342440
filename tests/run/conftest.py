"""For all that is run here."""

from __future__ import annotations

import os

import pytest

from run.typed import SETTINGS


@pytest.fixture
def alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> pytest.CaptureFixture[str]:
    """Without what whoever runs the tests has set."""
    for name in [name for name in os.environ if name.startswith(SETTINGS)]:
        monkeypatch.delenv(name)
    return capsys
