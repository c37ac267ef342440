"""Decode JSON from outside: count its values before decoding, and keep garbage collection out of the decoder.

The decoder holds the interpreter until it is done. With many containers, most of its time goes to garbage collections, which
look at all of them again and again and find nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, Final

import msgspec

LARGE_BYTES: Final = 65_536
"""Smaller texts are decoded as they are."""

_lock: Final = Lock()
_suspended = 0
_was_enabled = False


def decode_json(text: bytes | str) -> Any:
    """Raises as `msgspec.json.decode` does."""
    if len(text) < LARGE_BYTES:
        return msgspec.json.decode(text)
    with _without_collections():
        return msgspec.json.decode(text)


def has_more_values(text: bytes, values_max: int) -> bool:
    """Return whether a JSON text has more values than that, counted by the marks before them outside of texts."""
    if len(text) < LARGE_BYTES or _marks(text) <= values_max:
        return False
    if text.count(b'"') - text.count(b'\\"') > 4 * values_max:
        return True  # each text is a value or a key of one
    plain = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    return sum(_marks(part) for part in plain.split(b'"')[::2]) > values_max


def _marks(text: bytes) -> int:
    return text.count(b",") + text.count(b"[") + text.count(b"{")


@contextmanager
def _without_collections() -> Iterator[None]:
    """Suspend automatic garbage collection in all threads; those that decode side by side count."""
    global _suspended, _was_enabled  # noqa: PLW0603
    with _lock:
        if _suspended == 0:
            _was_enabled = gc.isenabled()
            gc.disable()
        _suspended += 1
    try:
        yield
    finally:
        with _lock:
            _suspended -= 1
            if _suspended == 0 and _was_enabled:
                gc.collect(0)  # here rather than in the event loop, whose next object would begin it
                gc.enable()
