"""What callers of the service can catch.

PerdureError
├── Refused             a document is not a workflow; `.problems` says all that is wrong with it, `.warnings` what is odd
├── NotFound            there is no such thing in this organization
│   ├── WorkflowNotFound    also an `UnknownWorkflow`
│   ├── ExecutionNotFound   also an `UnknownExecution`
│   └── Ambiguous           several executions could be meant
├── Forbidden           who acts may not do that
├── Conflict            what was asked for does not go with how things stand
│   ├── NotStorable         a value does not fit into the database
│   ├── Outdated            it is not at the version any more that was named
│   └── OtherRequest        a key that stands for one request came with another one
├── TooMany             more than the organization may; `.retry_after_seconds` says when to try again
└── ExecutionFailed     the execution ended without a result
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from perdure.errors import PerdureError, UnknownExecution, UnknownWorkflow
from perdure.expressions.wording import listed, nearest
from perdure.hosts.embedded import Conflict, NotStorable
from perdure.hosts.refusing import Refused
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord

__all__ = [
    "Ambiguous",
    "Conflict",
    "ExecutionFailed",
    "ExecutionNotFound",
    "Forbidden",
    "NotFound",
    "NotStorable",
    "OtherRequest",
    "Outdated",
    "Refused",
    "TooMany",
    "WorkflowNotFound",
]


class ExecutionFailed(PerdureError, code="execution_failed"):
    """The execution ended without a result. `failure` says why."""

    def __init__(self, record: ExecutionRecord) -> None:
        self.record = record
        self.failure: Failure | None = record.error
        why = record.error.message if record.error is not None else record.status
        super().__init__(f"execution {record.id} of {record.workflow!r} is {record.status}: {why}")


class Forbidden(PerdureError, code="forbidden"):
    """Who acts may not do that. The message says who may."""


class Outdated(Conflict, code="outdated"):
    """What was asked for was asked of another version than there is now."""


class OtherRequest(Conflict, code="other_request"):
    """An idempotency key stands for one request, and this is another one."""


class NotFound(PerdureError, code="not_found"):
    """There is no such thing here. The message names it, and what it may have been meant to be."""


class TooMany(PerdureError, code="too_many"):
    """More than the organization may, for now. Nothing has been done. After so many seconds it may be tried again."""

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        self.retry_after_seconds = retry_after_seconds
        super().__init__(message)


class WorkflowNotFound(NotFound, UnknownWorkflow, code="workflow_not_found"):
    """There is no such workflow, or no such version of it, in this organization."""


class ExecutionNotFound(NotFound, UnknownExecution, code="execution_not_found"):
    """There is no such execution in this organization."""


class Ambiguous(NotFound, code="ambiguous"):
    """Several executions could be meant."""


def no_workflow(ref: str, organization: str) -> WorkflowNotFound:
    return WorkflowNotFound(f"there is no workflow {ref!r} in organization {organization!r}; save it first")


def no_version(ref: str, version: str, known: Iterable[str]) -> WorkflowNotFound:
    there = ", ".join(known)
    return WorkflowNotFound(f"workflow {ref!r} has no version {version!r}; it has {there}")


def no_execution(execution: str, organization: str) -> ExecutionNotFound:
    return ExecutionNotFound(f"there is no execution {execution!r} in organization {organization!r}")


def ambiguous(given: str, found: Sequence[str]) -> Ambiguous:
    return Ambiguous(f"the ids of several executions begin with {given!r}: {listed(found)}; type more of it")


def no_step(step: str, workflow: str, known: Iterable[str]) -> NotFound:
    names = list(known)
    way_out = nearest(step, names) or f"; it has {listed(names)}"
    return NotFound(f"workflow {workflow!r} has no step {step!r}{way_out}")
