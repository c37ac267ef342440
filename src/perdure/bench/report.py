"""The report as people read it: where, what, beside whom, and whether what was promised holds. None of its lines is too long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from perdure.bench.chart import Bar, chart
from perdure.bench.machine import IN_MEMORY
from perdure.bench.results import Limits, Machine, Measurement, Report, Serial, Target

NAME = 26
UNSTEADY = 1.5
"""A disk whose commits differ so much is busy with something else."""


def told(report: Report) -> list[str]:
    """All of it, line by line."""
    return [*_told(report)]


def _told(report: Report) -> Iterator[str]:
    yield from _machine(report.machine)
    if report.limits is not None:
        yield from ("", *_limits(report.limits))
    if report.workloads:
        yield from ("", "Perdure, durable steps, every commit synced", *_table(report.workloads))
    if report.serial is not None:
        yield from ("", *_serial(report.serial))
    if report.beside:
        yield from ("", *_beside(report.beside))
    yield from (f"{left.system} was left out: {left.reason}" for left in report.left_out)
    yield from ("", *chart("steps/s", [*_bars(report)]), "")
    yield from (_target(target) for target in report.targets)
    yield f"measured in {report.seconds:.0f} s{', quickly: these are rough figures' if report.quick else ''}"


def _machine(machine: Machine) -> Iterator[str]:
    yield f"{machine.cores} cores, {machine.cpu}; Python {machine.python}, SQLite {machine.sqlite}"
    yield f"run by {machine.interpreter}"
    yield f"files on {machine.filesystem} in {machine.folder}"
    if machine.filesystem in IN_MEMORY:
        yield "this is no disk: syncing costs nothing here, so the figures say little; choose one with --db-dir"


def _limits(limits: Limits) -> Iterator[str]:
    yield "What the disk and SQLite can do without an engine, per second"
    yield f"{'append and fdatasync':{NAME}} {limits.syncs_per_second:12,.0f}"
    yield f"{'FULL commits of one row':{NAME}} {limits.commits_per_second:12,.0f}"
    yield f"{f'rows in commits of {limits.batch}':{NAME}} {limits.rows_per_second:12,.0f}"


def _table(measurements: Sequence[Measurement]) -> Iterator[str]:
    yield f"{'':{NAME}} {'at once':>8} {'steps/s':>10} {'slowest to quickest':>19} {'p50 ms':>10} {'p99 ms':>10}"
    for one in measurements:
        spread = f"{one.slowest:,.0f} to {one.quickest:,.0f}" if len(one.runs) > 1 else ""
        note = "" if one.counts else "  *"
        yield (
            f"{one.name:{NAME}} {one.concurrency:8} {one.steps_per_second:10,.0f} {spread:>19}"
            f" {one.p50_ms:10,.1f} {one.p99_ms:10,.1f}{note}"
        )


def _serial(serial: Serial) -> Iterator[str]:
    yield f"One at a time, in turns with raw commits (medians of {serial.rounds} rounds), µs"
    (low, high), (least, most) = serial.commit_us_middle, serial.marginal_commits_middle
    yield f"{'a raw FULL commit':{NAME}} {serial.commit_us:12,.0f}   half of the rounds: {low:,.0f} to {high:,.0f}"
    yield f"{'one step more':{NAME}} {serial.marginal_us:12,.0f}   in raw commits, half of the rounds: {least:.2f} to {most:.2f}"
    yield f"{'an execution of 1 step':{NAME}} {serial.one_step_us:12,.0f}"
    yield f"{f'an execution of {serial.length}':{NAME}} {serial.many_steps_us:12,.0f}"
    if high > low * UNSTEADY:
        yield "the disk was unsteady: figures in raw commits say little; try --only serial when it is quiet"


def _beside(beside: Sequence[Measurement]) -> Iterator[str]:
    steps = beside[0].runs[0].steps // beside[0].runs[0].executions
    yield f"Beside others: a sequence of {steps} light steps, in turns (medians of the rounds)"
    yield from _table(beside)
    if not all(one.counts for one in beside):
        yield "* its file switched to WAL, which is not its own setting: for information"
    for one in beside:
        kept = one.settings
        yield (
            f"{one.name:{NAME}} {kept.version}: SQLite {kept.sqlite}, journal {kept.journal_mode},"
            f" synchronous {kept.synchronous}"
        )


def _bars(report: Report) -> Iterator[Bar]:
    if report.limits is not None:
        yield Bar(f"rows in commits of {report.limits.batch}", report.limits.rows_per_second, "-")
        yield Bar("FULL commits of one row", report.limits.commits_per_second, "-")
    for one in report.workloads:
        yield Bar(f"{one.name}, {one.concurrency} at once", one.steps_per_second)
    for one in report.beside:
        yield Bar(f"beside: {one.name}", one.steps_per_second, "#" if one.system == "perdure" else "=")


def _target(target: Target) -> str:
    if target.ratio is None:
        return f"  -  {target.name}: not measured"
    bounds = [
        f"{word} {bound:g}"
        for word, bound in (("at least", target.at_least), ("at most", target.at_most), ("aim:", target.aim))
        if bound is not None
    ]
    asked = f" ({', '.join(bounds)})" if bounds else ""
    line = f"{target.ratio:.3g} {target.name}{asked}"
    match target.met:
        case None:
            return f"     {line}"
        case True:
            return f"  ✓  {line}"
        case False:
            return f"  ✗  {line}: short of the target"
