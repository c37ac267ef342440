"""The steps of an execution as a tree that stays in its place on a terminal and changes as they go on."""

from __future__ import annotations

import sys
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from perdure.cli.lines import NOTE_MAX
from perdure.cli.wording import shown, took
from perdure.clock import now_ms
from perdure.service.history import HistoryEntry
from perdure.service.progress import ENDED, Progress, StepProgress, StepStatus

REFRESHED_PER_SECOND = 8
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MARKS: dict[StepStatus, tuple[str, str]] = {
    "pending": ("·", "dim"),
    "running": ("⠋", "cyan"),
    "waiting": ("◷", "yellow"),
    "retrying": ("↻", "magenta"),
    "completed": ("✓", "green"),
    "failed": ("✗", "red"),
    "cancelled": ("○", "dim"),
}
ROOM_BELOW = 4
BAR_WIDTH = 16


class LiveTree:
    """While it is open, the tree is drawn again and again: times run, also where nothing else happens."""

    def __init__(self, name: str, progress: Progress, console: Console | None = None) -> None:
        self._name, self._progress = name, progress
        self._console = console or Console(file=sys.stdout, highlight=False)
        self._live = Live(
            get_renderable=lambda: self.drawn(self._console.height - ROOM_BELOW),
            console=self._console,
            refresh_per_second=REFRESHED_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, *ended: object) -> None:
        """What stays on the screen is the whole tree."""
        self._live.stop()
        self._console.print(self.drawn(None))

    def take(self, entry: HistoryEntry) -> None:
        if entry.fact is not None:
            self._progress.take(entry.step, entry.fact)

    def published(self, step: str, note: str, at: int) -> None:  # noqa: ARG002  it is drawn when its turn comes
        self._progress.published(step, note)

    def drawn(self, lines_max: int | None) -> Table:
        now = now_ms()
        drawn = Table.grid(padding=(0, 2, 0, 0))
        drawn.add_column(no_wrap=True, overflow="ellipsis", max_width=48)
        drawn.add_column(justify="right", no_wrap=True)
        drawn.add_column(overflow="ellipsis", no_wrap=True)
        whole = self._progress
        mark = _mark(whole.status, now)
        spent = took((whole.ended_at or now) - whole.started_at)
        drawn.add_row(
            Text.assemble(mark, " ", (shown(self._name), "bold")), spent, Text(shown(whole.note, NOTE_MAX), "dim")
        )
        every = list(whole.steps.values())
        lines = every if lines_max is None else _chosen(every, max(lines_max, 1))
        if len(lines) < len(every):
            drawn.add_row(Text(f"├─ … {len(every) - len(lines)} more", "dim"), "", "")
        for number, line in enumerate(lines, start=1):
            drawn.add_row(*self._row(line, "└─" if number == len(lines) else "├─", now))
        return drawn

    def _row(self, line: StepProgress, branch: str, now: int) -> tuple[Text, str, Text | Table]:
        name = Text.assemble((f"{branch} ", "dim"), _mark(line.status, now), " ", shown(line.step))
        return name, took((line.ended_at or now) - line.started_at), self._about(line, now)

    def _about(self, line: StepProgress, now: int) -> Text | Table:
        parts = []
        if line.runs > 1:
            parts.append(f"run {line.runs}")
        if line.attempt > 1:
            parts.append(f"attempt {line.attempt}")
        if line.until is not None and line.status not in ENDED:
            parts.append(f"in {took(line.until - now)}" if line.until > now else "now")
        if line.note:
            parts.append(shown(line.note, NOTE_MAX))
        about = Text(" · ".join(parts), "red" if line.status == "failed" else "dim")
        if line.total is None or line.status in ENDED:
            return about if line.total is None else Text.assemble((f"{line.done}/{line.total}  ", "dim"), about)
        bar = Table.grid(padding=(0, 1, 0, 0))
        bar.add_row(ProgressBar(line.total or 1, line.done, width=BAR_WIDTH), f"{line.done}/{line.total}", about)
        return bar


def _mark(status: StepStatus, now: int) -> tuple[str, str]:
    mark, style = MARKS[status]
    return (SPINNER[now // 100 % len(SPINNER)] if status == "running" else mark), style


def _chosen(lines: list[StepProgress], lines_max: int) -> list[StepProgress]:
    """As many as there is room for: what is open, and of what has ended the newest."""
    if len(lines) <= lines_max:
        return lines
    newest = sorted(range(len(lines)), key=lambda place: (lines[place].status in ENDED, -place))
    return [lines[place] for place in sorted(newest[:lines_max])]
