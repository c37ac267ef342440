"""Figures to reckon with, and a benchmark so small that it is over at once."""

from __future__ import annotations

from perdure.bench.peers.running import Mode, Peer
from perdure.bench.plan import Plan
from perdure.bench.results import Measurement, Run, Serial, Settings, gathered

ABSENT = Peer("dbos", "DBOS", ("no-such-package-anywhere",), "nowhere", (Mode("async"),))
TINY = Plan(
    quick=True,
    concurrency=3,
    seconds=0,
    peer_seconds=0,
    rounds=2,
    limit_seconds=0,
    lengths=(1, 3),
    beside_length=2,
    width=4,
    items=7,
    ticks=6,
    serial_rounds=2,
    peers=(ABSENT,),
)
SETTINGS = Settings("1.0", "3.54.1", "wal", "FULL")
SERIAL = Serial(
    commit_us=100,
    one_step_us=400,
    many_steps_us=7_225,
    length=40,
    marginal_us=175,
    rounds=9,
    commit_us_middle=(90, 110),
    marginal_commits_middle=(1.6, 1.9),
)


def rated(steps_per_second: float) -> Run:
    return Run(10, 50, 50 / steps_per_second, steps_per_second, 1.5, 2.5)


def ours(*rates: float) -> Measurement:
    return gathered("perdure", "Perdure", 200, SETTINGS, [rated(rate) for rate in rates])


def dbos(name: str, *rates: float, counts: bool = True) -> Measurement:
    return gathered("dbos", f"DBOS {name}", 200, SETTINGS, [rated(rate) for rate in rates], counts=counts)
