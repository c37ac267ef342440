"""One fixture: `store`, which is each of the stores in turn, new and empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from store.stores import STORES, Kept


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    opened = STORES[request.param](tmp_path)
    yield opened
    close = getattr(opened, "close", None)
    if close is not None:
        close()
