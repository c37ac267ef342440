"""The steps of an execution as lines of text: one for each change, where nobody looks at a terminal."""

from __future__ import annotations

import sys
from typing import Self

from perdure.cli.tree import Entry, Line, Tree
from perdure.cli.wording import shown, time_of_day, took

NOTE_MAX = 120


class PlainLines:
    """Writes a line when a step has changed. A context like its sister `live.LiveTree`."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdout.flush()

    def take(self, entry: Entry) -> None:
        before = self._tree.lines.get(entry.step) if entry.step is not None else None
        line = self._tree.take(entry)
        if line is not None and _is_news(before, line):
            self._print(line, entry.at)

    def published(self, step: str, note: str, at: int) -> None:
        line = self._tree.published(step, note)
        if line is not None:
            self._print(line, at)

    def _print(self, line: Line, at: int) -> None:
        width = min(max((len(step) for step in self._tree.lines), default=0), 40)
        print(f"{time_of_day(at)}  {shown(line.step):<{width}}  {said(line, at)}", flush=True)


def said(line: Line, now: int) -> str:
    """How a step stands, in one line."""
    parts = [line.state if line.state != "retrying" else f"failed, attempt {line.attempt} follows"]
    if line.total is not None:
        parts.append(f"{line.done}/{line.total}")
    if line.attempt > 1 and line.state != "retrying":
        parts.append(f"attempt {line.attempt}")
    if line.runs > 1:
        parts.append(f"run {line.runs}")
    if line.ended_at is not None:
        parts.append(took(line.ended_at - line.begun_at))
    if line.until is not None and line.until > now:
        parts.append(f"for {took(line.until - now)}")
    if line.note:
        parts.append(shown(line.note, NOTE_MAX))
    return "  ".join(parts)


def _is_news(before: Line | None, line: Line) -> bool:
    """An item more is none: there may be ten thousand of them."""
    if before is None or (before.state, before.runs, before.attempt) != (line.state, line.runs, line.attempt):
        return True
    tenth = max((line.total or 0) // 10, 1)
    return line.done != before.done and line.done % tenth == 0
