"""One execution, to ask and to tell."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from perdure.core import facts as f
from perdure.core.advance import Start
from perdure.core.events import CancelRequested, ChainRequested, RetryRequested
from perdure.hosts.embedded import Host, refusal_of
from perdure.hosts.refusing import refuse_input
from perdure.model.records import ExecutionRecord
from perdure.model.values import Json
from perdure.service import documents, forking, paging, reasons, steps, watching
from perdure.service.acting import OPERATORS, PROGRAM, Actor, allowed, in_whose_name
from perdure.service.apart import canonical_apart
from perdure.service.describing import Described, described
from perdure.service.errors import Conflict, ExecutionFailed, Outdated, no_execution
from perdure.service.forking import Edits
from perdure.service.given import check_numbers, check_texts
from perdure.service.history import HistoryEntry, Told
from perdure.service.limits import Limits
from perdure.service.paging import Page
from perdure.service.progress import Progress
from perdure.service.requests import Requested, requested
from perdure.service.stack_traces import are_complete, with_own_frames
from perdure.service.standing import everything, facts_of, model, model_of, record_of, stood
from perdure.service.steps import StepDetail
from perdure.service.why import Why
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.registers import WriteCard
from perdure.store.versions import MODEL

if TYPE_CHECKING:
    from perdure.dialects.firing import Firing

FACTS_MAX = 10_000
"""So many facts of one step are looked at, beside those that enter it."""

FACTS_AT_ONCE = 1_000
EXECUTIONS = "executions"
"""Under which the audit has what was done to them."""

Answer = TypeVar("Answer")


class Execution(Struct, frozen=True):
    """`created`: False, if it had been started before: with this idempotency key, say."""

    id: str
    created: bool
    organization: str
    _host: Host

    @property
    def component_workflow_id(self) -> str:
        """Its id in the engine that runs it: its own."""
        return self.id

    async def result(self) -> Json:
        """Its output, once it has ended. Raises `ExecutionFailed` if it has none."""
        record = await self._host.shell.ended(self.id)
        if record.status != "completed":
            raise ExecutionFailed(record)
        return record.output

    async def ended(self) -> None:
        """Until it has ended, however."""
        await self._host.shell.ended(self.id)

    async def describe(self) -> Described:
        return await self._read(lambda store: described(store, self._record(store)))

    async def view(self) -> Json:
        """The execution in the words of its dialect; of what a program built, in those that all share."""
        found = await self.describe()
        if found.dialect == MODEL:
            return found.canonical()
        complete = are_complete()
        return await self._read(lambda store: self._viewed(store, complete=complete))

    async def step_view(self, name: str) -> Json:
        """One step in the words of the dialect; None, if it has none of its own for that. Raises `NotFound` as `step` does."""
        found = await self.describe()
        if found.dialect == MODEL:
            return None

        complete = are_complete()

        def told(store: Questions) -> Json:
            stood(store, self.id, self.organization).number(name)
            dialect, seen = self._seen(store, complete=complete)
            return documents.step_view(dialect, name, **seen)

        return await self._read(told)

    def _viewed(self, store: Questions, *, complete: bool) -> Json:
        dialect, seen = self._seen(store, complete=complete)
        return documents.view(dialect, **seen)

    def _seen(self, store: Questions, *, complete: bool) -> tuple[str, dict[str, Any]]:
        """`complete`: with complete stack traces."""
        seen, facts = everything(store, self.id, self.organization)
        record = seen.record
        version = store.version_of(record.organization, record.workflow, record.digest, record.started_at)
        document = None if version is None or version.document is None else msgspec.json.decode(version.document)
        return described(store, record).dialect, {
            "record": record if complete else with_own_frames(record),
            "facts": facts if complete else tuple(map(with_own_frames, facts)),
            "workflow": seen.workflow,
            "document": document,
            "version": None if version is None else version.version,
        }

    # What happened, and why it stands as it does.

    async def history(self, *, after: int = 0, limit: int = 200) -> Page[HistoryEntry]:
        """Facts in order; the next page begins after the last number of this one."""
        check_numbers(after=after)
        count = paging.checked(limit)

        def page(store: Questions) -> Page[HistoryEntry]:
            record = self._record(store)
            found = store.history(self.id, after, count + 1)
            told = Told(self.id, model(store, record), described(store, record).dialect)
            items = told.entries(store, found[:count])
            return Page(items, str(items[-1].seq) if len(found) > count else None)

        return await self._read(page)

    async def progress(self) -> Progress:
        """How it stands, and each of its steps that was entered."""

        def told(store: Questions) -> Progress:
            record = self._record(store)
            progress, names, after = Progress(record.started_at), Told(self.id, model(store, record)), 0
            while found := store.history(self.id, after, FACTS_AT_ONCE):
                for seq, fact in facts_of(found):
                    step = names.step(store, seq, fact)
                    if not names.is_inner(step):
                        progress.take(step, fact)
                after = found[-1].seq
            return progress

        return await self._read(told)

    async def step(self, name: str) -> StepDetail:
        """How a step stands: its attempts, what it was given, what it answered. Raises `NotFound` if there is no such step."""

        def told(store: Questions) -> StepDetail:
            number = stood(store, self.id, self.organization).number(name)
            found = store.history_of_step(self.id, number, FACTS_MAX + 1)
            return steps.detail(name, facts_of(found), cut=len(found) > FACTS_MAX)

        return await self._read(told)

    async def triggers(self) -> tuple[Firing, ...]:
        """What it was to start once it had completed, and what came of it."""

        def told(store: Questions) -> tuple[Firing, ...]:
            found, facts = everything(store, self.id, self.organization)
            fired = documents.firings(self.id, found.workflow, facts) if found.workflow.chains else ()
            if not any(each.status == "failed" for each in fired):
                return fired
            asked = {each.reason for each in requested(store, self.id) if each.what == "refire"}
            return tuple(_asked_again(each) if each.id in asked else each for each in fired)

        return await self._read(told)

    async def why(self) -> Why:
        """What it waits for, since when, until when, and on whom."""
        return await self._read(lambda store: reasons.why(store, self.id, self.organization, self._host.now_ms()))

    async def requested(self) -> tuple[Requested, ...]:
        """What somebody has asked of it, and no worker has taken up yet."""
        return await self._read(lambda store: requested(store, self.id))

    def watch(self, *, after: int = 0) -> AsyncIterator[HistoryEntry]:
        """What happens, as soon as it is durable, whoever runs it; until it has ended or waits for somebody: `why` says for whom.
        That it waits for a task which nobody has is known where the worker is that has it.
        """
        check_numbers(after=after)
        return watching.watched(self._read, self.why, self._record, after)

    # What can be done with it.

    async def cancel(
        self,
        reason: str = "cancelled",
        *,
        by: str | None = None,
        compensate: bool = True,
        if_version: int | None = None,
        actor: Actor = None,
    ) -> None:
        """Raises `Conflict` if it has ended; also if it is not at `if_version`, the number of its facts, any more: of several who
        name the same one, at most one has their way. `by`: in whose name, if the program does it. An actor has to be an operator
        or an editor.
        """
        check_texts(reason=reason, by=by)
        check_numbers(if_version=if_version)
        who = await self._who(actor, "cancel executions", by)
        record = await self._read(self._record)
        _refuse_if_outdated(record, if_version)
        _refuse_if_ended(record, "cancel")
        event = CancelRequested(self._host.now_ms(), reason, who, "USER", compensate=compensate, version=if_version)
        await self._tell(event, "cancel", self._audited("cancelled", who, {"reason": reason, "compensate": compensate}))
        await self._refuse_if_without_effect(event)
        record = await self._read(self._record)
        if record.status != "cancelled":
            _refuse_if_ended(record, "cancel")

    async def retry(self, *, by: str | None = None, if_version: int | None = None, actor: Actor = None) -> None:
        """Take up again what has failed, or is parked. When this returns, `result()` is that of the new try. `by`, `if_version`
        and `actor` as in `cancel`.
        """
        check_texts(by=by)
        check_numbers(if_version=if_version)
        who = await self._who(actor, "retry executions", by)
        found = await self._read(lambda store: stood(store, self.id, self.organization))
        record = found.record
        _refuse_if_outdated(record, if_version)
        parked = record.waiting is not None and record.waiting.kind == "operator"
        if record.status != "failed" and not parked:
            way_out = "`rerun` runs it again, as a new one"
            if record.ended_at is None:
                way_out = "`why` says what it waits for, `cancel` ends it, `rerun` runs it once more, as a new one"
            raise Conflict(
                f"execution {self.id} is {record.status}, and only what has failed can be retried; {way_out}"
            )
        if record.status == "failed" and not found.state.runs:
            raise Conflict(
                f"execution {self.id} could not even begin, and would not now; run it again with another input with `rerun`"
            )
        if record.status == "failed" and found.state.undoing is not None:
            raise Conflict(f"execution {self.id} has been undone, or is being; run it again with `rerun`")
        event = RetryRequested(self._host.now_ms(), who, if_version)
        await self._tell(event, "retry", self._audited("retried", who))
        if record.status == "failed":  # what is parked goes on because it was written to
            await self._refuse_if_without_effect(event)

    async def refire(self, trigger: str | None = None, *, actor: Actor = None) -> tuple[str, ...]:
        """Fire again what has failed to start others: one trigger, by its name `trigger-0`, or all of them. What has been started
        is not started twice. The triggers that are fired. An actor has to be an operator or an editor.
        """
        check_texts(trigger=trigger)
        who = await self._who(actor, "refire triggers")
        found = await self._read(lambda store: stood(store, self.id, self.organization))
        chains = sorted(found.state.chains.items())
        failed = {f"trigger-{number}": number for number, firing in chains if firing.failed}
        if trigger is not None and trigger not in failed:
            count = len(found.workflow.chains)
            there = ", ".join(f"trigger-{number}" for number in range(count)) or "none"
            raise Conflict(
                f"{trigger!r} is no trigger of execution {self.id} that has failed; it has {there}, of which "
                f"{', '.join(failed) or 'none'} failed"
            )
        if not failed:
            raise Conflict(f"no trigger of execution {self.id} has failed, and there is nothing to fire again")
        wanted = {trigger: failed[trigger]} if trigger is not None else failed
        for name, number in wanted.items():
            await self._tell(
                ChainRequested(self._host.now_ms(), number), "refire", self._audited("refired", who, {"trigger": name})
            )
        return tuple(wanted)

    async def rerun(
        self,
        *,
        from_step: str | None = None,
        input: Json | UnsetType = UNSET,
        idempotency_key: str | None = None,
        actor: Actor = None,
        limits: Limits | None = None,
    ) -> Execution:
        """A new execution like this one, on the same version: all of it, or from a step on, with all that was done before.

        With the input that it had, unless another one is given; None is one. Whoever gives another one is who started it, where
        approvals must not be decided by the same person; else that stays who it was. An actor has to be an operator or an editor;
        from a step on that comes after an approval, an admin.
        The same idempotency key twice, of the same person and for the same, is one execution. `limits`: it comes from outside,
        and counts.
        """
        check_texts(idempotency_key=idempotency_key)
        who = await self._who(actor, "run executions again")
        edits = Edits(input=await self._input(input), by=in_whose_name(actor, None))
        key = edits.key(idempotency_key, who, self.id, from_step)
        if limits is not None:
            await limits.start(self.organization, key)
        if from_step is not None:
            return await self._fork(from_step, edits, who, "rerun", key, actor)
        record, start, model_ = await self._read(lambda store: self._beginning(store, edits))
        await self._refuse_misfit(record, start.input)
        audit = self._audited("rerun", who, {"execution": start.execution, **edits.told()})
        reply = await self._host.shell.request(record.digest, record.workflow, start, key, model=model_, audit=audit)
        if reply.refused is not None:
            raise refusal_of(reply.refused)
        return Execution(reply.execution, reply.created, self.organization, self._host)

    async def fork(
        self,
        *,
        at_step: str,
        outputs: Mapping[str, Json] | None = None,
        variables: Mapping[str, Json] | None = None,
        input: Json | UnsetType = UNSET,
        idempotency_key: str | None = None,
        actor: Actor = None,
        limits: Limits | None = None,
    ) -> Execution:
        """A new execution that goes on at a step as this one did, but for what is changed: outputs, variables, the input. Who has
        started it, and who may, `idempotency_key` and `limits` as in `rerun`.
        """
        check_texts(idempotency_key=idempotency_key)
        who = await self._who(actor, "fork executions")
        for name in variables or {}:
            check_texts(variable=name)
        edits = Edits(
            {step: await canonical_apart(output) for step, output in (outputs or {}).items()},
            {name: await canonical_apart(value) for name, value in (variables or {}).items()},
            await self._input(input),
            in_whose_name(actor, None),
        )
        key = edits.key(idempotency_key, who, self.id, at_step)
        if limits is not None:
            await limits.start(self.organization, key)
        return await self._fork(at_step, edits, who, "forked", key, actor)

    async def _input(self, given: Json | UnsetType) -> tuple[Json] | None:
        """Another input than the one it was started with. Raises `Refused` if no execution can begin with it."""
        if isinstance(given, UnsetType):
            return None
        given = await canonical_apart(given)
        described_ = await self.describe()
        refuse_input(documents.input_problems(described_.dialect, given))
        await self._refuse_misfit(described_.record, given)
        return (given,)

    async def _refuse_misfit(self, record: ExecutionRecord, given: Json) -> None:
        """No execution of this version begins with what does not fit its schema. Raises `Refused`."""
        refuse_input((await self._host.inputs(record.digest)).problems(given))

    async def _fork(self, step: str, edits: Edits, who: str, done: str, key: str | None, actor: Actor) -> Execution:
        new, at = self._host.fresh_id(), self._host.now_ms()
        member = await allowed(self._host, self.organization, actor, OPERATORS, "run executions again")
        may = member is None or member.is_admin
        item = await self._read(
            lambda store: forking.forked(store, self._record(store), new, at, step, edits, key, may_pass_approvals=may)
        )
        audit = self._audited(done, who, {"execution": new, "step": step, **edits.told()})
        outcome = await self._host.shell.commit(msgspec.structs.replace(item, audit=audit))
        if isinstance(outcome, p.Duplicate):  # of the new id, it is this very one, written twice; else that of its key
            return Execution(outcome.existing, outcome.existing == new, self.organization, self._host)
        if not isinstance(outcome, p.Committed):
            raise Conflict(f"execution {self.id} cannot be forked: {getattr(outcome, 'reason', outcome)}")
        return Execution(new, True, self.organization, self._host)

    def _beginning(self, store: Questions, edits: Edits) -> tuple[ExecutionRecord, Start, p.Model]:
        """How it was started, for a new one; and its model, for it may be forgotten before that one is there. Somebody starts it,
        so that no chain leads to it: it is as deep as its input says, and may start others again.
        """
        found, facts = everything(store, self.id, self.organization)
        record, start = found.record, found.look.start
        if start is None:
            started, given = facts[0], facts[found.state.input_seq - 1]
            assert isinstance(started, f.ExecutionStarted)
            assert isinstance(given, f.ExecutionStarted | f.ExecutionForked)
            start = Start(
                started.at,
                self.id,
                given.input,
                record.organization,
                started.version,
                started.trigger,
                started.trigger_data,
                deadline_ms=started.deadline_ms,
                retries_max=started.retries_max,
                by=found.state.by,
                metadata=started.metadata,
            )
        changed = start.input if edits.input is None else edits.input[0]
        new = msgspec.structs.replace(
            start,
            at=self._host.now_ms(),
            execution=self._host.fresh_id(),
            input=changed,
            event_id=None,
            by=edits.whose(start.by),
            correlation_id=record.correlation_id,
            parent=self.id,
            depth=documents.depth(described(store, record).dialect, changed),
        )
        kept = model_of(store, record.digest)
        if kept is None:
            raise no_execution(self.id, self.organization)
        return record, new, kept

    async def _who(self, actor: Actor, what: str, by: str | None = None) -> str:
        """As whom it is recorded, who may do that."""
        await allowed(self._host, self.organization, actor, OPERATORS, what)
        return in_whose_name(actor, by) or PROGRAM

    def _audited(self, done: str, who: str, details: Json = None) -> WriteCard:
        """What the audit says of it: that it was asked for. What came of it is in the history."""
        return WriteCard(
            EXECUTIONS,
            self.id,
            None,
            self._host.now_ms(),
            who,
            f"execution.{done}",
            self.organization,
            details=details,
            writer=self._host.shell.worker,
        )

    async def _tell(
        self, event: CancelRequested | RetryRequested | ChainRequested, verb: str, audit: WriteCard
    ) -> None:
        """Put it into the inbox, and wait until it has had its effect, if there is anybody who could see to it."""
        host = self._host
        message = p.Message(self.id, event, f"{verb}:{host.fresh_id()}")
        version = None if isinstance(event, ChainRequested) else event.version
        outcome = await host.shell.commit(p.Deliver(message, force=verb != "cancel", version=version, audit=audit))
        if isinstance(outcome, p.GuardFailed):
            raise (Conflict if version is None else Outdated)(outcome.reason)
        if isinstance(outcome, p.Refused):
            raise Conflict(outcome.reason)
        if await self._read(lambda store: store.living(self._host.now_ms())):
            await host.shell.taken_in(self.id, version)

    async def _refuse_if_without_effect(self, request: CancelRequested | RetryRequested) -> None:
        """What was asked for a version has its effect in the very next fact, or none. As long as there is no such fact, nobody
        has taken it in.
        """
        version = request.version
        if version is None:
            return
        found = await self._read(lambda store: store.history(self.id, version, 1))
        if found and not _is_effect(found[0].fact, request):
            record = await self._read(self._record)
            raise Outdated(p.outdated(version, record.seq))

    def _record(self, store: Questions) -> ExecutionRecord:
        return record_of(store, self.id, self.organization)

    async def _read(self, question: Callable[[Questions], Answer]) -> Answer:
        return await self._host.read(question, self.organization)


def _asked_again(firing: Firing) -> Firing:
    noted = "it is noted that it is to be fired again, and no worker has taken that up yet"
    return replace(firing, status="pending", reason=noted)


def _is_effect(fact: object, request: CancelRequested | RetryRequested) -> bool:
    if isinstance(request, RetryRequested):
        return isinstance(fact, f.ExecutionRetried) and fact.by == request.by
    asked = (request.reason, request.by, request.source)
    return isinstance(fact, f.ExecutionCancelled) and (fact.reason, fact.by, fact.source) == asked


def _refuse_if_outdated(record: ExecutionRecord, version: int | None) -> None:
    if version not in (None, record.seq):
        raise Outdated(p.outdated(version, record.seq))


def _refuse_if_ended(record: ExecutionRecord, verb: str) -> None:
    if record.ended_at is not None:
        raise Conflict(f"execution {record.id} is {record.status} already, and there is nothing to {verb}")
