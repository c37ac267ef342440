"""How a transform fails. Each has a code that routes can name; what was logged until then goes along."""

from __future__ import annotations

from typing import ClassVar

from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.tasks.failing import NonRetryable, Retryable
from perdure.tasks.sandbox.answers import Line


class TransformFailed(NonRetryable, public_name="TransformFailed"):
    """The code threw. It is a pure function of its input: again it would do the same. `said` is the message of what it threw."""

    category = Category.BUSINESS
    named: ClassVar[str] = "TRANSFORM_FAILED"

    def __init__(
        self, message: str, logs: tuple[Line, ...] = (), details: Json = None, stack: str = "", said: str = ""
    ) -> None:
        super().__init__(message, code=self.named, details=details)
        self.logs, self.stack, self.said = logs, stack, said or message


class TransformTimeout(TransformFailed, public_name="TransformTimeout"):
    category = Category.TIMEOUT
    named = "TRANSFORM_TIMEOUT"


class TransformMemory(TransformFailed, public_name="TransformMemory"):
    category = Category.PERMANENT
    named = "TRANSFORM_MEMORY"


class TransformInput(TransformFailed, public_name="TransformInput"):
    """What it was given is too large."""

    category = Category.VALIDATION
    named = "TRANSFORM_INPUT"


class TransformOutput(TransformFailed, public_name="TransformOutput"):
    """What it gave is no JSON, or too much of it."""

    category = Category.VALIDATION
    named = "TRANSFORM_OUTPUT"


class TransformIntrusion(TransformFailed, public_name="TransformIntrusion"):
    """Its process asked the kernel for what no transform needs, and was killed for it."""

    category = Category.SECURITY
    named = "TRANSFORM_INTRUSION"


class TransformCrashed(TransformFailed, public_name="TransformCrashed"):
    """It has crashed two processes of the sandbox in a row. It would crash the next ones too."""

    category = Category.PERMANENT
    named = "TRANSFORM_CRASHED"


class SandboxBroken(Retryable, public_name="SandboxBroken"):
    """Not the code is at fault but the place that it runs in."""

    category = Category.SYSTEM

    def __init__(self, message: str, *, retry_after_ms: int | None = None) -> None:
        super().__init__(message, code="SANDBOX", retry_after_ms=retry_after_ms)
        self.logs: tuple[Line, ...] = ()
