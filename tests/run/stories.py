"""Stories: cases that take more than one command. A database stays between them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from cli.typing import Ended, written
from perdure.model.values import Json
from run.expected import UNSAID, differs
from run.typed import TASKS


class File(Struct, frozen=True):
    """A document, as a file that a command is given."""

    document: Json


class Act(Struct, frozen=True):
    """A command, and what it has to say. Of its words, `$0` is the first execution that was started, `$approval` the one approval
    that there is; objects are JSON.
    """

    words: tuple[Any, ...]
    exit: int = 0
    told: dict[str, Any] = {}
    """What has to be there, by paths with dots."""
    says: tuple[str, ...] = ()
    statuses: tuple[str, ...] | None = None
    """Of all executions, the first first."""


class Story(Struct, frozen=True):
    name: str
    acts: tuple[Act, ...]


def story(name: str, *acts: Act) -> Story:
    return Story(name, acts)


def runs(document: Json, given: Json = None, *, exit: int = 3, **view: Any) -> Act:
    """Usually, it waits. `view`, by paths in which `__` stands for the dot."""
    words = ("run", File(document), "--tasks", TASKS, *(() if given is None else ("--input", given)))
    return Act(words, exit, _of_view(view))


def saves(document: Json) -> Act:
    return Act(("workflows", "save", File(document), "--tasks", TASKS))


def sends(kind: str, payload: Json = None, *more: str, **told: Any) -> Act:
    given = () if payload is None else ("--payload", payload)
    return Act(("events", "send", kind, *given, *more), told=told)


def works(horizon_seconds: float | None = None) -> Act:
    """Until nothing can go on; timers that are due in so many seconds are waited for."""
    horizon = () if horizon_seconds is None else ("--horizon", str(horizon_seconds))
    return Act(("worker", "--until-idle", "--tasks", TASKS, *horizon))


def shows(which: int = 0, *, output: Any = UNSAID, **view: Any) -> Act:
    """How an execution stands, in the words of its dialect."""
    told = {} if output is UNSAID else {"output": output, "view.output": output}
    return Act(("executions", "show", f"${which}", "--view"), told=told | _of_view(view))


def stand(*statuses: str) -> Act:
    """All executions."""
    return Act(("executions", "list"), statuses=statuses)


def cancels(*more: str, which: int = 0, exit: int = 0, says: tuple[str, ...] = ()) -> Act:
    return Act(("executions", "cancel", f"${which}", *more), exit, says=says)


def decides(decision: str, *more: str) -> Act:
    """Of what somebody is asked."""
    return Act(("approvals", decision, "$approval", "--as", "ann", *more))


def _of_view(view: dict[str, Any]) -> dict[str, Any]:
    return {f"view.{path.replace('__', '.')}": value for path, value in view.items()}


class Desk:
    """One database, and whoever types at it."""

    def __init__(self, folder: Path, types: Callable[..., Ended]) -> None:
        self.folder, self.types, self.files = folder, types, 0

    def plays(self, acts: tuple[Act, ...]) -> None:
        for act in acts:
            self._plays(act)

    def _plays(self, act: Act) -> None:
        ended = self._typed(*map(self._word, act.words))
        assert ended.status == act.exit, f"{act.words[:2]}: {ended.out}{ended.err}"
        told = json.loads(ended.out)
        wrong = differs(told, act.told)
        assert not wrong, f"{act.words[:2]}: {wrong}"
        assert [part for part in act.says if part not in ended.out] == [], ended.out
        if act.statuses is not None:
            statuses = tuple(item["status"] for item in reversed(told["items"]))
            assert statuses == act.statuses, statuses

    def _typed(self, *words: str) -> Ended:
        return self.types(*words, "--db", f"sqlite:///{self.folder}/flows.db", "--json")

    def _word(self, word: Any) -> str:
        match word:
            case File(document=document):
                self.files += 1
                return str(written(self.folder, f"case{self.files}.json", document))
            case "$approval":
                (one,) = json.loads(self._typed("approvals", "list", "--status", "all").out)["items"]
                return str(one["id"])
            case str() if word.startswith("$"):
                listed = json.loads(self._typed("executions", "list").out)["items"]
                return str(listed[-1 - int(word[1:])]["id"])
            case str() | Path():
                return str(word)
            case _:
                return json.dumps(word)
