"""The workflows of the four dialects, lowered by hand, come to what the seeds and the semantics say."""

from __future__ import annotations

import pytest

from lowered import ALL
from lowered.base import Lowered, holds, run


@pytest.mark.parametrize("lowered", ALL, ids=lambda lowered: lowered.name)
def test_a_lowered_workflow_comes_to_what_its_seed_says(lowered: Lowered) -> None:
    holds(lowered, run(lowered))


def test_every_dialect_has_at_least_twelve() -> None:
    for dialect in ("ports", "orchestration", "phases", "graph"):
        assert sum(lowered.name.startswith(f"{dialect}-") for lowered in ALL) >= 12, dialect
