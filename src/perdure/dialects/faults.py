"""Collecting what is to be said of a document: problems, which refuse it; obstacles, with which it stays a draft; warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

from msgspec.structs import replace

from perdure.expressions.wording import listed, nearest, pointer
from perdure.model.problem import LEFT_OUT, Problem

PROBLEMS_MAX = 500
"""More than anybody reads at once; of a document of nothing but faults no more than this is told, and how many more there are."""

STEPS_LISTED_MAX = 20
"""Maximum number of steps that a warning lists."""

Kind: TypeAlias = Literal["problem", "warning", "obstacle"]


class Faults:
    """All that is to be said of one document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.obstacles: list[Problem] = []
        self.code: list[tuple[Problem, str, tuple[tuple[str, int, int], ...]]] = []
        """JavaScript that has yet to be compiled, where it stands, and the regular expressions in it: see `port.Code`."""
        self.transforms_work = 0
        """What reading the transforms of the document has taken."""
        self._more: dict[Kind, int] = {}
        """How many were left out."""
        self._looked_at_all = True
        self._steps: dict[tuple[str, str], dict[str, None]] = {}
        """The steps of each warning that is told once for all of them, by its type and message."""
        self.written: dict[str, str] = {}
        """What the author wrote, of each expression whose names the model has others for."""

    @property
    def is_full(self) -> bool:
        """Whether one problem more would not be told."""
        return len(self.problems) >= PROBLEMS_MAX

    @property
    def has_warned_enough(self) -> bool:
        """Whether one warning more would not be told."""
        return len(self.warnings) >= PROBLEMS_MAX

    def problem(self, type_: str, path: str, message: str, **more: Any) -> None:
        self._say("problem", Problem(type_, message, path=path, **more))

    def warning(self, type_: str, path: str, message: str, **more: Any) -> None:
        self._say("warning", Problem(type_, message, path=path, **more))

    def shared_warning(self, type_: str, path: str, message: str, *, step: str, **more: Any) -> None:
        """Warn once of what concerns several steps in the same way, at the first of them, and list the steps."""
        steps = self._steps.get((type_, message))
        if steps is None:
            self._steps[type_, message] = {step: None}
            self.warning(type_, path, message, step=step, **more)
        else:
            steps[step] = None

    def obstacle(self, type_: str, path: str, message: str, **more: Any) -> None:
        """It may be saved and tried out, but not be activated."""
        self._say("obstacle", Problem(type_, message, path=path, **more))

    def warned_enough(self) -> None:
        """Nobody looks for further warnings, of which none would be told."""
        self._looked_at_all = False

    def told(self, kind: Kind) -> tuple[Problem, ...]:
        """All that is told of a kind; last, that there is more."""
        found, more = tuple(map(self._with_steps, self._of(kind))), self._more.get(kind, 0)
        if kind == "warning" and not self._looked_at_all:
            return (*found, left_out("warning"))
        return (*found, left_out(kind, more)) if more else found

    def _with_steps(self, problem: Problem) -> Problem:
        steps = self._steps.get((problem.type, problem.message), {})
        if len(steps) <= 1:
            return problem
        return replace(
            problem, message=f"{problem.message} ({len(steps)} steps: {listed(list(steps), STEPS_LISTED_MAX)})"
        )

    def _of(self, kind: Kind) -> list[Problem]:
        return {"problem": self.problems, "warning": self.warnings, "obstacle": self.obstacles}[kind]

    def _say(self, kind: Kind, one: Problem) -> None:
        told = self._of(kind)
        if len(told) < PROBLEMS_MAX:
            told.append(one)
        else:
            self._more[kind] = self._more.get(kind, 0) + 1

    def take(self, problems: Iterable[object], path: str, step: str = "") -> None:
        """Problems of a part of the document, whose paths begin there. What has a line of its own has it in a text of that
        part; of the document, nobody knows it yet.
        """
        for problem in problems:
            if isinstance(problem, Problem):
                message = problem.message
                if problem.line is not None and (problem.line, problem.column) != (1, 1):
                    line = f"line {problem.line}, " if problem.line > 1 else ""
                    message = f"{message} ({line}character {problem.column} of the text)"
                moved = replace(problem, message=message, path=f"{path}{problem.path}", line=None, column=None)
                self._say("problem", moved if moved.step else replace(moved, step=step))

    def unknown_keys(
        self, given: Iterable[str], known: Iterable[str], path: str, *, step: str = "", only_near: bool = False
    ) -> None:
        """Keys that mean nothing here. `only_near`: others may stand there for somebody else's use."""
        known = tuple(known)
        for key in given:
            if key in known:
                continue
            hint = nearest(key, known)
            if hint or not only_near:
                end = hint or f"; known are {', '.join(known)}"
                self.warning("unknown_key", at(path, key), f"{key!r} means nothing here{end}", step=step, field=key)


def left_out(kind: Kind, count: int | None = None) -> Problem:
    """That more of them were found than are told; None: nobody has counted them."""
    what = f"there may be further {kind}s" if count is None else f"{count:,} more {kind}{'' if count == 1 else 's'}"
    left = "which are left out" if count is None else f"{'is' if count == 1 else 'are'} left out"
    message = f"{what}{', ' if count is None else ' '}{left}: {PROBLEMS_MAX} are told at once; mend these first"
    return Problem(LEFT_OUT, message)


def at(path: str, *parts: str | int) -> str:
    """The path to a part."""
    return path + "".join(f"/{pointer(str(part))}" for part in parts)
