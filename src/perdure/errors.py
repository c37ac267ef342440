"""What callers of Perdure can catch.

PerdureError
├── InvalidWorkflow     the model is not a workflow; `.problems` says all that is wrong with it
├── InvalidExpression   the source is not in the language; `.problems` says where and why
├── EvaluationError     an expression could not be computed from the values it was given
├── UnknownExecution    there is no execution of this id
├── UnknownWorkflow     there is no workflow of this name
├── InvalidTask         a function cannot be a task, or not under this name
├── TaskModuleError     a module of tasks cannot be loaded; `.file` and `.line` say where it went wrong
├── ExecutionFailed     the execution ended without a result; `.failure` says why
├── OnBehalfOfAnother   what is done on behalf of one organization asks for another's, or for everybody's
├── Conflict            what was asked for does not go with how things stand
├── BadSetting          what the environment says cannot be used; the message names it, and shows how to write it
├── CannotOpen          a secret does not open; `WrongKey`: the engine was given other keys than the database needs
├── WebhookRefused      a request to a webhook starts nothing; `.status` as HTTP says it, `service.refusals` has all reasons
├── Stopped             the engine was stopped before it could answer
├── StoreFailed         the store has failed, and cannot go on
├── OutcomeUnknown      the store has not confirmed a write in time; repeat it with the same idempotency key
├── Unavailable         the store cannot be used for now: the disk is full, say
├── Broken              what was written cannot be trusted
├── DatabaseTooNew      the database was written by a newer version
├── Unauthorized        a server does not know who asks; NoServer: none answers there; ServerFailed: something went wrong in it
└── NotJson             a value from outside that cannot be kept

Failures inside a workflow are values (`model.failure.Failure`), not exceptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol

SHOWN_MAX, TOLD_MAX = 80, 10
"""How much of a source, and how many of its problems, a message tells. `.problems` has them all."""


class Fault(Protocol):
    """What an error needs to know of a problem: `model.problem.Problem` has it."""

    @property
    def path(self) -> str: ...

    @property
    def message(self) -> str: ...


class PerdureError(Exception):
    """Base class of all errors.

    Each subclass states its `code`, the public name that REST, MCP and `--json` report. A code never changes, whatever
    the class is called.
    """

    code: ClassVar[str] = "perdure_error"

    def __init_subclass__(cls, *, code: str | None = None) -> None:
        super().__init_subclass__()
        if code is not None:
            cls.code = code


class InvalidWorkflow(PerdureError, code="invalid_workflow"):
    """The model cannot run."""

    def __init__(self, name: str, problems: Sequence[Fault]) -> None:
        self.problems = tuple(problems)
        lines = "".join(f"\n  {problem.path}: {problem.message}" for problem in problems)
        super().__init__(f"workflow {name!r} cannot run:{lines}")


class InvalidExpression(PerdureError, code="invalid_expression"):
    """The source is not an expression of the language."""

    def __init__(self, source: str, problems: Sequence[Fault]) -> None:
        self.source, self.problems = source, tuple(problems)
        source = source if len(source) <= SHOWN_MAX else f"{source[: SHOWN_MAX - 1]}…"
        each = dict.fromkeys(f"{problem.path}: {problem.message}".removeprefix(": ") for problem in problems)
        told = "; ".join(tuple(each)[:TOLD_MAX])
        super().__init__(f"{source!r}: {told}" if source else told)


class EvaluationError(PerdureError, code="evaluation_error"):
    """An expression met values it cannot work with; the message begins with the expression, `source`, and names the way out."""

    def __init__(self, *said: object, source: str = "") -> None:
        super().__init__(*said)
        self.source = source


class UnknownExecution(PerdureError, code="unknown_execution"):
    """There is no execution of this id."""


class UnknownWorkflow(PerdureError, code="unknown_workflow"):
    """There is no workflow of this name in this organization."""
