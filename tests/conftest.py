"""Options of the suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--world", type=int, default=4711, help="the number of the random world to replay")


@pytest.fixture
def world_number(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--world"))
