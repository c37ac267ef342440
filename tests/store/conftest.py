"""`store` is each of the stores in turn, new and empty; `asked` is what can be asked beside whoever writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from perdure.store.questions import Questions
from store.stores import STORES, Kept


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    opened = STORES[request.param](tmp_path)
    yield opened
    close = getattr(opened, "close", None)
    if close is not None:
        close()


@pytest.fixture
def asked(store: Kept) -> Iterator[Questions]:
    reader: Any = store.reader()
    yield reader
    reader.close()
