"""Peers run in processes of their own. These are made up: the real ones are installed for the benchmark alone."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from msgspec.structs import replace

from bench.words import ABSENT, TINY
from perdure.bench.beside import Beside
from perdure.bench.peers.running import PEERS, Mode, Peer, missing
from perdure.bench.progress import Progress
from perdure.bench.workloads import NOTATIONS

ANSWERS = """
from perdure.bench.driving import drive_threads
from perdure.bench.peers.orders import Answer, answered, received
from perdure.bench.results import Settings

order = received()
print("a library that talks")
drive_threads(lambda: None, order.warm_up)
answered(Answer(drive_threads(lambda: None, order.load), Settings(order.mode, "3", "delete", "FULL")))
"""
DIES = "raise SystemExit('no such file or directory')"


def made_up(folder: Path, source: str, *modes: Mode) -> Peer:
    (folder / "made_up_peer.py").write_text(source)
    return Peer("dbos", "DBOS", (), "made_up_peer", modes)


def beside(peer: Peer, folder: Path, seconds_max: float = 60, *parts: str) -> tuple[Beside, str]:
    said = io.StringIO()
    found = Beside(replace(TINY, peers=(peer,), beside_seconds_max=seconds_max), folder, Progress(said))
    found.measure({"dbos", *parts})
    return found, said.getvalue()


def test_ours_and_theirs_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    found, said = beside(made_up(tmp_path, ANSWERS, Mode("async"), Mode("told", counts=False)), tmp_path)

    assert [line.split(",")[0] for line in said.splitlines()] == [
        "round 1: Perdure",
        "round 1: DBOS async",
        "round 1: Perdure",
        "round 1: DBOS told",
        "round 2: Perdure",
        "round 2: DBOS async",
    ]
    ours, counting, told = found.measurements()
    assert [len(one.runs) for one in (ours, counting, told)] == [3, 2, 1]
    assert (counting.counts, told.counts) == (True, False)
    assert {run.steps for run in counting.runs} == {TINY.concurrency * TINY.beside_length}
    assert (counting.settings.version, counting.settings.journal_mode) == ("async", "delete")
    assert found.left_out == []


def test_a_document_of_each_notation_has_its_turn_in_every_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    found, said = beside(made_up(tmp_path, ANSWERS, Mode("async")), tmp_path, 60, "documents")
    assert said.count("document of 2") == 2 * len(NOTATIONS)
    ours, *documents, theirs = found.measurements()
    assert (ours.name, ours.notation, theirs.system) == ("Perdure", None, "dbos")
    assert [(one.name, one.notation, len(one.runs)) for one in documents] == [
        (f"Perdure, {notation}", notation, 2) for notation in NOTATIONS
    ]


def test_a_slow_machine_gets_fewer_rounds_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    found, said = beside(made_up(tmp_path, ANSWERS, Mode("async")), tmp_path, seconds_max=0)

    assert [len(one.runs) for one in found.measurements()] == [1, 1]
    assert said.endswith("this machine is slow now: 1 of 2 rounds\n")


def test_a_peer_that_dies_is_left_out_and_why_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    found, said = beside(made_up(tmp_path, DIES, Mode("async")), tmp_path)

    reason = "DBOS ended with status 1: no such file or directory"
    assert [(left.system, left.reason) for left in found.left_out] == [("dbos", reason)]
    assert found.measurements() == ()
    assert said.count("DBOS is left out") == 1


def test_a_peer_that_is_not_installed_is_left_out_with_the_way_to_add_it(tmp_path: Path) -> None:
    found, said = beside(ABSENT, tmp_path)
    assert said == "DBOS is left out: no-such-package-anywhere is not installed; `make bench` runs with it\n"
    assert found.measurements() == ()


def test_what_is_installed_is_not_missing() -> None:
    assert missing(replace(ABSENT, packages=("apsw", "no-such-package-anywhere"))) == ("no-such-package-anywhere",)
    assert {peer.system for peer in PEERS} == {"dbos", "langgraph"}
