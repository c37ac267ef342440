"""Run work whose time grows with the size of a value in a thread, so that the event loop serves others meanwhile.

It helps with work in Python, which yields to other threads every few milliseconds. A parser in C holds the interpreter until it
is done, in a thread too; it takes a tenth of the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Final, TypeVar

INLINE_BYTES_MAX: Final = 32_768
"""Maximum size of a value that is parsed in the event loop. A thread takes 0.1 ms more; this much takes 25 ms at worst."""

THREADS_MAX: Final = 4
"""They share one interpreter with the event loop: more of them would be fairer to each other, and slower for the loop."""

Answer = TypeVar("Answer")


async def run_by_size(size: int, compute: Callable[[], Answer]) -> Answer:
    """Compute it here if `size`, in bytes or characters, is small; otherwise as `run_in_thread` does."""
    return compute() if size <= INLINE_BYTES_MAX else await run_in_thread(compute)


async def run_in_thread(compute: Callable[[], Answer]) -> Answer:
    """Compute it in a thread, with the context variables of the caller. If the caller is cancelled, the result is dropped."""
    return await asyncio.get_running_loop().run_in_executor(_threads(), copy_context().run, compute)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="perdure-parse")
