"""The names of expressions, and what the model calls them: `workflow.state.steps.pay.output` is `steps.pay.output` there,
`variables` are `vars`, and what the seed says in capitals is said in capitals.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from perdure.dialects.events import EVENT
from perdure.dialects.values import quoted
from perdure.expressions.protocol import Path
from perdure.expressions.renaming import Instead, rewritten

ROOTS: Final = ("workflow", "variables", "steps", "input", "output", "event", "error", "secrets", "now", "nowMs")
OF_WORKFLOW: Final = (
    *("input", "variables", "state", "steps", "instance", "cancellation", "trigger", "id", "name", "version"),
)
OF_STATE: Final = ("variables", "steps", "currentStepId")
OF_STEP: Final = ("status", "output", "error", "completedAt")
OF_INSTANCE: Final = (
    *("id", "workflowDefinitionId", "input", "state", "startedAt", "correlationId", "correlation_id", "cancellation"),
    "organizationId",
)
OF_CANCELLATION: Final = ("reason", "requestedBy", "requestedAt", "source", "eventId")
OF_TRIGGER: Final = ("type", "eventId", "data", "event")

_STATUS: Final = (
    "s => s === undefined ? undefined : s === 'completed' ? 'COMPLETED' : s === 'failed' ? 'FAILED' : 'RUNNING'"
)
_CANCELLED: Final = {
    "reason": "cancellation.reason",
    "requestedBy": "cancellation.by",
    "requestedAt": "(cancellation === undefined ? undefined : cancellation.at|isoDate)",
    "source": "cancellation.source",
    "eventId": "(cancellation.eventId ?? undefined)",
}
_EVENT: Final = {
    ("eventId",): "event.id",
    ("pattern",): "event.type",
    ("eventPattern",): "event.type",
    ("eventPayload",): "event.payload",
    ("data",): "event.payload",
    ("timestamp",): "(event.at === undefined ? undefined : event.at|isoDate)",
    ("metadata", "correlationId"): "(event.metadata.correlationId ?? event.correlationId)",
}
"""What the seed calls the parts of an event, where the model has other names."""

OF_EVENT: Final = (*EVENT, *dict.fromkeys(path[0] for path in _EVENT if path[0] not in EVENT))


class Names(Struct, frozen=True):
    """What a document has names for. `own` is the step that is spoken from; `output` is what that name means there."""

    steps: tuple[str, ...]
    id: str
    name: str
    version: str | None = None
    own: str = ""
    output: str = "output"

    def rename(self, source: str) -> str:
        """Raises `InvalidExpression`."""
        return rewritten(source, self.instead)

    def instead(self, path: Path) -> Instead | None:
        """What the model has in place of a path, or of the beginning of it."""
        match path:
            case ("workflow", *rest):
                return _further(1, self._of_workflow(tuple(rest)))
            case ("variables", *_):
                return 1, "vars"
            case ("steps", *rest):
                return _further(1, self._of_steps(tuple(rest)))
            case ("event", *rest):
                return _event(tuple(rest))
            case ("output" | "originalOutput", *_):
                return 1, self.output
            case ("error", *_):
                return 1, "last.error"
            case ("input", *_):
                return None
            case _:
                return 1, "undefined"

    def _of_workflow(self, rest: Path) -> Instead:
        match rest:
            case ("input", *_):
                return 1, "input"
            case ("variables", *_):
                return 1, "vars"
            case ("steps", *further):
                return _further(1, self._of_steps(tuple(further)))
            case ("state", *further):
                return _further(1, self._of_state(tuple(further)))
            case ("instance", *further):
                return _further(1, self._of_instance(tuple(further)))
            case ("cancellation" | "cancelation", *further):
                return _further(1, _of_cancellation(tuple(further)))
            case ("trigger", "event", *_):
                return 2, "trigger.data"
            case ("trigger", *_):
                return 1, "trigger"
            case ("id" | "name" | "version" as part, *_):
                value = {"id": self.id, "name": self.name, "version": self.version}[part]
                return 1, "undefined" if value is None else quoted(value)
            case (_, *_):
                return 1, "undefined"
            case _:
                return 0, _object(OF_WORKFLOW, lambda part: self._of_workflow((part,)))

    def _of_state(self, rest: Path) -> Instead:
        match rest:
            case ("variables", *_):
                return 1, "vars"
            case ("steps", *further):
                return _further(1, self._of_steps(tuple(further)))
            case ("currentStepId", *_):
                return 1, quoted(self.own) if self.own else "undefined"
            case (_, *_):
                return 1, "undefined"
            case _:
                return 0, _object(OF_STATE, lambda part: self._of_state((part,)))

    def _of_instance(self, rest: Path) -> Instead:
        match rest:
            case ("state", *further):
                return _further(1, self._of_state(tuple(further)))
            case ("cancellation" | "cancelation", *further):
                return _further(1, _of_cancellation(tuple(further)))
            case ("input", *_):
                return 1, "input"
            case ("id", *_):
                return 1, "execution.id"
            case ("workflowDefinitionId", *_):
                return 1, quoted(self.id)
            case ("startedAt", *_):
                return 1, "(execution.startedAt|isoDate)"
            case ("correlationId" | "correlation_id", *_):
                return 1, "(execution.correlationId ?? undefined)"
            case ("organizationId", *_):
                return 1, "execution.organization"
            case (_, *_):
                return 1, "undefined"
            case _:
                return 0, _object(OF_INSTANCE, lambda part: self._of_instance((part,)))

    def _of_steps(self, rest: Path) -> Instead:
        match rest:
            case (id_, *_) if id_ not in self.steps:
                return 1, "undefined"
            case (id_, "status", *_):
                return 2, f"[steps[{quoted(id_)}].status].map({_STATUS})[0]"
            case (id_, "completedAt", *_):
                at = f"steps[{quoted(id_)}].at"
                return 2, f"({at} === undefined ? undefined : {at}|isoDate)"
            case (id_, "output" | "error" as part, *_):
                return 2, f"steps[{quoted(id_)}].{part}"
            case (_, _, *_):
                return 2, "undefined"
            case (id_,):
                step = f"steps[{quoted(id_)}]"
                return 1, f"({step} === undefined ? undefined : {_entry(step)})"
            case _:
                known = ", ".join(map(quoted, self.steps))
                told = f"map(one => [one[0], {_entry('one[1]')}])"
                return 0, f"Object.fromEntries(Object.entries(steps).filter(one => [{known}].includes(one[0])).{told})"


def rename_event(source: str) -> str:
    """Where only the event is known. Raises `InvalidExpression`."""
    return rewritten(source, lambda path: _event(path[1:]) if path[0] == "event" else None)


def _entry(step: str) -> str:
    """A step as the seed's `StepState`."""
    status = f"[{step}.status].map({_STATUS})[0]"
    return f"({{status: {status}, output: {step}.output, error: {step}.error, completedAt: {step}.at|isoDate}})"


def _of_cancellation(rest: Path) -> Instead:
    match rest:
        case (part, *_):
            return 1, _CANCELLED.get(part, "undefined")
        case _:
            whole = _object(OF_CANCELLATION, lambda part: _of_cancellation((part,)))
            return 0, f"(cancellation === undefined ? undefined : {whole})"


def _event(rest: Path) -> Instead | None:
    for count in (2, 1):
        found = _EVENT.get(rest[:count]) if len(rest) >= count else None
        if found is not None:
            return 1 + count, found
    return None


def _object(parts: tuple[str, ...], read: Callable[[str], Instead]) -> str:
    return f"({{{', '.join(f'{part}: {read(part)[1]}' for part in parts)}}})"


def _further(before: int, found: Instead) -> Instead:
    return before + found[0], found[1]
