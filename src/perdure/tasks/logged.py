"""Log records of a call with secrets: whoever writes one, the task, a library or we ourselves, it is without them.

A filter of a logger sees only what is logged by that very logger. So, while such a call lasts, whichever logger is about to log
is given the filter first. Outside of such calls the filter has nothing to do.
"""

from __future__ import annotations

import logging
from typing import Any, Final

import msgspec

from perdure.model.values import Json
from perdure.tasks.redaction import Redactor, current

_OWN: Final = frozenset(vars(logging.makeLogRecord({})))
"""What every record has. All else, somebody has added."""


class HideSecrets(logging.Filter):
    """Made once for a process."""

    def filter(self, record: logging.LogRecord) -> bool:
        redactor = current()
        if redactor is not None:
            _redact(record, redactor)
        return True


_HIDE: Final = HideSecrets()


def listen() -> None:
    """From now on records of calls with secrets are without them. Again is the same."""
    before = logging.getLogRecordFactory()
    if isinstance(before, _Factory):
        return
    logging.setLogRecordFactory(_Factory(before))


class _Factory:
    def __init__(self, before: Any) -> None:
        self._before = before

    def __call__(self, name: str, *arguments: Any, **named: Any) -> logging.LogRecord:
        if current() is not None:
            logging.getLogger(name).addFilter(_HIDE)  # once: a filter that is there is not added again
        record: logging.LogRecord = self._before(name, *arguments, **named)
        return record


def _redact(record: logging.LogRecord, redactor: Redactor) -> None:
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001  the arguments do not fit: logging would show them
        message = f"{record.msg} (its arguments do not fit)"
    record.msg, record.args = redactor.text(message), None
    if record.exc_info:
        record.exc_text = logging.Formatter().formatException(record.exc_info) if record.exc_info[0] else ""
        record.exc_info = None  # the exception itself has its message, and the values of all its frames
    for name in ("exc_text", "stack_info"):
        text = getattr(record, name)
        if text:
            setattr(record, name, redactor.text(text))
    for name in vars(record).keys() - _OWN:
        record.__dict__[name] = _hidden(record.__dict__[name], redactor)


def _hidden(value: Any, redactor: Redactor) -> Json:
    """A field as it is, if there is nothing to hide in it; else what can be told of it."""
    if isinstance(value, str):
        return redactor.text(value)
    try:
        plain = msgspec.json.decode(msgspec.json.encode(value))
    except (TypeError, ValueError, RecursionError):
        plain = repr(value)
    safe = redactor.value(plain)
    return value if safe == plain else safe
