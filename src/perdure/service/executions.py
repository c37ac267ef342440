"""Executions: started, listed and found."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from perdure.core.advance import Start
from perdure.errors import UnknownWorkflow
from perdure.expressions.canonical import canonical
from perdure.hosts.embedded import Host
from perdure.model.records import ExecutionRecord, Status
from perdure.model.values import Json
from perdure.runtime.shell import now_ms
from perdure.service import documents, paging
from perdure.service.describing import name_of
from perdure.service.errors import Conflict, Refused, WorkflowNotFound, no_version, no_workflow
from perdure.service.execution import Execution
from perdure.service.paging import LIMIT, Page
from perdure.service.standing import record_of
from perdure.store.questions import Questions, Wanted


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
        triggered_by: str = "api",
        trigger_data: Json = None,
        correlation_id: str | None = None,
    ) -> Execution:
        """Start a workflow, by its id or its name, or a document that is not saved; a text that begins with `{` is one.

        It is durable when this returns. The active version, unless one is named. The same idempotency key twice is one execution.
        """
        given = canonical(input)
        ref = what if isinstance(what, str) and not what.lstrip().startswith("{") else None  # else it is a document
        if ref is not None:
            chosen = await self._named(ref, version, organization)
        else:
            chosen, version = await self._inline(what, organization), None
        problems = documents.input_problems(chosen.dialect, given)
        if problems:
            raise Refused(problems)
        start = Start(
            now_ms(),
            self._host.fresh_id(),
            given,
            organization,
            version=version,
            trigger=triggered_by,
            trigger_data=canonical(trigger_data),
            correlation_id=correlation_id,
            depth=documents.depth(chosen.dialect, given),
        )
        while True:
            reply = await self._host.shell.request(
                chosen.digest, chosen.id, start, idempotency_key, active=chosen.active
            )
            if reply.refused is not None:
                raise Conflict(reply.refused)
            if not reply.outdated:
                return Execution(reply.execution, reply.created, organization, self._host)
            assert ref is not None, "only what is named can be out of date"
            self._host.forget_version(ref, organization)
            chosen = await self._named(ref, version, organization)

    async def get(self, execution: str, *, organization: str = "default") -> Execution:
        """Raises `ExecutionNotFound`."""
        await self._host.shell.read(lambda store: record_of(store, execution, organization))
        return Execution(execution, False, organization, self._host)

    async def list(
        self,
        *,
        organization: str = "default",
        status: Status | None = None,
        workflow: str | None = None,
        correlation_id: str | None = None,
        parent: str | None = None,
        started_after: int | None = None,
        started_before: int | None = None,
        limit: int = LIMIT,
        cursor: str | None = None,
    ) -> Page[ExecutionRecord]:
        """The newest first. `workflow` is an id or a name; times are epoch milliseconds, from the one on, before the other."""
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
        )
        found = await self._host.shell.read(lambda store: store.executions(_by_id(store, wanted)))
        more = paging.cursor(found[count - 1].place) if len(found) > count else None
        return Page(tuple(each.record for each in found[:count]), more)

    async def names(self, records: Iterable[ExecutionRecord]) -> dict[str, str]:
        """What the workflows of these executions are called, by their ids."""
        one_of_each = {record.workflow: record for record in records}
        return await self._host.shell.read(
            lambda store: {id_: name_of(store, record) for id_, record in one_of_each.items()}
        )

    async def _named(self, ref: str, version: str | None, organization: str) -> _Chosen:
        if version is not None:
            return await self._host.shell.read(lambda store: _version(store, ref, version, organization))
        try:
            found = await self._host.version(ref, organization)
        except UnknownWorkflow as error:
            raise WorkflowNotFound(str(error)) from error
        return _Chosen(found.id, found.digest, found.dialect, active=True)

    async def _inline(self, given: documents.Given, organization: str) -> _Chosen:
        ready = documents.ready(given, self._host.tasks, organization)
        model, dialect = ready.workflow, ready.dialect
        digest = await self._host.shell.ask(lambda store: store.keep_model(model, dialect))
        return _Chosen(ready.id, digest, dialect)


class _Chosen(Struct, frozen=True):
    """What is started: the id of its workflow, its model, its dialect, and whether it has to be the active version."""

    id: str
    digest: str
    dialect: str
    active: bool = False


def _version(store: Questions, ref: str, version: str, organization: str) -> _Chosen:
    row = store.workflow(organization, ref)
    if row is None:
        raise no_workflow(ref, organization)
    found = store.version(organization, row.id, version)
    if found is None:
        raise no_version(ref, version, [each.version for each in store.versions_of(organization, row.id)])
    return _Chosen(row.id, found.digest, found.dialect)


def _by_id(store: Questions, wanted: Wanted) -> Wanted:
    """Whoever asks may name a workflow by its name; executions know its id."""
    if wanted.workflow is None:
        return wanted
    row = store.workflow(wanted.organization, wanted.workflow)
    if row is not None:
        return replace(wanted, workflow=row.id)
    made = replace(wanted, workflow=documents.made_id(wanted.organization, wanted.workflow))  # of what was never saved
    return made if store.executions(replace(made, limit=1)) else wanted
