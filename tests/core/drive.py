"""Drives the core without a runtime: a state, a history, and events given one by one."""

from __future__ import annotations

from typing import Any

from perdure.core import NeedValues, Program, Start, Transition, advance, fold, start
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.state import State, from_json, to_json, wake_at
from perdure.core.values import Chunk, Consumed, Known, Ref, Takes, Within, chunk, consumed_by, scope_of
from perdure.expressions.language import compile_value
from perdure.model.failure import Failure
from perdure.model.inputs import Inputs
from perdure.model.steps import Compute, Route, Step
from perdure.model.values import Json
from perdure.model.workflow import Entry, Workflow

T0 = 1_000_000


def flow(*steps: Step, **more: Any) -> Workflow:
    """A workflow that begins with its first step."""
    entries = more.pop("entries", (Entry(steps[0].id),) if steps else ())
    return Workflow(more.pop("name", "test"), steps, entries, **more)


def branches(*steps: Step, **more: object) -> Workflow:
    """A step that leads to all of the others at once."""
    top = Step("top", Compute(), (Route(tuple(step.id for step in steps)),))
    return flow(top, *steps, **more)


class Drive:
    """One execution. Every transition is checked: the fold of the facts is the state, and a snapshot holds all of it."""

    def __init__(self, workflow: Workflow, given: Json = None, **more: Any) -> None:
        self.program = Program(workflow, compile_value)
        self.now = T0
        self.history: list[f.Fact] = []
        self.facts: tuple[f.Fact, ...] = ()
        self.commands: tuple[c.Command, ...] = ()
        self.wake_at: int | None = None
        self.asked: set[Ref] = set()
        self.state = State()
        self.takes: Json = None
        """The schema of what the workflows take that it starts."""
        unfit: Failure | None = more.pop("unfit", None)
        request = Start(self.now, more.pop("execution", "main"), given, **more)
        values: dict[Ref, Any] = {}
        while isinstance(begun := start(self.program, request, values, unfit), NeedValues):
            values.update({ref: self.value(ref) for ref in begun.refs})
        self._take(begun)

    def send(self, event: e.Event) -> Drive:
        """One event; what it needs is loaded."""
        self.asked = set()
        values: dict[Ref, Any] = {}
        while isinstance(decided := advance(self.program, self.state, event, values), NeedValues):
            assert not decided.refs <= values.keys()
            self.asked |= decided.refs
            values.update({ref: self.value(ref) for ref in decided.refs})
        self._take(decided)
        return self

    def _take(self, transition: Transition) -> None:
        self.history.extend(transition.facts)
        self.state, self.facts = transition.state, transition.facts
        self.commands, self.wake_at = transition.commands, wake_at(transition.state)
        assert fold(self.history) == self.state
        assert from_json(to_json(self.state)) == self.state

    def value(self, ref: Ref) -> Any:
        if isinstance(ref, int):
            return self.history[ref - 1]
        if isinstance(ref, Chunk):
            opened: Any = self.history[ref.seq - 1]
            return chunk(opened.items, ref.number)
        if isinstance(ref, Within):
            return [fact for fact in self.history if scope_of(fact) == ref.scope]
        if isinstance(ref, Known):
            return "" if ref.workflow == "nobody" else f"digest of {ref.workflow}"
        if isinstance(ref, Takes):
            return Inputs(self.takes)
        assert isinstance(ref, Consumed)
        return any(consumed_by(fact) == ref.event_id for fact in self.history)

    # Short words.

    def op(self, step: str, item: int = -1) -> int:
        """The open operation of a step."""
        number = self.program.number[step]
        found = [op.op for op in self.state.ops.values() if op.step == number and op.item == item]
        assert len(found) == 1, (step, self.state.ops)
        return found[0]

    def done(self, step: str, output: Json = None, item: int = -1, **more: Any) -> Drive:
        op = self.op(step, item)
        attempt = getattr(self.state.ops[op], "attempt", 1)
        return self.send(e.TaskCompleted(self.now, op, attempt, output, **more))

    def failed(self, step: str, error: Failure | None = None, item: int = -1, **more: Any) -> Drive:
        op = self.op(step, item)
        attempt = getattr(self.state.ops[op], "attempt", 1)
        return self.send(e.TaskFailed(self.now, op, attempt, error or Failure("it broke"), **more))

    def after(self, ms: int) -> Drive:
        """Time passes, and the execution is woken."""
        self.now += ms
        return self.send(e.TimeReached(self.now))

    def command(self, kind: type[Any]) -> Any:
        found = [command for command in self.commands if isinstance(command, kind)]
        assert len(found) == 1, (kind, self.commands)
        return found[0]

    def fact(self, kind: type[Any]) -> Any:
        found = [fact for fact in self.facts if isinstance(fact, kind)]
        assert len(found) == 1, (kind, self.facts)
        return found[0]

    @property
    def open_steps(self) -> set[str]:
        return {self.program.name(op.step) for op in self.state.ops.values()}

    @property
    def output(self) -> Json:
        return self.command(c.Finish).output
