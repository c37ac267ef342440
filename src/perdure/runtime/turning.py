"""When the loop has its next turn: at the end of this round, at once, or when it is time. What arrives from another thread has
its turn too, and wakes the loop only if no turn is coming anyway.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context

from perdure.runtime import ports


class Turning:
    """`turn` takes a turn and says in how many seconds the next is due: 0.0, if there is more to do; None, if nothing is known
    yet. Turns are nobody's in particular, and have the `context` of nobody: least of all of whoever happens to ask for something.
    """

    def __init__(self, turn: Callable[[], float | None], context: Context) -> None:
        self._turn, self._context = turn, context
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.Handle | asyncio.TimerHandle | None = None
        self._at = 0.0
        """When the next one is, if it waits for its time."""
        self._is_awake = False
        """Whether a turn is coming, which will look at what has arrived. If so, the loop need not be woken."""
        self._is_closed = False
        self.arrived: deque[list[ports.Input]] = deque()
        """What another thread has put here."""

    def arrive(self, inputs: list[ports.Input]) -> None:
        """From another thread."""
        self.arrived.append(inputs)
        if not self._is_awake:
            self._loop.call_soon_threadsafe(self.now, context=self._context)

    def soon(self) -> None:
        """At the end of this round of the loop: what arrives until then has its turn together."""
        if self._at > 0.0 or self._handle is None:
            if self._handle is not None:
                self._handle.cancel()
            self._at = 0.0
            self._is_awake = True
            self._handle = self._loop.call_soon(self._run, context=self._context)

    def now(self) -> None:
        if self._handle is not None:
            self._handle.cancel()
        self._run()

    def close(self) -> None:
        """No more turns."""
        self._is_closed = True
        if self._handle is not None:
            self._handle.cancel()

    def _run(self) -> None:
        if self._is_closed:
            return
        self._handle = None
        delay = self._turn()
        if delay == 0.0:
            self.soon()
        elif delay is not None:
            self._at = self._loop.time() + delay
            self._handle = self._loop.call_later(delay, self._run, context=self._context)
        if self._handle is None or self._at > 0.0:
            self._is_awake = False
            if self.arrived:  # after it was looked at, and before it was said that nobody looks
                self.soon()
