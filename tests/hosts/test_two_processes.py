"""Two processes on one file, each starting and finishing its own, and each helping the other.

With PERDURE_PATIENCE=1 they have two thousand each; without it fewer.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from statistics import median

import apsw
import pytest

from hosts.health import assert_healthy
from hosts.partner import KINDS
from hosts.processes import finished, started

COUNT = 2_000 if os.environ.get("PERDURE_PATIENCE") == "1" else 600
SECONDS_MAX = 150
WAIT_SECONDS_MAX = 1.0


@pytest.mark.simulation
def test_two_processes_start_and_finish_many_each_and_help_each_other(tmp_path: Path) -> None:
    names = ("one", "other")
    both = [started("partner.py", tmp_path, name, other, COUNT) for name, other in (names, names[::-1])]
    told = [json.loads("".join(finished(process, SECONDS_MAX))) for process in both]

    for name, waits in zip(names, told, strict=True):
        assert len(waits["starts"]) == COUNT
        assert len(waits["tells"]) == 2 * COUNT // len(KINDS)
        for what, seconds in waits.items():
            p99 = seconds[len(seconds) * 99 // 100]
            print(f"{name}, {what}: median {median(seconds):.3f} s, p99 {p99:.3f} s, longest {seconds[-1]:.3f} s")
            assert p99 <= WAIT_SECONDS_MAX
    found = apsw.Connection(str(tmp_path / "flows.db")).execute("SELECT workflow, status FROM executions").fetchall()
    assert Counter(found) == expected()
    assert_healthy(tmp_path / "flows.db")


def expected() -> Counter[tuple[str, str]]:
    each = 2 * COUNT // len(KINDS)
    counts = Counter(
        {(kind, "completed"): count * each for kind, count in Counter(KINDS).items() if kind != "cancelled"}
    )
    counts["cancelled", "cancelled"] = each
    counts["small", "completed"] = each
    return counts
