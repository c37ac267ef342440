"""Collecting what is to be said of a document: problems, which refuse it; obstacles, with which it stays a draft; warnings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from perdure.expressions.wording import nearest, pointer
from perdure.model.problem import Problem

PROBLEMS_MAX = 200
"""More than anybody reads at once; a document of nothing but faults says no more than this."""


class Faults:
    """All that is to be said of one document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self.obstacles: list[Problem] = []
        self.code: list[tuple[Problem, str, tuple[tuple[str, int, int], ...]]] = []
        """JavaScript that has yet to be compiled, where it stands, and the regular expressions in it: see `port.Code`."""
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
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(Problem(type_, message, path=path, **more))

    def warning(self, type_: str, path: str, message: str, **more: Any) -> None:
        if len(self.warnings) < PROBLEMS_MAX:
            self.warnings.append(Problem(type_, message, path=path, **more))

    def obstacle(self, type_: str, path: str, message: str, **more: Any) -> None:
        """It may be saved and tried out, but not be activated."""
        if len(self.obstacles) < PROBLEMS_MAX:
            self.obstacles.append(Problem(type_, message, path=path, **more))

    def take(self, problems: Iterable[object], path: str, step: str = "") -> None:
        """Problems of a part of the document, whose paths begin there. What has a line of its own has it in a text of that
        part; of the document, nobody knows it yet.
        """
        for problem in problems:
            if isinstance(problem, Problem) and len(self.problems) < PROBLEMS_MAX:
                message = problem.message
                if problem.line is not None and (problem.line, problem.column) != (1, 1):
                    line = f"line {problem.line}, " if problem.line > 1 else ""
                    message = f"{message} ({line}character {problem.column} of the text)"
                moved = replace(problem, message=message, path=f"{path}{problem.path}", line=None, column=None)
                self.problems.append(moved if moved.step else replace(moved, step=step))

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


def at(path: str, *parts: str | int) -> str:
    """The path to a part."""
    return path + "".join(f"/{pointer(str(part))}" for part in parts)
