"""The task `log`: one line to the standard logger `perdure.tasks`, for operators to send where they like."""

from __future__ import annotations

import logging
from typing import Final, Literal

from msgspec import Struct

from perdure.model.values import Json
from perdure.tasks.context import LOGGER_NAME, TaskContext
from perdure.tasks.redaction import hidden

_LEVELS: Final = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "warning": logging.WARNING,
    "error": logging.ERROR,
    "critical": logging.CRITICAL,
}
_LENGTH_MAX: Final = 8_000
_LINE_BREAKS: Final = {code: f"\\x{code:02x}" for code in (*range(0x20), 0x7F, 0x85)} | {
    0x0A: "\\n",
    0x0D: "\\r",
    0x09: "\t",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


class LogInput(Struct, frozen=True):
    message: Json = ""
    level: Literal["debug", "info", "warn", "warning", "error", "critical"] = "info"
    data: Json = None


def log(given: LogInput, context: TaskContext) -> dict[str, Json]:
    """`data` and where it comes from are fields of the record, not part of the text."""
    text = given.message if isinstance(given.message, str) else str(given.message)
    write(context, _LEVELS[given.level], text, given.data)
    return {"message": given.message, "level": given.level}


def write(context: TaskContext, level: int, text: str, data: Json = None) -> None:
    """One line, with the step that it comes from."""
    # A message holds what outsiders sent; a line break in it would let them write lines of their own.
    line = hidden(text)[:_LENGTH_MAX].translate(_LINE_BREAKS)
    fields = {"execution_id": context.execution_id, "step": context.step, "attempt": context.attempt, "data": data}
    logging.getLogger(LOGGER_NAME).log(level, "%s", line, extra=fields)
