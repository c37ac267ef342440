"""The whole benchmark: what is measured, in which order."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from time import perf_counter

from perdure.bench.beside import Beside
from perdure.bench.limits import limits
from perdure.bench.machine import machine, settle
from perdure.bench.ours import measured
from perdure.bench.plan import Plan
from perdure.bench.progress import Progress
from perdure.bench.results import Limits, Measurement, Report, Serial, gathered
from perdure.bench.serial import serial
from perdure.bench.targets import targets
from perdure.bench.workloads import NOTATIONS, Workload, document, each, loop, parallel, sequence


def bench(plan: Plan, parts: Collection[str], folder: Path, progress: Progress) -> Report:
    """Measure these parts, with files in a folder of their own in this one."""
    began = perf_counter()
    with tempfile.TemporaryDirectory(prefix="perdure-bench-", dir=folder) as fresh:
        files = Path(fresh)
        raw = _limits(plan, files, progress) if "limits" in parts else None
        workloads = tuple(_workload(*load, files, progress) for load in _loads(plan, parts))
        steps = _serial(plan, files, progress) if "serial" in parts else None
        others = Beside(plan, files, progress)
        others.measure(parts)
    beside = others.measurements()
    return Report(
        machine=machine(folder),
        quick=plan.quick,
        seconds=perf_counter() - began,
        limits=raw,
        serial=steps,
        workloads=workloads,
        beside=beside,
        left_out=tuple(others.left_out),
        targets=targets(steps, beside),
    )


def _loads(plan: Plan, parts: Collection[str]) -> Iterator[tuple[Workload, int, float]]:
    """Workload, concurrency, seconds. Those that are one long execution are run once."""
    repeated = [sequence(length) for length in plan.lengths] if "sequences" in parts else []
    if "parallel" in parts:
        repeated.append(parallel(plan.width))
    for workload in repeated:
        for concurrency in (1, plan.concurrency):
            yield workload, concurrency, plan.seconds
    if "documents" in parts:
        for notation in NOTATIONS:
            yield document(notation, plan.beside_length), plan.concurrency, plan.seconds
    if "each" in parts:
        yield each(plan.items), 1, 0
    if "loop" in parts:
        yield loop(plan.ticks), 1, 0


def _workload(workload: Workload, concurrency: int, seconds: float, folder: Path, progress: Progress) -> Measurement:
    with progress.of(f"{workload.name}, {concurrency} at once") as done:
        settle()
        run, settings = measured(workload, concurrency, seconds, folder)
        done(f"{run.steps_per_second:,.0f} steps/s")
    return gathered("perdure", workload.name, concurrency, settings, [run], notation=workload.notation)


def _limits(plan: Plan, folder: Path, progress: Progress) -> Limits:
    with progress.of("raw syncs, commits, batches") as done:
        found = limits(plan.limit_seconds, folder)
        done(f"{found.commits_per_second:,.0f} commits/s, one by one")
    return found


def _serial(plan: Plan, folder: Path, progress: Progress) -> Serial:
    with progress.of("a step in a sequence, a raw commit, in turns") as done:
        settle()
        found = serial(plan.serial_rounds, folder)
        done(f"{found.marginal_us:,.0f} µs and {found.commit_us:,.0f} µs")
    return found
