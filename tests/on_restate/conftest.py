"""One node for all that does not kill it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from on_restate.server import Cluster


@pytest.fixture(scope="session")
def one_node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("restate")) as cluster:
        yield cluster
