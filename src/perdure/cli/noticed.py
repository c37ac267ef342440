"""What notifiers of the kind `log` write, on stderr: whoever types `perdure worker` or `perdure run` has no other log."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from perdure.hosts.log_queue import LogQueue, QueuedHandler
from perdure.service.notifying import LOGGER


@contextmanager
def notices_printed(queue: LogQueue | None = None) -> Iterator[None]:
    """Where a module of the operator has said where logs go, it goes there and nowhere else. `queue`: it goes by that."""
    handler = logging.StreamHandler(sys.stderr) if queue is None else QueuedHandler(queue)
    logger = logging.getLogger(LOGGER)
    handler.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%H:%M:%S"))
    level = logger.level
    if level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    if not logger.hasHandlers():
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
