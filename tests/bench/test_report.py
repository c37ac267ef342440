"""The reckoning, the chart and the words."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from bench.words import SERIAL, SETTINGS, dbos, ours, rated
from perdure.bench.chart import COLUMNS, Bar, chart
from perdure.bench.report import told
from perdure.bench.results import LeftOut, Limits, Machine, Report, Target, gathered, percentile, summed
from perdure.bench.targets import judged, targets

MACHINE = Machine(2, "A Processor", "3.11.7", "/usr/bin/python3.11", "3.54.1", "/somewhere", "ext4")


def test_percentiles_are_values_that_were_seen() -> None:
    hundred = [float(number) for number in range(1, 101)]
    assert (percentile(hundred, 50), percentile(hundred, 99), percentile([7.0], 99)) == (50, 99, 7)
    assert percentile([1.0, 2.0, 3.0], 99) == 3


def test_a_run_counts_the_steps_of_its_executions() -> None:
    run = summed([0.003, 0.001, 0.002], steps_each=5, seconds=0.5)
    assert (run.executions, run.steps, run.steps_per_second) == (3, 15, 30)
    assert (run.p50_ms, run.p99_ms) == (2, 3)


def test_rounds_are_told_by_their_median_and_how_far_they_are_apart() -> None:
    measured = ours(900, 100, 1_000)
    assert (measured.steps_per_second, measured.slowest, measured.quickest) == (900, 100, 1_000)


def test_the_better_way_to_use_a_peer_counts() -> None:
    beside = [ours(6_000), dbos("async", 80), dbos("threads", 90, 100, 400), dbos("threads-wal", 500, counts=False)]
    found = targets(SERIAL, beside)
    assert [target.ratio for target in found] == [60, None, 1.75, pytest.approx(1.80625)]
    assert [target.met for target in found] == [True, None, True, True]


def test_documents_come_first_the_lowest_of_them_before_the_others() -> None:
    documents = [
        gathered("perdure", f"Perdure, {name}", 200, SETTINGS, [rated(rate)], notation=name)
        for name, rate in (("ports", 9_000), ("graph", 3_300), ("phases", 4_900))
    ]
    found = targets(None, [ours(6_000), *documents, dbos("async", 100)])
    assert [(target.name, target.ratio) for target in found if target.ratio is not None] == [
        ("times the steps/s of DBOS: a document in graph (the lowest of the notations)", 33),
        ("times the steps/s of DBOS: a document in phases", 49),
        ("times the steps/s of DBOS: a document in ports", 90),
        ("times the steps/s of DBOS: a model built by hand", 60),
    ]


@pytest.mark.parametrize(
    ("ratio", "bounds", "met"),
    [
        (60, {"at_least": 60}, True),
        (59.9, {"at_least": 60}, False),
        (2, {"at_most": 2}, True),
        (2.01, {"at_most": 2}, False),
        (5, {}, None),
        (None, {"at_most": 2}, None),
    ],
)
def test_a_target_is_met_or_not_or_not_asked(ratio: float | None, bounds: dict[str, float], met: bool | None) -> None:
    assert judged("x", ratio, **bounds).met is met


def test_bars_are_as_long_as_their_values() -> None:
    title, half, whole = chart("steps/s", [Bar("half", 50), Bar("whole", 100, "=")])
    assert title == "steps/s"
    assert len(whole) == COLUMNS
    assert whole.count("=") == pytest.approx(2 * half.count("#"), abs=1)
    assert half.startswith("half         50 #")


def test_values_far_apart_are_drawn_by_their_logarithms() -> None:
    title, *bars = chart("steps/s", [Bar("a", 10), Bar("b", 1_000), Bar("c", 100_000), Bar("none", 0)])
    least, middle, most = (line.count("#") for line in bars)
    assert "logarithmic" in title
    assert least == 1
    assert most - middle == pytest.approx(middle, abs=1)


def test_nothing_to_draw_is_no_chart() -> None:
    assert chart("steps/s", []) == []


def report(*shown: Target, filesystem: str = "ext4") -> Report:
    langgraph = gathered("langgraph", "LangGraph threads", 200, SETTINGS, [rated(30), rated(40)])
    return Report(
        machine=Machine(2, "A Processor", "3.11.7", "/usr/bin/python3.11", "3.54.1", "/somewhere", filesystem),
        quick=True,
        seconds=12.3,
        limits=Limits(5_000, 4_000, 400_000, 200),
        serial=SERIAL,
        workloads=(ours(7_000),),
        beside=(ours(6_000, 7_000), dbos("async", 100), dbos("threads-wal", 200, counts=False), langgraph),
        left_out=(LeftOut("somebody", "is not installed"),),
        targets=shown,
    )


def test_the_report_says_where_what_beside_whom_and_whether_it_holds() -> None:
    lines = told(
        report(
            judged("times that", 61.26, at_least=60, aim=100),
            judged("commits", 2.5, at_most=2),
            judged("told", 9.0),
            judged("gone", None, at_most=2),
        )
    )
    assert lines[:3] == [
        "2 cores, A Processor; Python 3.11.7, SQLite 3.54.1",
        "run by /usr/bin/python3.11",
        "files on ext4 in /somewhere",
    ]
    assert max(map(len, lines)) <= COLUMNS
    text = "\n".join(lines)
    for expected in (
        r"Perdure +200 +6,500 +6,000 to 7,000 +1\.5 +2\.5",
        r"DBOS threads-wal +200 +200 .*\*\n",
        r"LangGraph threads +1\.0: SQLite 3\.54\.1, journal wal, synchronous FULL",
        r"one step more +175   in raw commits, half of the rounds: 1\.60 to 1\.90",
        r"somebody was left out: is not installed",
        r"✓  61\.3 times that \(at least 60, aim: 100\)",
        r"✗  2\.5 commits \(at most 2\): short of the target",
        r"   9 told\n",
        r"-  gone: not measured",
        r"measured in 12 s, quickly",
    ):
        assert re.search(expected, text), expected


def test_what_makes_figures_worthless_is_pointed_out() -> None:
    plain = "\n".join(told(report()))
    unsteady = replace(report(filesystem="tmpfs"), serial=replace(SERIAL, commit_us_middle=(100, 151)))
    for said in ("this is no disk", "the disk was unsteady"):
        assert said in "\n".join(told(unsteady))
        assert said not in plain
    assert max(map(len, told(unsteady))) <= COLUMNS
