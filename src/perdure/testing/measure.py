"""Measures the core: one execution, driven as fast as it goes, with the CPU time of every transition."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter_ns
from typing import Any

from perdure.core import NeedValues, Program, Start, advance, start
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.state import State, to_json
from perdure.core.values import Chunk, Ref, Within, chunk, scope_of
from perdure.expressions.protocol import Compile
from perdure.model.values import Json
from perdure.model.workflow import Workflow

AT_HAND = 256


class Measured:
    """One execution whose tasks answer at once. `spent_ns` holds the time of each transition, in order."""

    def __init__(self, workflow: Workflow, compile_: Compile, given: Json = None) -> None:
        self.program = Program(workflow, compile_)
        self.spent_ns: list[int] = []
        self.sizes: list[int] = []
        self._history: list[f.Fact] = []
        self._at_hand: dict[Ref, Any] = {}
        begun = start(self.program, Start(1, "main", given))
        assert not isinstance(begun, NeedValues)
        self._take(begun.facts)
        self.state: State = begun.state
        self._commands = list(begun.commands)

    def run(self, transitions: int, answer: Callable[[c.PerformTask], Json]) -> None:
        """So many transitions, or until the execution ends."""
        for _ in range(transitions):
            if not self._commands:
                return
            command = self._commands.pop()
            if isinstance(command, c.PerformTask):
                self._send(e.TaskCompleted(1, command.op, command.attempt, answer(command)))
            elif isinstance(command, c.Continue):
                self._send(e.Continued(1))

    def state_bytes(self) -> int:
        return len(to_json(self.state))

    def _send(self, event: e.Event) -> None:
        program, state, at_hand = self.program, self.state, self._at_hand
        began = perf_counter_ns()
        decided = advance(program, state, event, at_hand)
        spent = perf_counter_ns() - began
        while isinstance(decided, NeedValues):
            at_hand.update({ref: self._load(ref) for ref in decided.refs})
            began = perf_counter_ns()
            decided = advance(program, state, event, at_hand)
            spent += perf_counter_ns() - began
        self.spent_ns.append(spent)
        self._take(decided.facts)
        self.state = decided.state
        self._commands.extend(decided.commands)

    def _take(self, facts: tuple[f.Fact, ...]) -> None:
        for fact in facts:
            self._history.append(fact)
            self._at_hand[len(self._history)] = fact
        while len(self._at_hand) > AT_HAND:
            del self._at_hand[next(ref for ref in self._at_hand if ref != 1)]

    def _load(self, ref: Ref) -> Any:
        match ref:
            case int():
                return self._history[ref - 1]
            case Chunk():
                opened: Any = self._history[ref.seq - 1]
                return chunk(opened.items, ref.number)
            case Within():
                return [fact for fact in self._history if scope_of(fact) == ref.scope]
            case _:
                return False


def median_us(spent_ns: list[int]) -> float:
    return median(spent_ns) / 1_000
