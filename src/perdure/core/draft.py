"""A transition in the making: the state so far, the facts that led to it, the commands that follow from them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core import scope
from perdure.core.apply import apply
from perdure.core.commands import Command, PerformTask
from perdure.core.program import Bound, Program
from perdure.core.seat import Seat
from perdure.core.state import LoopScope, Op, State, Token
from perdure.core.values import CHUNK_ITEMS, Chunk, Consumed, Known, Ref, Takes, Values, Within, scope_of
from perdure.errors import EvaluationError
from perdure.expressions.protocol import Rendered
from perdure.model.inputs import Inputs
from perdure.model.values import Constant, Expression, Json, Value

STEPS_MAX = 256
"""How many steps, ticks and items one transition enters before it lets others have a turn."""


class Transition(Struct, frozen=True, gc=False):
    """What one event brought about. `facts` continue the history after the state that was passed in."""

    state: State
    facts: tuple[f.Fact, ...]
    commands: tuple[Command, ...]


class Wanting(Exception):
    """Values are needed that were not passed; `advance` answers with them."""

    def __init__(self, refs: frozenset[Ref]) -> None:
        super().__init__(refs)
        self.refs = refs


NOWHERE = Token()


class Draft:
    """Records facts, collects commands and computes values. All decisions of the core are made on one of these."""

    __slots__ = (
        "_base",
        "_values",
        "_wanted",
        "at",
        "commands",
        "facts",
        "outcome_now",
        "overlay",
        "program",
        "room",
        "state",
    )

    def __init__(self, program: Program, state: State, values: Values, at: int) -> None:
        self.program = program
        self.state = state
        self.at = max(at, state.at)  # clocks differ; the time of an execution never runs backwards
        self.facts: list[f.Fact] = []
        self.commands: list[Command] = []
        self.room = STEPS_MAX
        self.overlay: dict[str, Json] = {}
        """Variables that a step has set and that no fact holds yet."""
        self.outcome_now: tuple[int, dict[str, Json]] | None = None
        """The outcome of the step that is ending, for its own routes and mappings; no fact holds it yet."""
        self._base = state.seq
        self._values = values
        self._wanted: set[Ref] = set()

    def record(self, fact: f.Fact) -> None:
        self.state = apply(self.state, fact)
        self.facts.append(fact)

    def command(self, command: Command) -> None:
        self.commands.append(command)

    def withdraw_call(self, op: int) -> bool:
        """Take back the call of a task that this very transition asked for; False if it did not."""
        kept = [command for command in self.commands if not (isinstance(command, PerformTask) and command.op == op)]
        withdrawn = len(kept) < len(self.commands)
        self.commands = kept
        return withdrawn

    def transition(self) -> Transition:
        return Transition(self.state, tuple(self.facts), tuple(self.commands))

    def seat(self, op: Op) -> Seat:
        token = op.token
        if op.scope:
            each = self.state.scopes[op.scope]
            token = getattr(each, "token", None)
        return Seat(self.program.nodes[op.step], token or NOWHERE, op.scope, op.item)

    def as_if_in(self, seat: Seat, number: int, loop: LoopScope) -> Seat:
        """The seat inside of a loop that has moved on. Whoever asks for it puts the state back; no fact says so yet."""
        self.state = replace(self.state, scopes=self.state.scopes.set(number, loop))
        return replace(seat, token=replace(seat.token, frame=number))

    # Computing values.

    def evaluate(self, value: Value, seat: Seat | None = None, **extra: Json) -> Json:
        """The value as seen from `seat`. `extra` are names that only this value can see."""
        if type(value) is Constant:
            return value.value
        bound = self.program.bound(value)
        held = scope.build(self, bound, seat, extra)
        try:
            return bound.compiled.evaluate(held)
        except EvaluationError as error:
            raise self.program.as_written(error) from error

    def render(self, value: Value, seat: Seat, **extra: Json) -> Rendered:
        """The value as the input of a task: secrets sealed."""
        if type(value) is Constant:
            return Rendered(value.value)
        bound = self.program.bound(value)
        held = scope.build(self, bound, seat, extra)
        try:
            return bound.compiled.render(held)
        except EvaluationError as error:
            raise self.program.as_written(error) from error

    def evaluate_time(self, value: Value, what: str, seat: Seat | None = None, **extra: Json) -> Json:
        """Evaluate a time. Raise `EvaluationError` for a number that is not finite: as JSON it is null, which means no time."""
        found = self.evaluate(value, seat, **extra)
        if found is None and type(value) is not Constant:
            bound = self.program.bound(value)
            if bound.compiled.is_unbounded(scope.build(self, bound, seat, extra)):
                message = "the result is not a finite number; give a time within the years 0 to 9999"
                raise EvaluationError(f"{what}: {message}")
        return found

    def missing(
        self, value: Value, seat: Seat | None = None, without: frozenset[str] = frozenset(), **extra: Json
    ) -> tuple[str, ...]:
        """The expressions in the value that are undefined, as their author wrote them, but for those that read a root in
        `without`.
        """
        bound = self.program.bound(value)
        found = bound.compiled.missing(scope.build(self, bound, seat, extra), without)
        return tuple(map(self.program.written, found))

    def key(self, condition: Value | None, seat: Seat | None = None) -> tuple[str, str]:
        """Where in an event which key has to be for the condition to be true; empty, if that cannot be said beforehand."""
        if not isinstance(condition, Expression):
            return "", ""
        compiled = self.program.bound(condition).compiled
        equality = compiled.equality
        if equality is None:
            return "", ""
        key = equality.of(scope.build(self, Bound(compiled, equality.reads), seat, {}))
        return ("", "") if key is None else (equality.place, key)

    # Facts by reference. A miss is noted, and `satisfied` ends the attempt with all of them.

    def fact(self, seq: int) -> Any:
        """The fact with this number, or None if it has to be loaded first."""
        if seq > self._base:
            return self.facts[seq - self._base - 1]
        found = self._values.get(seq)
        if found is None:
            self._wanted.add(seq)
        return found

    def items(self, seq: int, start: int, stop: int) -> list[Json]:
        """Items of the loop or forEach that fact `seq` opened."""
        if seq > self._base:
            opened = self.facts[seq - self._base - 1]
            assert isinstance(opened, f.ForEachOpened | f.LoopOpened)
            return opened.items[start:stop]
        found: list[Json] = []
        first = start // CHUNK_ITEMS
        for number in range(first, -(-stop // CHUNK_ITEMS)):
            part = self._values.get(Chunk(seq, number))
            if part is None:
                self._wanted.add(Chunk(seq, number))
            else:
                found.extend(part)
        return found[start - first * CHUNK_ITEMS : stop - first * CHUNK_ITEMS]

    def within(self, number: int) -> list[Any]:
        """The facts that ended items or ticks of this scope."""
        own = [fact for fact in self.facts if scope_of(fact) == number]
        if number > self._base:
            return own
        stored = self._values.get(Within(number))
        if stored is None:
            self._wanted.add(Within(number))
            return own
        return [*stored, *own]

    def has_consumed(self, event_id: str) -> bool:
        found = self._values.get(Consumed(event_id))
        if found is None:
            self._wanted.add(Consumed(event_id))
        self.satisfied()
        return bool(found)

    def version_of(self, workflow: str) -> str:
        """The digest of the active version of another workflow; empty if there is none."""
        found = self._values.get(Known(workflow))
        if found is None:
            self._wanted.add(Known(workflow))
        self.satisfied()
        return str(found)

    def inputs_of(self, digest: str) -> Inputs:
        """What a version of another workflow can be started with."""
        found: Inputs | None = self._values.get(Takes(digest))
        if found is None:
            self._wanted.add(Takes(digest))
        self.satisfied()
        assert found is not None
        return found

    def satisfied(self) -> None:
        """Go on only if nothing has to be loaded first."""
        if self._wanted:
            raise Wanting(frozenset(self._wanted))
