"""Executions: started, listed and found."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import get_args

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.errors import TOLD_MAX, UnknownWorkflow
from perdure.hosts.connections import NOTHING
from perdure.hosts.embedded import Host, refusal_of
from perdure.hosts.refusing import refuse_input
from perdure.hosts.tracing.ids import read as read_traceparent
from perdure.model import codec
from perdure.model.executors import LLM
from perdure.model.problem import Problem
from perdure.model.records import ExecutionRecord, Status
from perdure.model.steps import Task
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.service import documents, paging
from perdure.service.acting import EDITORS, OPERATORS, Actor, allowed, in_whose_name
from perdure.service.apart import apart, canonical_apart
from perdure.service.compiling import compiled
from perdure.service.describing import name_of
from perdure.service.errors import (
    ExecutionNotFound,
    OtherRequest,
    Refused,
    WorkflowNotFound,
    ambiguous,
    no_execution,
    no_version,
    no_workflow,
)
from perdure.service.execution import Execution
from perdure.service.given import Trigger, check_key, check_lengths, check_numbers, check_texts, check_trigger
from perdure.service.limits import Limits
from perdure.service.paging import LIMIT, Page
from perdure.service.repeating import is_of_another_version, repeats
from perdure.service.standing import model_of, record_of
from perdure.store.ledger import LogTrigger
from perdure.store.notices import NOTICES
from perdure.store.port import Model
from perdure.store.questions import Questions, Wanted

PREFIX_MIN = 6
"""So many characters of an id are enough to mean one execution, if no other begins so."""


class Executions:
    def __init__(self, host: Host) -> None:
        self._host = host

    async def start(
        self,
        what: documents.Given,
        input: Json = None,
        *,
        organization: str = "default",
        version: str | None = None,
        idempotency_key: str | None = None,
        triggered_by: Trigger = "api",
        trigger_data: Json = None,
        correlation_id: str | None = None,
        by: str | None = None,
        name: str | None = None,
        actor: Actor = None,
        differs: bool = False,
        note: LogTrigger | None = None,
        traceparent: str | None = None,
        limits: Limits | None = None,
    ) -> Execution:
        """Start a workflow, by its id or its name, or a document that is not saved; a text that begins with `{` is one. `name`
        is what that is called if it does not say so itself.

        It is durable when this returns. The active version, unless one is named. The same idempotency key twice is one execution;
        with it, another workflow or another input is refused (`OtherRequest`); `differs`: another input is answered even so, with
        the execution that was started first. `by`: who starts it, where approvals must not be decided by the same person; that
        is the actor, if there is one. An actor has to be an operator or an editor; for a document that is not saved, an editor.
        `note` is written to the log of triggers, if it is started. `traceparent`: of which trace it is, as W3C Trace Context has
        it; one that is none is left out. `limits`: it comes from outside, and counts (`TooMany`).
        """
        check_trigger(triggered_by)
        check_texts(
            organization=organization,
            version=version,
            idempotency_key=idempotency_key,
            correlation_id=correlation_id,
            by=by,
            name=name,
        )
        check_lengths(correlation_id=correlation_id)
        self._host.shell.refuse_if_unavailable()
        given = await canonical_apart(input)
        ref = what if isinstance(what, str) and not documents.is_document(what) else None
        if actor is not None:
            await self._require(actor, organization, is_saved=ref is not None)
            check_key(idempotency_key)
            by = in_whose_name(actor, by)
        if limits is not None:
            await limits.start(organization, idempotency_key)
        chosen = None
        if ref is None:
            chosen, version = await self._inline(what, organization, name), None
            brought = chosen.brought
            given = await canonical_apart(brought.get("input")) if given is None else given
            triggered_by = _trigger(brought.get("triggeredBy"), triggered_by)
            trigger_data = brought.get("triggerData") if trigger_data is None else trigger_data
        start = Start(
            self._host.now_ms(),
            self._host.fresh_id(),
            given,
            organization,
            version=version,
            trigger=triggered_by,
            trigger_data=await canonical_apart(trigger_data),
            correlation_id=correlation_id,
            by=by,
            metadata=None if chosen is None else chosen.metadata,
            traceparent=None if read_traceparent(traceparent) is None else traceparent,
        )
        asked = _Asked(start, ref, idempotency_key, differs, note)
        try:
            return await self._requested(asked, chosen)
        except (WorkflowNotFound, Refused):
            before = await self._started_before(asked)
            if before is None:
                raise
            return before

    async def _requested(self, asked: _Asked, chosen: _Chosen | None) -> Execution:
        """`chosen` is None if the start names a workflow. Its active version is then the one that this process knows: the store
        refuses an outdated one, and an input that does not fit it may fit a newer one. In both cases the version is read again.
        """
        start, ref, key = asked.start, asked.ref, asked.key
        is_read = False
        while True:
            if chosen is None:
                assert ref is not None, "only what is named can be out of date"
                chosen = await self._named(ref, start.version, start.organization, is_read=is_read)
            depth = documents.depth(chosen.dialect, start.input)
            start = replace(start, depth=depth) if depth != start.depth else start
            try:
                await self._refuse_misfit(chosen, start.input)
            except Refused:
                if is_read or not chosen.active:
                    raise
                chosen, is_read = None, True
                continue
            reply = await self._host.shell.request(
                chosen.digest,
                chosen.id,
                start,
                key,
                active=chosen.active,
                model=chosen.model,
                note=asked.note,
                name=None if ref in (None, chosen.id) else ref,
            )
            if reply.refused is not None:
                raise refusal_of(reply.refused)
            if not reply.outdated:
                if key is not None and not reply.created:
                    await self._refuse_if_other(reply.execution, asked, chosen)
                return Execution(reply.execution, reply.created, start.organization, self._host)
            chosen, is_read = None, True

    async def _started_before(self, asked: _Asked) -> Execution | None:
        """What a key has started stands for that, however its workflow has changed since: whoever asks again is told of it, also
        if it could not be started any more. None: it has started nothing. Raises `OtherRequest`.
        """
        key, ref, organization = asked.key, asked.ref, asked.start.organization
        if key is None or ref is None:
            return None

        def look(store: Questions) -> tuple[str, _Chosen] | None:
            execution = store.started_under(organization, key)
            record = None if execution is None else store.record(execution)
            if record is None:
                return None
            workflow = record.workflow if ref in (record.workflow, name_of(store, record)) else ref
            return record.id, _Chosen(workflow, ref, record.digest, "", active=asked.start.version is None)

        found = await self._host.read(look, organization)
        if found is None:
            return None
        await self._refuse_if_other(found[0], asked, found[1])
        return Execution(found[0], False, organization, self._host)

    async def get(self, execution: str, *, organization: str = "default") -> Execution:
        """Raises `ExecutionNotFound`."""
        check_texts(execution=execution, organization=organization)
        await self._host.read(lambda store: record_of(store, execution, organization), organization)
        return Execution(execution, False, organization, self._host)

    async def find(self, given: str, *, organization: str = "default") -> Execution:
        """By its id, or by how that begins, as people type it. Raises `ExecutionNotFound`; `Ambiguous` if several begin so."""
        check_texts(execution=given, organization=organization)
        id_ = await self._host.read(lambda store: _id(store, given, organization), organization)
        return Execution(id_, False, organization, self._host)

    async def list(
        self,
        *,
        organization: str = "default",
        status: Status | None = None,
        workflow: str | None = None,
        correlation_id: str | None = None,
        parent: str | None = None,
        component_workflow_id: str | None = None,
        started_after: int | None = None,
        started_before: int | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> Page[ExecutionRecord]:
        """The newest first. `workflow` is an id or a name; what the engine does by itself (`perdure:notices`) is listed only if
        it is named. Times are epoch milliseconds, from the one on, before the other. `component_workflow_id`: the one that has
        this id in the engine that runs it.
        """
        check_texts(
            organization=organization, status=status, workflow=workflow, correlation_id=correlation_id, parent=parent
        )
        check_numbers(started_after=started_after, started_before=started_before)
        (before,) = (None,) if cursor is None else paging.place(cursor, tuple[int])
        count = paging.checked(limit)
        wanted = Wanted(
            organization=organization,
            limit=count + 1,
            before=before,
            status=status,
            workflow=workflow,
            correlation_id=correlation_id,
            parent=parent,
            started_after=started_after,
            started_before=started_before,
            hidden=NOTICES if workflow is None else "",
        )
        if component_workflow_id is not None:
            check_texts(component_workflow_id=component_workflow_id)
            return await self._host.read(lambda store: _the_one(store, component_workflow_id, wanted), organization)
        found = await self._host.read(lambda store: store.executions(_by_id(store, wanted)), organization)
        more = paging.cursor(found[count - 1].place) if len(found) > count else None
        return Page(tuple(each.record for each in found[:count]), more)

    async def names(self, records: Iterable[ExecutionRecord]) -> dict[str, str]:
        """What the workflows of these executions are called, by their ids."""
        one_of_each = {(record.organization, record.workflow): record for record in records}
        names: dict[str, str] = {}
        for organization in dict.fromkeys(record.organization for record in one_of_each.values()):
            some = [record for record in one_of_each.values() if record.organization == organization]
            names |= await self._host.read(partial(_names, some), organization)
        return names

    async def _require(self, actor: Actor, organization: str, *, is_saved: bool) -> None:
        """Whoever runs what nobody has saved may do with it what an editor may: use every secret, say."""
        roles, what = (OPERATORS, "start executions") if is_saved else (EDITORS, "run what is not saved")
        await allowed(self._host, organization, actor, roles, what)

    async def _refuse_if_other(self, execution: str, asked: _Asked, chosen: _Chosen) -> None:
        """A key stands for one start: to answer with what another one has started would say that this one was made."""
        start, differs = asked.start, asked.differs

        def told(store: Questions) -> str | None:
            record = store.record(execution)
            if record is None:
                return None
            if record.workflow != chosen.id:
                return f"of workflow {name_of(store, record)!r}, and cannot start {chosen.called!r} as well"
            if not differs and is_of_another_version(store, record, start, None if chosen.active else chosen.digest):
                return "of another version, or of another document of this name, and stands for that"
            same = differs or repeats(store, record, start)
            return None if same else "with another input, or other data beside it, and stands for that"

        first = await self._host.read(told, start.organization)
        if first is not None:
            raise OtherRequest(
                f"the idempotency key {asked.key!r} has started execution {execution} {first}; use another key"
            )

    async def _refuse_misfit(self, chosen: _Chosen, given: Json) -> None:
        """Nothing is started that cannot begin with this input. Raises `Refused` with all that is wrong with it."""
        inputs = await self._host.inputs(chosen.digest, chosen.model)
        refuse_input((*documents.input_problems(chosen.dialect, given), *inputs.problems(given)))

    async def _named(self, ref: str, version: str | None, organization: str, *, is_read: bool) -> _Chosen:
        check_texts(workflow=ref)
        if version is not None:
            return await self._host.read(lambda store: _version(store, ref, version, organization), organization)
        try:
            find = self._host.read_version if is_read else self._host.version
            found = await find(ref, organization)
        except UnknownWorkflow as error:
            raise WorkflowNotFound(str(error)) from error
        return _Chosen(found.id, ref, found.digest, found.dialect, active=True)

    async def _inline(self, given: documents.Given, organization: str, name: str | None) -> _Chosen:
        tasks = self._host.tasks
        wanted = await apart(self._host, given, lambda: documents.tools_of(given, tasks))
        tools = await self._host.connections.known(organization, wanted) if wanted else NOTHING
        found = await apart(
            self._host, given, lambda: documents.validated(given, tasks, organization, name, tools=tools)
        )
        ready = documents.ready(await compiled(self._host, found, organization))
        if self._host.fails_unknown_tasks:
            _require_settings(ready.workflow, self._host.settings.llm.missing)
        model = Model(codec.encode(ready.workflow), ready.dialect)
        brought, metadata = documents.inline(ready.document, ready.dialect)
        return _Chosen(
            ready.id,
            ready.workflow.name,
            codec.digest(ready.workflow),
            ready.dialect,
            model=model,
            brought=brought,
            metadata=metadata,
        )


class _Asked(Struct, frozen=True):
    """A start: of what is named by `ref`, if it is; under its idempotency key, if it has one."""

    start: Start
    ref: str | None
    key: str | None
    differs: bool
    note: LogTrigger | None


class _Chosen(Struct, frozen=True):
    """What is started: the id of its workflow, what that was called, its version, its dialect, and whether that has to be the
    active one; else its model comes with it. A document brings along what it is `brought` to be started with, and the
    `metadata` that its execution keeps.
    """

    id: str
    called: str
    digest: str
    dialect: str
    active: bool = False
    model: Model | None = None
    brought: dict[str, Json] = {}
    metadata: Json = None


def _require_settings(workflow: Workflow, missing: tuple[str, ...]) -> None:
    """What asks a language model is not begun where nobody could ask one. Raises `Refused`."""
    asking = [step for step in workflow.steps if isinstance(step.work, Task) and step.work.task == LLM]
    if asking and missing:
        raise Refused(
            Problem(
                "missing_setting",
                f"it asks a language model, and {name} is not set; set it in the environment of this process",
                step=asking[0].part_of or asking[0].id,
                field=name,
            )
            for name in missing
        )


def _trigger(brought: Json, given: Trigger) -> Trigger:
    """What a document says that it was triggered by, if whoever starts it says no more than that a program does."""
    known: dict[str, Trigger] = {name: name for name in get_args(Trigger)}
    return known.get(brought, given) if isinstance(brought, str) and given in ("api", "manual") else given


def _id(store: Questions, given: str, organization: str) -> str:
    record = store.record(given)
    if record is not None and record.organization == organization:
        return given
    found = store.ids_beginning(organization, given, TOLD_MAX + 1) if len(given) >= PREFIX_MIN else []
    if len(found) > 1:
        raise ambiguous(given, found)
    if not found:
        short = f"; of an id, at least {PREFIX_MIN} characters are needed" if len(given) < PREFIX_MIN else ""
        raise ExecutionNotFound(f"{no_execution(given, organization)}{short}")
    return found[0]


def _version(store: Questions, ref: str, version: str, organization: str) -> _Chosen:
    row = store.workflow(organization, ref)
    if row is None:
        raise no_workflow(ref, organization)
    found = store.version(organization, row.id, version)
    model = None if found is None else model_of(store, found.digest)
    if found is None or model is None:
        raise no_version(ref, version, [each.version for each in store.versions_of(organization, row.id)])
    return _Chosen(row.id, ref, found.digest, found.dialect, model=model)


def _the_one(store: Questions, id_: str, wanted: Wanted) -> Page[ExecutionRecord]:
    """If it is among those that are wanted."""
    record, asked = store.record(id_), _by_id(store, wanted)
    fits = record is not None and all(
        given is None or given == found
        for given, found in (
            (asked.organization, record.organization),
            (asked.status, record.status),
            (asked.workflow, record.workflow),
            (asked.correlation_id, record.correlation_id),
            (asked.parent, record.parent),
        )
    )
    in_time = record is not None and (
        (asked.started_after is None or record.started_at >= asked.started_after)
        and (asked.started_before is None or record.started_at < asked.started_before)
    )
    return Page((record,) if record is not None and fits and in_time else (), None)


def _by_id(store: Questions, wanted: Wanted) -> Wanted:
    if wanted.workflow is None:
        return wanted
    return replace(wanted, workflow=workflow_id(store, wanted.organization, wanted.workflow))


def _names(records: Iterable[ExecutionRecord], store: Questions) -> dict[str, str]:
    return {record.workflow: name_of(store, record) for record in records}


def workflow_id(store: Questions, organization: str, ref: str) -> str:
    """Whoever asks may name a workflow by its name; executions know its id."""
    row = store.workflow(organization, ref)
    if row is not None:
        return row.id
    made = documents.made_id(organization, ref)  # of what was never saved
    return made if store.executions(Wanted(organization=organization, limit=1, workflow=made)) else ref
