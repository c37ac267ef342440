"""The steps of an execution as a tree that stays in its place on a terminal and changes as they go on."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Self

from msgspec import Struct
from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.text import Text

from perdure.cli.above import logs_above, streams
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
NAME_WIDTH_MAX = 48
NARROW = 60
"""On a terminal of fewer columns, what is to be said of a step stands below it."""


class _Row(Struct, frozen=True):
    """`stem` continues the tree where a second line is needed."""

    name: Text
    spent: str
    about: Text
    stem: str = ""


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
            redirect_stderr=sys.stderr.isatty(),
        )
        self._open = ExitStack()

    def __enter__(self) -> Self:
        before = streams()
        self._open.enter_context(self._live)
        self._open.enter_context(logs_above(dict(zip(before, streams(), strict=True))))
        return self

    def __exit__(self, *ended: object) -> None:
        """What stays on the screen is the whole tree."""
        self._open.close()
        self._console.print(self.drawn(None))

    def take(self, entry: HistoryEntry) -> None:
        if entry.fact is not None and not entry.inner:
            self._progress.take(entry.step, entry.fact)

    def published(self, step: str, note: str, at: int) -> None:  # noqa: ARG002  it is drawn when its turn comes
        self._progress.published(step, note)

    def drawn(self, lines_max: int | None) -> Text:
        now, width = now_ms(), self._console.width
        every = list(self._progress.steps.values())
        if lines_max is not None and width < NARROW:
            lines_max //= 2
        chosen = every if lines_max is None else _chosen(every, max(lines_max, 1))
        rows = [self._whole(now)]
        if len(chosen) < len(every):
            rows.append(_Row(Text(f"├─ … {len(every) - len(chosen)} more", "dim"), "", Text()))
        rows += [_row(step, now, is_last=number == len(chosen)) for number, step in enumerate(chosen, start=1)]
        return Text("\n", no_wrap=True, overflow="ellipsis").join(_laid_out(rows, width))

    def _whole(self, now: int) -> _Row:
        whole = self._progress
        name = Text.assemble(_mark(whole.status, now), " ", (shown(self._name), "bold"))
        spent = took((whole.ended_at or now) - whole.started_at)
        return _Row(name, spent, Text(shown(whole.note, NOTE_MAX), "dim"), "│" if whole.steps else "")


def _row(step: StepProgress, now: int, *, is_last: bool) -> _Row:
    branch, stem = ("└─", "") if is_last else ("├─", "│")
    name = Text.assemble((f"{branch} ", "dim"), _mark(step.status, now), " ", shown(step.step))
    return _Row(name, took((step.ended_at or now) - step.started_at), _about(step, now), stem)


def _about(step: StepProgress, now: int) -> Text:
    parts = []
    if step.runs > 1:
        parts.append(f"run {step.runs}")
    if step.attempt > 1:
        parts.append(f"attempt {step.attempt}")
    if step.until is not None and step.status not in ENDED:
        parts.append(f"in {took(step.until - now)}" if step.until > now else "now")
    if step.note:
        parts.append(shown(step.note, NOTE_MAX))
    about = Text(" · ".join(parts), "red" if step.status == "failed" else "dim")
    if step.total is None:
        return about
    count = (f"{step.done}/{step.total}  ", "dim")
    if step.status in ENDED:
        return Text.assemble(count, about)
    filled = BAR_WIDTH * step.done // max(step.total, 1)
    return Text.assemble(("━" * filled, "cyan"), ("━" * (BAR_WIDTH - filled), "dim"), " ", count, about)


def _laid_out(rows: list[_Row], width: int) -> list[Text]:
    """Names, times and notes below each other. Times are always there whole: names and notes are cut to what is left."""
    spent_width = max(len(row.spent) for row in rows)
    widest = min(max(cell_len(row.name.plain) for row in rows), NAME_WIDTH_MAX)
    is_narrow = width < NARROW
    name_width = max(1, min(widest, width - spent_width - 2 if is_narrow else width // 2))
    lines: list[Text] = []
    for row in rows:
        row.name.truncate(name_width, overflow="ellipsis", pad=True)
        line = Text.assemble(row.name, "  ", f"{row.spent:>{spent_width}}")
        if row.about and not is_narrow:
            line = Text.assemble(line, "  ", row.about)
        lines.append(line)
        if row.about and is_narrow:
            lines.append(Text.assemble((f"{row.stem:<5}", "dim"), row.about))
    for line in lines:
        line.truncate(width, overflow="ellipsis")
        line.rstrip()
    return lines


def _mark(status: StepStatus, now: int) -> tuple[str, str]:
    mark, style = MARKS[status]
    return (SPINNER[now // 100 % len(SPINNER)] if status == "running" else mark), style


def _chosen(steps: list[StepProgress], steps_max: int) -> list[StepProgress]:
    """As many as there is room for: what is open, and of what has ended the newest."""
    if len(steps) <= steps_max:
        return steps
    newest = sorted(range(len(steps)), key=lambda place: (steps[place].status in ENDED, -place))
    return [steps[place] for place in sorted(newest[:steps_max])]
