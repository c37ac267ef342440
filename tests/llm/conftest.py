"""Two fixtures: `url` is a new database; `spoken` has a model asked by engines and commands of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from llm.model import Answer, Model, Script, model

Spoken = Callable[..., Model]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/flows.db"


@pytest.fixture
def spoken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Spoken]:
    """`spoken(Says(…), …)`: these answers, in turn."""
    with ExitStack() as open_:

        def speak(*answers: Answer, script: Script | None = None) -> Model:
            speaking = open_.enter_context(model(*answers, script=script))
            for name, value in speaking.environment.items():
                monkeypatch.setenv(name, value)
            return speaking

        yield speak
