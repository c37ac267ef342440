"""What is run really runs: to its end, with as many calls of its task as are counted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from perdure.bench.limits import limits
from perdure.bench.ours import Miscounted, measured, opened
from perdure.bench.serial import reckoned, serial
from perdure.bench.workloads import LIGHT, NOTATIONS, Workload, document, each, light_answer, loop, parallel, sequence
from perdure.dialects.registry import DIALECTS
from perdure.service.engine import Engine

DOCUMENTS = [document(notation, 5) for notation in NOTATIONS]


@pytest.mark.parametrize(
    "workload", [sequence(1), sequence(5), parallel(4), each(7), loop(6), *DOCUMENTS], ids=lambda w: w.name
)
@pytest.mark.parametrize("concurrency", [1, 3])
def test_every_workload_ends_and_is_counted(workload: Workload, concurrency: int, tmp_path: Path) -> None:
    run, settings = measured(workload, concurrency, 0, tmp_path)

    assert (run.executions, run.steps) == (concurrency, concurrency * workload.steps)
    assert (settings.journal_mode, settings.synchronous) == ("wal", "FULL")
    assert not list(tmp_path.iterdir()), "it leaves nothing behind"


def test_the_workloads_come_to_what_they_should(tmp_path: Path) -> None:
    async def outputs() -> list[Any]:
        async with opened(tmp_path) as bench:
            found = []
            for workload in (sequence(3), each(4)):
                await bench.engine.workflows.save(workload.workflow)
                found.append(await bench.once(workload))
            return found

    assert asyncio.run(outputs()) == [{"n": 1}, [{"n": 1}] * 4]


def test_there_is_a_document_of_each_notation_without_a_warning(tmp_path: Path) -> None:
    async def saved() -> list[tuple[str | None, Any]]:
        async with opened(tmp_path) as bench:
            found = [await bench.engine.workflows.save(each.workflow) for each in DOCUMENTS]
            return [(one.dialect, one.warnings) for one in found]

    assert set(NOTATIONS) == {dialect.name for dialect in DIALECTS}
    assert asyncio.run(saved()) == [(notation, ()) for notation in NOTATIONS]


@pytest.mark.parametrize("notation", [each for each in NOTATIONS if each != "graph"])
def test_the_steps_of_a_document_are_given_the_input(notation: str) -> None:
    """Nodes of a graph are given the whole context."""
    given: list[Any] = []

    async def run() -> None:
        async with Engine("memory://") as engine:

            @engine.task(LIGHT)
            async def light(value: Any) -> Any:
                given.append(value)
                return light_answer()

            workload = document(notation, 3)
            await engine.workflows.save(workload.workflow)
            await (await engine.executions.start(workload.reference, {"n": 7})).result()

    asyncio.run(run())
    assert given == [{"n": 7}] * 3


def test_a_run_that_did_not_make_its_steps_gives_no_figure(tmp_path: Path) -> None:
    with pytest.raises(Miscounted, match="sequence of 3: 3 calls of its task, and 4 were due"):
        measured(replace(sequence(3), steps=4), 1, 0, tmp_path)


def test_the_limits_of_the_disk_are_found(tmp_path: Path) -> None:
    found = limits(0, tmp_path)
    assert min(found.syncs_per_second, found.commits_per_second, found.rows_per_second) > 0
    assert not list(tmp_path.iterdir())


def test_executions_and_raw_commits_are_measured_in_turns(tmp_path: Path) -> None:
    found = serial(2, tmp_path)
    assert (found.length, found.rounds) == (40, 2)
    assert min(found.commit_us, found.one_step_us, found.many_steps_us) > 0
    assert not list(tmp_path.iterdir())


def test_one_step_more_is_the_difference_shared_by_the_steps() -> None:
    quiet, busy = (0.004, 0.001, 0.0088), (0.008, 0.002, 0.0176)  # forty raw commits, one step, forty steps
    found = reckoned([quiet, quiet, busy])
    assert (found.commit_us, found.one_step_us) == pytest.approx((100, 1_000))
    assert found.marginal_us == pytest.approx(200)
    assert found.commit_us_middle == pytest.approx((100, 200))
    assert found.marginal_commits_middle == pytest.approx((2, 2))
