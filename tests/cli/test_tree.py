"""How the steps of an execution are drawn: in lines, and as a tree on a terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from perdure.cli.lines import PlainLines, said
from perdure.cli.live import LiveTree
from perdure.core import facts as f
from perdure.service.history import HistoryEntry
from perdure.service.progress import Progress, StepProgress


def told(fact: f.Fact, step: str | None = None) -> HistoryEntry:
    """An entry of a history."""
    return HistoryEntry(1, fact.at, str(fact.__struct_config__.tag), step, {}, fact)


BEGUN = told(f.ExecutionStarted(1_000, "e1", "d1"))


def test_a_line_tells_what_is_worth_telling() -> None:
    assert said(StepProgress("pay", "retrying", 0, attempt=3, until=3_000, note="declined"), 1_000) == (
        "failed, attempt 3 follows  for 2.0 s  declined"
    )
    assert said(StepProgress("pack", "completed", 0, 65_000, runs=2, attempt=2, done=3, total=3), 0) == (
        "completed  3/3  attempt 2  run 2  1:05"
    )


def test_plain_lines_tell_changes_and_not_every_item(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainLines(Progress(0)) as lines:
        lines.take(BEGUN)
        lines.take(told(f.ForEachOpened(1_100, 0, list(range(1_000))), "pack"))
        for item in range(1_000):
            lines.take(told(f.StepScheduled(1_200, 0, scope=2, item=item), "pack"))
            lines.take(told(f.ItemCompleted(1_200, 0, 2, item), "pack"))
        lines.take(told(f.StepCompleted(1_300, 0, scope=2), "pack"))
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 + 10 + 1
    assert shown[-1].endswith("pack  completed  1000/1000  200 ms")


def test_the_whole_tree_stays_on_the_screen_also_where_it_is_longer() -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=80, height=12, no_color=True, highlight=False)
    with LiveTree("order", Progress(0), console) as live:
        live.take(BEGUN)
        for step in range(30):
            live.take(told(f.StepCompleted(1_100, 0), f"step{step}"))
        live.take(told(f.StepCompleted(1_200, 0), "ship"))
    seen = re.sub("\x1b\\[[^a-zA-Z]*[a-zA-Z]", "", shown.getvalue())
    assert "└─ ✓ ship" in seen
    assert all(f"step{step}" in seen for step in range(30))


def test_while_it_goes_on_what_is_open_is_shown_and_the_rest_is_counted() -> None:
    progress = Progress(1_000)
    progress.take("slow", f.StepScheduled(1_050, 0))
    for step in range(30):
        progress.take(f"step{step}", f.StepCompleted(1_100, 0))
    shown = io.StringIO()
    console = Console(file=shown, width=80, height=12, no_color=True, highlight=False)
    console.print(LiveTree("order", progress, console).drawn(8))
    seen = shown.getvalue()
    assert "slow" in seen
    assert "… 23 more" in seen
    assert len(seen.splitlines()) == 1 + 1 + 8
