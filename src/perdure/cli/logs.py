"""Where `perdure dev`, `serve` and `worker` write what they log: to stderr, a line for each record, by a bounded queue.

PERDURE_LOG_FORMAT  `text`, for people, or `json`, for programs
PERDURE_LOG_LEVEL   `debug`, `info`, `warning` or `error`; each request is told from `info` on
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from perdure.cli.log_lines import formatter
from perdure.cli.noticed import notices_printed
from perdure.hosts.log_limit import limited_logs
from perdure.hosts.log_queue import LogQueue, QueuedHandler, log_queue, queued_streams
from perdure.service.notifying import LOGGER as NOTICES
from perdure.settings.environment import environment
from perdure.settings.table import LOG_FORMAT, LOG_LEVEL

OURS: Final = "perdure"
"""The logger above all of ours. Those of libraries are left at `warning`: at `info`, some tell whole URLs."""


class Logs(Struct, frozen=True):
    as_json: bool = False
    level: str = "warning"


def log_settings(environment: Mapping[str, str]) -> Logs:
    """Raises `BadSetting`."""
    form, level = LOG_FORMAT.read(environment), LOG_LEVEL.read(environment)
    return Logs(form == "json", level or "warning")


@contextmanager
def logs_printed() -> Iterator[None]:
    """Where a module of the operator has said where logs go, they go there and nowhere else: load it before. To stderr and stdout
    they go by the queue, too. Warnings of Python are logged, for `warnings` would write them to stderr in the event loop.
    """
    given = log_settings(environment())
    logging.captureWarnings(True)
    try:
        yield from _logs_printed(given)
    finally:
        logging.captureWarnings(False)


def _logs_printed(given: Logs) -> Iterator[None]:
    if logging.root.handlers:
        with (
            log_queue() as queue,
            queued_streams(queue),
            limited_logs(logging.root.handlers),
            notices_printed(queue),
        ):
            yield
        return
    with log_queue() as queue, queued_streams(queue):
        yield from _written_to(queue, given)


def _written_to(queue: LogQueue, given: Logs) -> Iterator[None]:
    handler = QueuedHandler(queue)
    queue.describe_dropped = handler.format_dropped
    handler.setFormatter(formatter(as_json=given.as_json, colors=sys.stderr.isatty()))
    if not given.as_json:  # people are told of approvals by a line of its own
        handler.addFilter(lambda record: record.name != NOTICES)
    ours = logging.getLogger(OURS)
    before = ours.level
    if before == logging.NOTSET:
        ours.setLevel(given.level.upper())
    try:
        if given.as_json:
            logging.root.addHandler(handler)
        with limited_logs([handler]), notices_printed(queue):
            logging.root.addHandler(handler)  # again is the same
            yield
    finally:
        logging.root.removeHandler(handler)
        ours.setLevel(before)
