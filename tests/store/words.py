"""Short words for items, and for what a store says when it is asked. Nobody here knows which store it is."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.commands import OpenWait
from perdure.model.records import ApprovalRecord, EventRecord, ExecutionRecord
from perdure.store import port as p
from store.stores import Kept

T0 = 1_000_000
LEASE_END = T0 + 30_000
FAR = T0 + 1_000_000_000
"""By then every lease is over."""
ANN, BOB, HEIR = "worker-ann", "worker-bob", "worker-heir"
COMMITTED, RELEASED, FENCED = p.Committed(), p.Committed(released=True), p.Fenced()


def pending(execution: str = "e1", organization: str = "default", *, input: Any = None, **record: Any) -> p.Pending:
    return p.Pending(
        ExecutionRecord(execution, "orders", "digest-1", T0, organization=organization, **record),
        Start(T0, execution, input, organization),
    )


def running(execution: str = "e1", seq: int = 0, **more: Any) -> ExecutionRecord:
    return replace(pending(execution).record, **{"status": "running", "seq": seq, **more})


def one(store: Kept, item: p.Item) -> p.Outcome:
    (outcome,) = store.commit([item])
    return outcome


def held(store: Kept, execution: str = "e1", owner: str = ANN, organization: str = "default") -> None:
    """A new execution in the hands of a worker that lives."""
    created = p.Create(pending(execution, organization), owner)
    assert store.commit([created, p.Beat(owner, LEASE_END)]) == [COMMITTED, COMMITTED]


def fact(text: str = "a fact") -> f.Fact:
    return f.Warned(T0, 0, text)


def step_done(output: Any) -> f.StepCompleted:
    return f.StepCompleted(T0, 0, output=output)


def advance(*facts: f.Fact, execution: str = "e1", after: int = 0, **more: Any) -> p.Advance:
    """By Ann in epoch 1, unless it says otherwise."""
    more = {"owner": ANN, "epoch": 1, "record": running(execution, after + len(facts)), **more}
    return p.Advance(execution, after=after, facts=facts, **more)


def released(store: Kept, execution: str = "e1", *facts: f.Fact, **more: Any) -> None:
    """It has begun, and nobody has anything to do with it."""
    held(store, execution)
    assert one(store, advance(*(facts or (fact(),)), execution=execution, release=True, **more)) == RELEASED


def note(text: str) -> e.Event:
    return e.CancelRequested(T0, text)


def message(text: str = "hello", execution: str = "e1", dedup: str | None = None) -> p.Message:
    return p.Message(execution, note(text), text if dedup is None else dedup)


def deliver(text: str = "hello", execution: str = "e1", dedup: str | None = None, *, force: bool = False) -> p.Deliver:
    return p.Deliver(message(text, execution, dedup), force)


def events_of(mail: tuple[p.Mail, ...]) -> list[e.Event]:
    return [one.event for one in mail]


def inbox(store: Kept, execution: str = "e1", owner: str = ANN) -> list[e.Event]:
    """As the owner sees it."""
    return events_of(store.mail(owner, execution))


def places(store: Kept, execution: str = "e1", owner: str = ANN) -> tuple[int, ...]:
    return tuple(mail.pos for mail in store.mail(owner, execution))


def claimed(store: Kept, worker: str = HEIR, now: int = T0, limit: int = 100) -> list[str]:
    return [claim.record.id for claim in store.claim(worker, now=now, limit=limit)]


def looked_at(store: Kept, execution: str = "e1", form: int = 1) -> p.Claim:
    """All there is of an execution, however it stands. It changes hands by that."""
    one(store, deliver("looked at", execution, force=True))
    found = {claim.record.id: claim for claim in store.claim(HEIR, now=FAR, limit=1_000, form=form)}[execution]
    return replace(found, mail=tuple(mail for mail in found.mail if mail.event != note("looked at")))


def event(id: str = "ev1", type: str = "order.paid", at: int = T0, **more: Any) -> EventRecord:
    return EventRecord(id, type, at, **more)


def candidates(store: Kept, limit: int = 100) -> dict[str, p.Candidates]:
    """Of the events that have not been routed."""
    return {found.event.id: found for found in store.poll(HEIR, now=T0, limit=limit).events}


def routed(store: Kept, happened: EventRecord, *targets: str, at: int = T0, **more: Any) -> p.Outcome:
    return one(store, p.Route(happened, at, targets, **{"starts": (), **more}))


def waiting(store: Kept, *waits: tuple[int, str, bool], execution: str = "e1", organization: str = "default") -> None:
    """An execution with these waits, in the hands of Ann."""
    held(store, execution, organization=organization)
    record = running(execution, 1, organization=organization)
    changes = p.Changes(waits_opened=tuple(OpenWait(*wait) for wait in waits))
    assert one(store, advance(fact(), execution=execution, record=record, changes=changes)) == COMMITTED


def approval(op: int = 1, execution: str = "e1", **more: Any) -> ApprovalRecord:
    return ApprovalRecord(f"{execution}-ask-{op}", execution, op, "ask", {"question": "May it?"}, T0, **more)


def asking(store: Kept, *asked: ApprovalRecord) -> None:
    """Execution e1, in the hands of Ann, asks for these."""
    held(store)
    assert one(store, advance(fact(), changes=p.Changes(approvals_opened=asked))) == COMMITTED


def vote(by: str, decision: str = "approve", asked: str = "e1-ask-1", **more: Any) -> p.Decide:
    return p.Decide(asked, T0 + 5, by, decision, **more)  # type: ignore[arg-type]
