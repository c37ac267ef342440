"""Executions at a server: started, listed and found."""

from __future__ import annotations

import secrets as chance
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from perdure.answers.executions import ListedExecution, Started, record_from
from perdure.client.channel import Asking, Channel, Query, api, read
from perdure.client.execution import Execution
from perdure.client.pages import bounds
from perdure.client.repeating import is_replayed, key_header
from perdure.client.workflows import text
from perdure.dialects.reading import BadDocument
from perdure.dialects.reading import read as read_document
from perdure.expressions.canonical import canonical
from perdure.expressions.times import iso
from perdure.hosts.tracing.ids import read as read_traceparent
from perdure.model.records import ExecutionRecord, Status
from perdure.model.values import Json
from perdure.service import documents
from perdure.service.describing import ExecutionAnswer
from perdure.service.errors import Refused
from perdure.service.given import Trigger, check_texts, check_trigger
from perdure.service.paging import LIMIT, Page

NAMES_MAX: Final = 10_000


class Executions:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._names: dict[str, str] = {}
        """Of workflows, by their ids, as lists have told them."""

    async def start(
        self,
        what: documents.Given,
        input: Json = None,
        *,
        version: str | None = None,
        idempotency_key: str | None = None,
        triggered_by: Trigger = "api",
        trigger_data: Json = None,
        correlation_id: str | None = None,
        name: str | None = None,
        traceparent: str | None = None,
    ) -> Execution:
        """Start a workflow, by its id or its name, or a document that is not saved, as `Engine.executions.start` does.

        It has a key in any case, if need be one of its own: if a connection breaks, it is sent again, and is one execution.
        """
        check_trigger(triggered_by)
        check_texts(version=version, correlation_id=correlation_id, name=name, traceparent=traceparent)
        body: dict[str, Any] = _what(what, name) | {"input": canonical(input), "triggeredBy": triggered_by}
        more = {"version": version, "correlationId": correlation_id, "triggerData": canonical(trigger_data)}
        body |= {name: value for name, value in more.items() if value is not None}
        headers = key_header(chance.token_hex(16) if idempotency_key is None else idempotency_key)
        if read_traceparent(traceparent) is not None:  # else it could not be sent, and means nothing
            headers["traceparent"] = str(traceparent)
        asking = Asking("POST", api("executions"), content=msgspec.json.encode(body), headers=headers, safe=True)
        answer = await self._channel.ask(asking)
        started = read(answer, Started, self._channel.url)
        created = idempotency_key is None or not is_replayed(answer)
        return Execution(started.id, created, started.organization, self._channel)

    async def get(self, execution: str) -> Execution:
        """Raises `ExecutionNotFound`."""
        return await self._one(execution, {})

    async def find(self, given: str) -> Execution:
        """By its id, or by how that begins, as people type it. Raises `ExecutionNotFound`; `Ambiguous` if several begin so."""
        return await self._one(given, {"beginning": True})

    async def _one(self, given: str, query: Query) -> Execution:
        found = await self._channel.get("executions", given, shape=ExecutionAnswer, query=query)
        return Execution(found.id, False, found.organization, self._channel)

    async def list(
        self,
        *,
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
        """The newest first. `workflow` is an id or a name. Times are epoch milliseconds, from the one on, before the other."""
        query: Query = {
            "status": status,
            "workflow": workflow,
            "correlationId": correlation_id,
            "parent": parent,
            "componentWorkflowId": component_workflow_id,
            "startedAfter": None if started_after is None else iso(started_after),
            "startedBefore": None if started_before is None else iso(started_before),
            **bounds(limit, cursor),
        }
        found = await self._channel.get("executions", shape=Page[ListedExecution], query=query)
        if len(self._names) > NAMES_MAX:
            self._names.clear()
        self._names |= {each.workflow_id: each.name for each in found.items}
        return Page(tuple(map(record_from, found.items)), found.next)

    async def names(self, records: Iterable[ExecutionRecord]) -> dict[str, str]:
        """What the workflows of these executions are called, by their ids: as lists have told it, else the server is asked."""
        found: dict[str, str] = {}
        for id_, record in {record.workflow: record for record in records}.items():
            if id_ not in self._names:
                told = await self._channel.get("executions", record.id, shape=ExecutionAnswer)
                self._names[id_] = told.name
            found[id_] = self._names[id_]
        return found


def _what(given: documents.Given, name: str | None) -> dict[str, Any]:
    if isinstance(given, str) and not documents.is_document(given):
        return {"workflowId": given}
    called = {} if name is None else {"name": name}
    if isinstance(given, dict):
        return {"document": given, **called}
    try:
        return {"document": read_document(text(given)).value, **called}
    except BadDocument as error:
        raise Refused(error.problems) from error
