"""How calls of tools fail, beside what the steps of all tasks fail with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from perdure.expressions.wording import nearest, shown
from perdure.model.failure import Category
from perdure.tasks.failing import NonRetryable, Retryable

UNAVAILABLE: Final = "MCP_UNAVAILABLE"
TOOL_CHANGED: Final = "TOOL_CHANGED"


class McpUnavailable(Retryable, public_name="McpUnavailable"):
    """The server could not be reached, or ended while it was called: what it did, nobody knows."""

    def __init__(self, message: str, *, retry_after_ms: int | None = None) -> None:
        super().__init__(message, code=UNAVAILABLE, retry_after_ms=retry_after_ms)


class McpTimedOut(Retryable, public_name="McpTimedOut"):
    category = Category.TIMEOUT

    def __init__(self, message: str) -> None:
        super().__init__(message, code="MCP_TIMEOUT")


class McpToolFailed(Retryable, public_name="McpToolFailed"):
    """The tool says itself that it has failed. A retry policy may try again."""

    category = Category.BUSINESS

    def __init__(self, message: str) -> None:
        super().__init__(message, code="MCP_TOOL_ERROR")


class McpError(Retryable, public_name="McpError"):
    """The server answered with an error of the protocol."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="MCP_ERROR")


class McpRefused(NonRetryable, public_name="McpRefused"):
    """The server says that it cannot do what it was asked: asking again would not help."""

    category = Category.VALIDATION

    def __init__(self, message: str, code: str = "MCP_REFUSED") -> None:
        super().__init__(message, code=code)


class McpInvalidAnswer(NonRetryable, public_name="McpInvalidAnswer"):
    """What the server answered cannot be taken. The tool has run: calling it again would repeat its effects."""

    category = Category.VALIDATION

    def __init__(self, message: str, code: str = "MCP_INVALID_ANSWER") -> None:
        super().__init__(message, code=code)


OUTBOUND_REFUSED: Final = "OUTBOUND_REFUSED"
"""Our door does not let the call out."""


class McpNotAllowed(NonRetryable, public_name="McpNotAllowed"):
    """The server lets nobody in with these headers, or our door does not let the call out."""

    category = Category.SECURITY

    def __init__(self, message: str, code: str = "MCP_NOT_ALLOWED") -> None:
        super().__init__(message, code=code)


class ToolChanged(NonRetryable, public_name="ToolChanged"):
    """The server offers the tool otherwise than it was accepted: that is for people to look at."""

    category = Category.SECURITY

    def __init__(self, message: str) -> None:
        super().__init__(message, code=TOOL_CHANGED)


class NotSent(Exception):
    """The session had ended before anything of the call was sent, so it can be made on another one."""


def too_large(about: str, bytes_max: int) -> McpInvalidAnswer:
    return McpInvalidAnswer(
        f"{about} answered with more than {bytes_max:,} bytes, the most that is let in; ask it for less, in pages",
        code="MCP_TOO_LARGE",
    )


def unknown_tool(connection: str, tool: str, known: Iterable[str]) -> McpRefused:
    hint = nearest(tool, known) or f"; `perdure connections tools {connection}` shows those that there are"
    return McpRefused(f"the connection {shown(connection)} has no tool {shown(tool)}{hint}", code="UNKNOWN_TOOL")
