"""`perdure bench`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from bench.words import TINY
from perdure.bench.plan import FULL, PARTS, QUICK
from perdure.bench.results import Report
from perdure.cli.bench import bench_command
from perdure.cli.main import main


def test_it_measures_everything_tells_it_and_writes_it_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "figures.json"
    assert bench_command(db_dir=tmp_path, out=out, plan=TINY) == 0

    report = msgspec.json.decode(out.read_bytes(), type=Report)
    assert [(one.name, one.concurrency, one.runs[0].steps) for one in report.workloads] == [
        ("sequence of 1", 1, 1),
        ("sequence of 1", 3, 3),
        ("sequence of 3", 1, 3),
        ("sequence of 3", 3, 9),
        ("4 in parallel", 1, 4),
        ("4 in parallel", 3, 12),
        ("ports document of 2", 3, 6),
        ("orchestration document of 2", 3, 6),
        ("phases document of 2", 3, 6),
        ("graph document of 2", 3, 6),
        ("forEach over 7", 1, 7),
        ("loop of 6 ticks", 1, 6),
    ]
    assert report.limits is not None
    assert report.serial is not None
    assert [left.system for left in report.left_out] == ["dbos"]
    shown = capsys.readouterr()
    assert "dbos was left out: no-such-package-anywhere is not installed; `make bench` runs with it" in shown.out
    assert "times the steps/s of DBOS: a model built by hand: not measured" in shown.out
    assert f"the figures are in {out}" in shown.err
    assert list(tmp_path.iterdir()) == [out]


def test_as_json_it_prints_one_object_and_writes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bench_command(json=True, only=("limits", "each"), plan=TINY) == 0

    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert [one["name"] for one in found["workloads"]] == ["forEach over 7"]
    assert (found["serial"], found["beside"], found["left_out"]) == (None, [], [])
    assert "forEach over 7, 1 at once" in shown.err
    assert not list(tmp_path.iterdir())


def test_without_a_name_the_file_goes_into_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert bench_command(only=("each",), plan=TINY) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["perdure-bench.json"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--db-dir", "nowhere"], "--db-dir nowhere is no folder that can be written"),
        (["--out", "nowhere/x.json"], "--out nowhere/x.json cannot be written"),
        (["--out", "."], "--out . cannot be written"),
    ],
)
def test_what_cannot_be_written_is_said_before_anything_is_measured(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["bench", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_only_takes_the_names_of_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "limits", "everything"]) == 2
    said = capsys.readouterr().err
    assert all(part in said for part in PARTS)


def test_the_quick_plan_differs_in_how_much_and_not_in_what() -> None:
    assert (QUICK.concurrency, QUICK.lengths, QUICK.beside_length) == (
        FULL.concurrency,
        FULL.lengths,
        FULL.beside_length,
    )
    assert [peer.system for peer in QUICK.peers] == [peer.system for peer in FULL.peers]
