"""Executions of the dialect orchestration in a simulated world over a real database, and what its views tell of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from perdure import dialects
from perdure.dialects import Seen
from perdure.expressions.language import compile_value
from perdure.expressions.times import iso
from perdure.model import codec
from perdure.model.catalog import Catalog
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.store.versions import NewVersion
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.script import Script
from perdure.testing.world import World

TOLD: Final = {
    "id": "id",
    "workflow_id": "workflowDefinitionId",
    "workflow_version": "workflowVersion",
    "status": "status",
    "state": "state",
    "input": "input",
    "correlation_id": "correlationId",
    "version": "version",
    "created_at": "startedAt",
    "updated_at": "updatedAt",
    "started_at": "startedAt",
    "completed_at": "completedAt",
    "cancellation": "cancellation",
    "compensation_state": "compensationState",
    "output": "output",
    "error": "error",
    "trigger_event_id": "triggerEventId",
}
"""The columns of `workflow_instances` that the dialect's own view tells, too, and what it calls them."""

BESIDE: Final = (*("workflow_definition_id", "organization", "status_at", "waiting_for_pattern", "waiting_at_step"),)
VALUES: Final = ("state", "input", "cancellation", "compensation_state", "output", "error")
"""Those with JSON in them."""


class Instances:
    """A world whose only documents are of this dialect."""

    def __init__(self, store: Any, script: Script) -> None:
        self.store = store
        self.world = World(compile_value, script, store=store)
        self._compared: dict[str, tuple[Any, ...]] = {}

    def save(self, document: dict[str, Json]) -> Workflow:
        compiled = dialects.compile(document, Catalog())
        assert compiled.workflow is not None, compiled.problems
        text = json.dumps(document)
        self.store.keep(NewVersion(compiled.workflow.name, compiled.workflow, "orchestration", self.world.now, text))
        return compiled.workflow

    def start(self, document: dict[str, Json], given: Json = None, **more: Any) -> str:
        return self.world.start(self.save(document), given, **more)

    def after(self, milliseconds: int, action: Callable[[], object]) -> None:
        """Let something happen outside, so long from now."""

        def happen() -> None:
            action()

        self.world.at(self.world.now + milliseconds, happen)

    def run(self) -> None:
        """Until nothing happens any more; at every moment, all of them are what the dialect tells of them."""
        self.compare()
        while self.world.step():
            self.compare()

    def compare(self) -> None:
        """Those that have changed."""
        for execution, *now in self.store.ask(
            "SELECT id, owner, status, waiting, (SELECT max(pos) FROM history WHERE eid = executions.eid) FROM executions"
        ):
            if self._compared.get(execution) != tuple(now):
                self._compared[execution] = tuple(now)
                compare(self.store, execution)


def row(store: Any, execution: str) -> dict[str, Any]:
    names = (*TOLD, *BESIDE)
    ((*found,),) = store.ask(f"SELECT {', '.join(names)} FROM workflow_instances WHERE id = ?", (execution,))
    is_text = isinstance(store, InspectedSqlite)  # else the driver has read it
    return {
        name: json.loads(value) if is_text and name in VALUES and value is not None else value
        for name, value in zip(names, found, strict=True)
    }


def compare(store: Any, execution: str) -> dict[str, Any]:
    """The row of an execution, which is what the dialect tells of it."""
    kept = store.rows[execution]
    record = kept.record
    workflow = codec.decode(store.model(record.digest))
    reader = store.reader()
    try:
        version = reader.version_of(record.organization, record.workflow, record.digest, record.started_at)
    finally:
        reader.close()
    named = None if version is None else version.version
    view: Any = dialects.view("orchestration", Seen(record, tuple(kept.facts), workflow, version=named))
    found = row(store, execution)
    assert {name: found[name] for name in TOLD} == {name: view[key] for name, key in TOLD.items()}
    wanted = None if named is None else f"{record.organization}/{record.workflow}@{named}"
    assert (found["workflow_definition_id"], found["organization"]) == (wanted, record.organization)
    is_waiting = view["status"] == "WAITING_FOR_EVENT"
    assert found["waiting_at_step"] == (view["state"]["currentStepId"] if is_waiting else None)
    assert found["waiting_for_pattern"] == ((view["state"]["waitingForEvent"] or {}).get("eventPattern"))
    assert record.started_at <= found["status_at"]
    assert iso(found["status_at"]) <= view["updatedAt"] or record.ended_at is None
    return found
