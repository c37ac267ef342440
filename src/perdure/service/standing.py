"""How one execution stands, as all verbs need it: its record, its model, and its state, folded from what is durable.

These functions ask the store, beside whoever writes, and run in the thread that may.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct

from perdure.core.apply import fold
from perdure.core.facts import Fact
from perdure.core.state import BLANK, State, from_json
from perdure.model import codec
from perdure.model.records import ExecutionRecord
from perdure.model.workflow import Workflow
from perdure.service.errors import Conflict, no_execution, no_step
from perdure.store.port import Model, Unreadable
from perdure.store.questions import Entry, Look, Questions
from perdure.store.versions import MODEL

ANY_FORM = -1
"""No snapshot has this form: all facts are there instead."""

AnyFact = TypeVar("AnyFact", bound=Fact)


class Stood(Struct, frozen=True):
    """At one moment."""

    look: Look
    workflow: Workflow
    state: State

    @property
    def record(self) -> ExecutionRecord:
        return self.look.record

    def name(self, step: int) -> str:
        return self.workflow.steps[step].id

    def number(self, step: str) -> int:
        """Where a step is in the workflow. Raises `NotFound`."""
        names = [each.id for each in self.workflow.steps]
        if step not in names:
            raise no_step(step, self.workflow.name, names)
        return names.index(step)


def record_of(store: Questions, execution: str, organization: str) -> ExecutionRecord:
    """Raises `ExecutionNotFound`, also if it belongs to somebody else."""
    record = store.record(execution)
    if record is None or record.organization != organization:
        raise no_execution(execution, organization)
    return record


def stood(store: Questions, execution: str, organization: str) -> Stood:
    look = _look(store, execution, organization)
    facts = readable(look)
    state = BLANK if look.snapshot is None else from_json(look.snapshot)
    return Stood(look, model(store, look.record), fold(facts, state))


def everything(store: Questions, execution: str, organization: str) -> tuple[Stood, tuple[Fact, ...]]:
    """The same, and the whole history."""
    look = _look(store, execution, organization, ANY_FORM)
    facts = readable(look)
    return Stood(look, model(store, look.record), fold(facts)), facts


def model(store: Questions, record: ExecutionRecord) -> Workflow:
    return codec.decode(store.model(record.digest))


def model_of(store: Questions, digest: str) -> Model | None:
    """As it is stored, for an execution that is to have it as well; None if it was forgotten in this very moment."""
    try:
        return Model(store.model(digest), store.dialect(digest) or MODEL)
    except KeyError:
        return None


def readable(look: Look) -> tuple[Fact, ...]:
    if isinstance(look.facts, Unreadable):
        raise Conflict(
            f"this version of Perdure cannot read execution {look.record.id} ({look.facts.why}); ask a newer one, or look with "
            "`perdure doctor` whether the database is damaged"
        )
    return look.facts


def facts_of(entries: list[Entry]) -> list[tuple[int, Fact]]:
    """Those that can be read, each with its number."""
    return [(entry.seq, entry.fact) for entry in entries if not isinstance(entry.fact, Unreadable)]


def _look(store: Questions, execution: str, organization: str, form: int | None = None) -> Look:
    record_of(store, execution, organization)
    look = store.look(execution) if form is None else store.look(execution, form)
    if look is None:  # forgotten in this very moment
        raise no_execution(execution, organization)
    return look
