"""Questions are answered beside whoever writes, several at a time: one that takes long keeps nobody else waiting."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from perdure.store.port import Reader

READERS_MAX = 4
"""So many connections to the database at most; there are as many as were ever needed at once."""

Answer = TypeVar("Answer")


class Readers:
    """Each is lent to one question at a time, the one last used first. Raises what opening the first of them does."""

    def __init__(self, opened: Callable[[], Reader], name: str) -> None:
        self._opened = opened
        self._free = [opened()]
        self._threads = ThreadPoolExecutor(READERS_MAX, thread_name_prefix=f"perdure-reader-{name}")

    def place(self) -> int:
        """The place in the history of all that has been written so far."""
        return int(self._lent(lambda reader: reader.ends_after(None)[0]))

    async def ask(self, question: Callable[[Any], Answer], organization: str | None = None) -> Answer:
        """`organization`: on whose behalf; None: nobody's in particular."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._lent, question, organization)

    def close(self) -> None:
        """Once all that was asked is answered."""
        self._threads.shutdown()
        for reader in self._free:
            reader.close()

    def _lent(self, question: Callable[[Any], Answer], organization: str | None = None) -> Answer:
        try:
            reader = self._free.pop()
        except IndexError:
            reader = self._opened()
        try:
            if organization is None:
                return question(reader)
            with reader.on_behalf_of(organization) as narrow:
                return question(narrow)
        finally:
            self._free.append(reader)
