"""The `variables` of an execution, as seed 000 has them, from its facts: what every step came to, the last output, the loop that
control is in, and what was set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from perdure.core import facts as f
from perdure.core.scope import error_value
from perdure.dialects.ports.names import CONFIG, RESERVED
from perdure.model.secrets import SEALED
from perdure.model.values import Json
from perdure.model.workflow import Workflow

MASK: Final = "***"


class Titles(Struct, frozen=True):
    """Of each step, by its slug: its type, and its name."""

    types: Mapping[str, str]
    names: Mapping[str, str]


class _Loop:
    """A loop that was opened. `number` is its place in the history."""

    def __init__(self, number: int, fact: f.LoopOpened, parent: _Loop | None) -> None:
        self.number, self.step, self.items, self.batch_size = number, fact.step, fact.items, fact.batch_size
        self.parent = parent
        self.start, self.ticks, self.complete = 0, 0, False
        self.errors: list[Json] = []

    def state(self) -> dict[str, Json]:
        before = self.ticks if self.complete else max(0, self.ticks - 1)
        return {
            "currentIndex": len(self.items) if self.complete else self.start,
            "totalItems": len(self.items),
            "iterations": before,
            "batchesProcessed": before,
            "isComplete": self.complete,
        }

    def output(self) -> dict[str, Json]:
        items = self.items[self.start : self.start + self.batch_size]
        batch = {
            "index": self.ticks - 1,
            "size": len(items),
            "items": items,
            "startIndex": self.start,
            "endIndex": self.start + len(items) - 1,
        }
        found: dict[str, Json] = {"state": self.state(), "batch": batch}
        return found | ({"item": items[0]} if self.batch_size == 1 else {})

    def essential(self) -> dict[str, Json]:
        """What is kept of it: seed 000 §6."""
        found: dict[str, Json] = {"state": self.state()}
        if self.batch_size == 1 and not self.complete and self.ticks:
            found |= {"item": self.items[self.start], "index": self.start}
        return found | {"items": self.items}


class Variables:
    """Folds the facts of one execution."""

    def __init__(self, workflow: Workflow, titles: Titles) -> None:
        self._workflow, self._titles = workflow, titles
        self._input: Json = None
        self._config: dict[str, Json] = {}
        self._set: dict[str, Json] = {}
        self._organization = ""
        self._steps: dict[str, Json] = {}
        self._last: Json = None
        self._last_step = -1
        self._loops: dict[int, _Loop] = {}
        self._loop: _Loop | None = None

    def take_all(self, facts: Sequence[f.Fact]) -> Variables:
        for number, fact in enumerate(facts, 1):
            self.take(number, fact)
        return self

    def take(self, number: int, fact: f.Fact) -> None:
        match fact:
            case f.ExecutionStarted():
                self._input, self._organization = fact.input, fact.organization
                config = (fact.assigned or {}).get(CONFIG)
                self._config = config if isinstance(config, dict) else {}
            case f.ExecutionForked():
                self._forked(fact)
            case f.StepCompleted():
                self._completed(fact)
            case f.StepFailed() if fact.loop and fact.loop in self._loops:
                self._loop = self._loops[fact.loop]
                self._loop.errors.append(error_value(fact.error))
            case f.LoopOpened():
                parent = self._loop if self._loop is not None and not self._loop.complete else None
                self._loop = self._loops[number] = _Loop(number, fact, parent)
            case f.LoopTicked() if fact.scope in self._loops:
                self._ticked(fact)
            case f.LoopsLeft():
                while self._loop is not None and self._loop.number in fact.scopes:
                    self._loop = self._loop.parent
            case _:
                pass

    def told(self) -> dict[str, Json]:
        spread = self._input if isinstance(self._input, dict) else {}
        own = {name: value for name, value in self._set.items() if not name.startswith(SEALED)}
        root = {**spread, **self._config, **own}
        found = {name: value for name, value in root.items() if name not in (*RESERVED, CONFIG)}
        if CONFIG in spread:  # a key of the input like any other
            found[CONFIG] = spread[CONFIG]
        found |= {"steps": self._steps, "lastOutput": self._last, "organizationId": self._organization}
        if self._loop is not None:
            found["loop"] = self._loop.essential()
        if self._input is not None:
            found["input"] = self._input
        sealed = [name.removeprefix(SEALED) for name in self._set if name.startswith(SEALED)]
        if self._workflow.secrets or sealed:
            found["secrets"] = dict.fromkeys((*(source.name for source in self._workflow.secrets), *sealed), MASK)
        return found

    def _forked(self, fact: f.ExecutionForked) -> None:
        if fact.edited_input:
            self._input = fact.input
        if fact.steps is not None and self._loop is not None and not self._loop.complete:
            self._loop = None  # it goes on elsewhere
        self._set |= {name: value for name, value in (fact.assigned or {}).items() if name != CONFIG}
        for step, output in fact.outputs.items():
            if self._workflow.steps[step].part_of is None:
                self._steps[self._workflow.steps[step].id] = self._entry(step, output, None)
        if self._last_step in fact.outputs:
            self._last = self._steps[self._workflow.steps[self._last_step].id]["output"]

    def _completed(self, fact: f.StepCompleted) -> None:
        if self._workflow.steps[fact.step].part_of is not None:
            self._set |= fact.assigned or {}
            return
        loop = self._loops.get(fact.scope)
        if loop is not None:
            loop.complete = True
            self._loop = loop if loop.parent is None else loop.parent
        self._set |= fact.assigned or {}
        for name in fact.unassigned:
            self._set.pop(name, None)
        self._came_to(fact.step, fact.output, fact.meta)

    def _ticked(self, fact: f.LoopTicked) -> None:
        loop = self._loop = self._loops[fact.scope]
        loop.start, loop.ticks = fact.start, loop.ticks + 1
        self._came_to(fact.step, loop.output(), {"errors": list(loop.errors)} if loop.errors else None)

    def _came_to(self, step: int, data: Json, meta: Json) -> None:
        entry = self._steps[self._workflow.steps[step].id] = self._entry(step, data, meta)
        self._last, self._last_step = entry["output"], step

    def _entry(self, step: int, data: Json, meta: Json) -> dict[str, Json]:
        slug = self._workflow.steps[step].id
        type_ = self._titles.types.get(slug, "action")
        output = {"type": type_, "data": data} | ({} if meta is None else {"meta": meta})
        return {"stepType": type_, "name": self._titles.names.get(slug, slug), "output": output}
