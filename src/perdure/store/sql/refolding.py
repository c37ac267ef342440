"""The histories folded anew, one after the other, and held against snapshots and rows. Nothing is kept of one for the next."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeAlias

import msgspec

from perdure.core.apply import apply
from perdure.core.facts import Fact
from perdure.core.program import Program
from perdure.core.state import BLANK, FORMAT, ChildOp, State, from_json, to_json
from perdure.errors import PerdureError
from perdure.expressions.language import compile_value
from perdure.model import codec
from perdure.store.agreement import Rows, disagreements, to_be_done
from perdure.store.sql import complaints as c
from perdure.store.sql import rows
from perdure.store.sql.statements import Statements

PROGRAMS_MAX = 100
"""So many programs are kept at hand."""

Told: TypeAlias = tuple[c.Complaint, str, str]

_DAMAGE = (msgspec.DecodeError, KeyError, IndexError, ValueError, TypeError, AttributeError, AssertionError)
"""What folding raises for facts that no run of Perdure can have written in this order."""


class Refolding:
    def __init__(self, sql: Statements, crashes_max: int) -> None:
        self._sql, self._crashes_max = sql, crashes_max
        self._program = lru_cache(PROGRAMS_MAX)(self._read_program)
        self.folded = 0

    def findings(self) -> Iterator[Told]:
        """What is wrong with whom, for everything that is live or has a snapshot."""
        for row in self._sql.each("to_fold"):
            yield from self._judged(row)
            self.folded += 1

    def _judged(self, row: tuple[Any, ...]) -> Iterator[Told]:
        eid, execution, digest, live, wake_at, owner, mail, ready, crashes, seq = row
        if seq == 0:
            return
        try:
            state, differs = self._folded(eid)
        except _DAMAGE as error:
            yield c.DOES_NOT_FOLD, execution, f"{type(error).__name__}: {error}"
            return
        if differs:
            yield c.OTHER_SNAPSHOT, execution, differs
        program = self._program(digest)
        if program is None:  # no worker of this version can say more
            return
        known = Rows(bool(live), wake_at, self._ops("waits_of", eid), self._ops("pending_of", eid), mail > 0)
        yield from ((c.DISAGREES, execution, text) for text in disagreements(program, state, known))
        if owner is None and crashes < self._crashes_max:
            if not ready:  # else its worker stopped, and whoever comes next takes it up
                todo = to_be_done(program, state, self._ops("uncalled_of", eid))
                yield from ((c.NEEDS_WORKER, execution, text) for text in todo)
            if not mail:
                yield from ((c.DISAGREES, execution, text) for text in self._lost_children(state))

    def _folded(self, eid: int) -> tuple[State, str]:
        """The state, and how the snapshot differs from it."""
        snapshot = self._sql.one("snapshot", (eid,))
        at, form, data = snapshot or (0, FORMAT, b"")
        state, differs = BLANK, ""
        for fact in self._facts(eid):
            state = apply(state, fact)
            if state.seq == at and form == FORMAT and _differs(state, data):
                differs = f"the snapshot of fact {at} is another state"
        if from_json(to_json(state)) != state:
            differs = differs or "what is kept for speed does not follow from the rest of the state"
        return state, differs

    def _facts(self, eid: int) -> Iterator[Fact]:
        for seq, parts, data in self._sql.each("facts_after", (eid, 0)):
            pieces = [piece for (piece,) in self._sql.all("payload", (eid, seq))] if parts else []
            yield rows.fact_of(data, pieces)

    def _lost_children(self, state: State) -> Iterator[str]:
        for op in state.ops.values():
            if isinstance(op, ChildOp) and not (self._sql.one("is_live", (op.child,)) or (0,))[0]:
                yield f"operation {op.op} waits for {op.child}, which is not live"

    def _ops(self, query: str, eid: int) -> frozenset[int]:
        return frozenset(op for (op,) in self._sql.all(query, (eid,)))

    def _read_program(self, digest: str) -> Program | None:
        found = self._sql.one("model", (digest,))
        try:
            return None if found is None else Program(codec.decode(bytes(found[0])), compile_value)
        except PerdureError:
            return None


def _differs(state: State, snapshot: bytes) -> bool:
    try:
        return to_json(from_json(snapshot)) != to_json(state)
    except _DAMAGE:
        return True
