"""What was measured, as data: this is what the JSON file holds."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

from msgspec import Struct


class Run(Struct, frozen=True):
    """Executions that were started and have all ended. The percentiles are of the time of one, from its start to its end."""

    executions: int
    steps: int
    seconds: float
    steps_per_second: float
    p50_ms: float
    p99_ms: float


class Settings(Struct, frozen=True):
    """How a system keeps its data, as its own connection answers."""

    version: str
    sqlite: str
    journal_mode: str
    synchronous: str


class Measurement(Struct, frozen=True):
    """The same again and again, one run per round; the figures are the medians of the rounds."""

    system: Literal["perdure", "dbos", "langgraph"]
    name: str
    concurrency: int
    steps_per_second: float
    slowest: float
    quickest: float
    p50_ms: float
    p99_ms: float
    settings: Settings
    runs: tuple[Run, ...]
    counts: bool = True
    """False: for information, and not what we are held against."""
    notation: str | None = None
    """Of a document; None: a model built by hand, or a peer."""


class Limits(Struct, frozen=True):
    """What the disk and SQLite can do without an engine."""

    syncs_per_second: float
    commits_per_second: float
    rows_per_second: float
    """In commits of `batch` rows."""
    batch: int


class Serial(Struct, frozen=True):
    """One execution at a time, in turns with raw commits, so that a slow moment of the disk meets both. Medians."""

    commit_us: float
    one_step_us: float
    many_steps_us: float
    length: int
    marginal_us: float
    """What one step more costs."""
    rounds: int
    commit_us_middle: tuple[float, float]
    """The middle half of the rounds, from its lower end to its upper."""
    marginal_commits_middle: tuple[float, float]
    """One step more in raw commits of the same round: the middle half."""


class Machine(Struct, frozen=True):
    cores: int
    cpu: str
    python: str
    interpreter: str
    sqlite: str
    folder: str
    filesystem: str


class LeftOut(Struct, frozen=True):
    """A peer that was not measured, and why."""

    system: str
    reason: str


class Target(Struct, frozen=True):
    """What was promised of a ratio; with no bound it is only told. None: what it needs was not measured."""

    name: str
    ratio: float | None
    at_least: float | None = None
    at_most: float | None = None
    aim: float | None = None
    met: bool | None = None


class Report(Struct, frozen=True):
    machine: Machine
    quick: bool
    seconds: float
    limits: Limits | None
    serial: Serial | None
    workloads: tuple[Measurement, ...]
    beside: tuple[Measurement, ...]
    """The same sequence on ours and on the peers, in turns."""
    left_out: tuple[LeftOut, ...]
    targets: tuple[Target, ...]


def summed(latencies_seconds: Sequence[float], steps_each: int, seconds: float) -> Run:
    """The run that these executions were."""
    ordered = sorted(latencies_seconds)
    steps = len(ordered) * steps_each
    return Run(
        executions=len(ordered),
        steps=steps,
        seconds=seconds,
        steps_per_second=steps / seconds,
        p50_ms=percentile(ordered, 50) * 1_000,
        p99_ms=percentile(ordered, 99) * 1_000,
    )


def gathered(
    system: Literal["perdure", "dbos", "langgraph"],
    name: str,
    concurrency: int,
    settings: Settings,
    runs: Sequence[Run],
    *,
    counts: bool = True,
    notation: str | None = None,
) -> Measurement:
    """The medians of the rounds, and how far they are apart."""
    rates = [run.steps_per_second for run in runs]
    return Measurement(
        system=system,
        name=name,
        concurrency=concurrency,
        steps_per_second=median(rates),
        slowest=min(rates),
        quickest=max(rates),
        p50_ms=median(run.p50_ms for run in runs),
        p99_ms=median(run.p99_ms for run in runs),
        settings=settings,
        runs=tuple(runs),
        counts=counts,
        notation=notation,
    )


def middle_half(values: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(values)
    return percentile(ordered, 25), percentile(ordered, 75)


def percentile(ordered: Sequence[float], percent: int) -> float:
    """The nearest rank: a value that was really seen."""
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(rank, 1) - 1]
