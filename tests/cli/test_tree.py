"""How the steps of an execution are drawn: in lines, and as a tree on a terminal."""

from __future__ import annotations

import io
import logging
import re
import sys

import pytest
from rich.console import Console

from perdure.cli.lines import PlainLines, said
from perdure.cli.live import LiveTree
from perdure.core import facts as f
from perdure.model.failure import Failure
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


BROKEN = "the lamp is broken and cannot be mended by anybody; buy another one in the shop around the corner"


def drawn(width: int) -> list[str]:
    progress = Progress(1_000)
    progress.take("a step with a name that is rather long for a terminal", f.StepScheduled(1_050, 0))
    progress.take("a step with a name that is rather long for a terminal", f.StepCompleted(1_300, 0, 2))
    progress.take("break", f.StepFailed(1_400, 0, Failure(BROKEN)))
    progress.take(None, f.ExecutionFailed(1_500, Failure(BROKEN)))
    shown = io.StringIO()
    console = Console(file=shown, width=width, no_color=True, highlight=False)
    console.print(LiveTree("order", progress, console).drawn(None))
    return shown.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 59, 60, 80, 100])
def test_times_are_there_however_little_room_there_is(width: int) -> None:
    lines = drawn(width)
    assert all(len(line) <= width for line in lines)
    whole, long, *rest = lines
    assert re.search(r"order +500 ms", whole)
    assert re.search(r"a step with a.*… +250 ms|a step with a .* terminal +250 ms", long)
    assert re.search(r"break +0 ms", rest[0])
    assert "the lamp is broken" in " ".join(rest)


def test_on_a_narrow_terminal_what_is_said_of_a_step_stands_below_it() -> None:
    assert drawn(40)[-1] == "     the lamp is broken and cannot be m…"
    assert len(drawn(40)) == len(drawn(100)) + 1


def test_what_is_logged_while_the_tree_is_drawn_stands_above_it_and_not_in_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    handler, log = logging.StreamHandler(sys.stdout), logging.getLogger("test_tree")
    log.addHandler(handler)
    seen = io.StringIO()
    console = Console(file=seen, force_terminal=True, width=80, height=12, no_color=True, highlight=False)
    try:
        with LiveTree("order", Progress(0), console):
            log.warning("the lamp flickers")
        log.warning("it is off")
    finally:
        log.removeHandler(handler)
    assert "the lamp flickers" in seen.getvalue(), "by the console, which knows where the tree is"
    assert capsys.readouterr().out == "it is off\n"
