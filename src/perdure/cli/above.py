"""While a tree is drawn: what tasks log is written above it, as what they print is, and not into it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


@contextmanager
def logs_above(before: dict[Any, TextIO]) -> Iterator[None]:
    """`before` says which stream stands for which now. Handlers keep the stream that there was when they were made, which is
    before the tree was.
    """
    moved = [(handler, handler.stream) for handler in _handlers() if handler.stream in before]
    for handler, stream in moved:
        handler.setStream(before[stream])
    try:
        yield
    finally:
        for handler, stream in moved:
            handler.setStream(stream)


def streams() -> tuple[TextIO, TextIO]:
    return sys.stdout, sys.stderr


def _handlers() -> Iterator[logging.StreamHandler[Any]]:
    loggers = [logging.root, *logging.root.manager.loggerDict.values()]
    for logger in loggers:
        for handler in logger.handlers if isinstance(logger, logging.Logger) else ():
            if type(handler) is logging.StreamHandler:  # files are none of our business
                yield handler
