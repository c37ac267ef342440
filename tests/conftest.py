"""Options of the suite: a simulation that failed names a number, and that number runs it again, alone."""

from __future__ import annotations

import pytest

REPLAYED = {"--world": "world_number", "--seed": "seed_number"}
EXACT = ("tests/core/", "tests/expressions/", "tests/test_model.py", "tests/test_lowered.py")
"""What covers model, core and expressions, every line and every branch."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--world", type=int, help="replay only this random world (tests/test_worlds.py)")
    parser.addoption(
        "--seed", type=int, help="replay only this seed (tests/test_generated.py, tests/test_reference.py)"
    )
    parser.addoption("--moment", type=int, help="only this moment of a scenario, or this operation (tests/disk)")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(EXACT) and not {"simulation", "flat"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker("exact")
    fixtures = {fixture for option, fixture in REPLAYED.items() if config.getoption(option) is not None}
    if fixtures:
        items[:] = [item for item in items if fixtures & set(getattr(item, "fixturenames", ()))]


@pytest.fixture
def world_number(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--world") or 4711)


@pytest.fixture
def seed_number(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--seed") or 0)


@pytest.fixture
def only_moment(request: pytest.FixtureRequest) -> int | None:
    found: int | None = request.config.getoption("--moment")
    return found
