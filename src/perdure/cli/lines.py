"""The steps of an execution as lines of text: one for each change, where nobody looks at a terminal."""

from __future__ import annotations

import sys
from typing import Self

from perdure.cli.wording import shown, time_of_day, took
from perdure.service.history import HistoryEntry
from perdure.service.progress import Progress, StepProgress

NOTE_MAX = 120


class PlainLines:
    """Writes a line when a step has changed. A context like its sister `live.LiveTree`."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        sys.stdout.flush()

    def take(self, entry: HistoryEntry) -> None:
        if entry.fact is None:
            return
        before = self._progress.steps.get(entry.step or "")
        step = None if entry.inner else self._progress.take(entry.step, entry.fact)
        if step is not None and _is_news(before, step):
            self._print(step, entry.at)

    def published(self, step: str, note: str, at: int) -> None:
        stands = self._progress.published(step, note)
        if stands is not None:
            self._print(stands, at)

    def _print(self, step: StepProgress, at: int) -> None:
        width = min(max((len(name) for name in self._progress.steps), default=0), 40)
        print(f"{time_of_day(at)}  {shown(step.step):<{width}}  {said(step, at)}", flush=True)


def said(step: StepProgress, now: int) -> str:
    """How a step stands, in one line."""
    parts = [step.status if step.status != "retrying" else f"failed, attempt {step.attempt} follows"]
    if step.total is not None:
        parts.append(f"{step.done}/{step.total}")
    if step.attempt > 1 and step.status != "retrying":
        parts.append(f"attempt {step.attempt}")
    if step.runs > 1:
        parts.append(f"run {step.runs}")
    if step.ended_at is not None:
        parts.append(took(step.ended_at - step.started_at))
    if step.until is not None and step.until > now:
        parts.append(f"for {took(step.until - now)}")
    if step.note:
        parts.append(shown(step.note, NOTE_MAX))
    return "  ".join(parts)


def _is_news(before: StepProgress | None, step: StepProgress) -> bool:
    """An item more is none: there may be ten thousand of them."""
    if before is None or (before.status, before.runs) != (step.status, step.runs):
        return True
    if step.attempt > max(before.attempt, 1):
        return True
    tenth = max((step.total or 0) // 10, 1)
    return step.done != before.done and step.done % tenth == 0
