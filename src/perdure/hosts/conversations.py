"""What was said to language models and by them, thread by thread, in the database: the next who asks under the same thread goes
on from there, in another step or another execution.

Every question adds one card. Its id begins with the thread and goes on with the time, such that the last comes first: to read how
a thread goes on costs the same, however long it is. Then comes the key of its operation: asked again after a crash, it takes the
place of what it had added.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, Final

import msgspec
from msgspec import Struct

from perdure.clock import now_ms
from perdure.store.port import Committed, Duplicate, Item, Outcome
from perdure.store.questions import Questions
from perdure.store.registers import Card, WriteCard
from perdure.tasks.failing import Retryable

REGISTER: Final = "threads"
QUESTIONS_MAX: Final = 100
"""So many of the last questions are told again; a model does not read more at once either."""

_LAST: Final = 10**15 - 1
"""Milliseconds, in as many digits as each time is written in."""


class ThreadData(Struct, frozen=True):
    """Data of the card of a question in a thread."""

    thread: str
    turns: list[dict[str, Any]]


class Conversations:
    """Keeps the contract of `tasks.llm.Conversations`."""

    def __init__(
        self,
        read: Callable[[Callable[[Questions], Any]], Awaitable[Any]],
        commit: Callable[[Item], Awaitable[Outcome]],
        writer: Callable[[], str],
        now: Callable[[], int] = now_ms,
    ) -> None:
        self._read, self._commit, self._writer, self._now = read, commit, writer, now

    async def said(self, execution: str, thread: str, key: str) -> list[list[dict[str, Any]]]:
        def found(store: Questions) -> list[list[dict[str, Any]]]:
            cards = _last(store, _organization(store, execution), thread)
            others = [card for card in cards if not _is_of(card, key)][:QUESTIONS_MAX]
            return [card.data["turns"] for card in reversed(others)]

        questions: list[list[dict[str, Any]]] = await self._read(found)
        return questions

    async def add(self, execution: str, thread: str, key: str, turns: list[dict[str, Any]]) -> None:
        at = self._now()

        def found(store: Questions) -> tuple[str, str]:
            organization = _organization(store, execution)
            own = [card.id for card in _last(store, organization, thread) if _is_of(card, key)]
            return organization, own[0] if own else f"{_begins(thread)}{_LAST - at:015}/{key}"

        organization, id_ = await self._read(found)
        write = WriteCard(
            REGISTER,
            id_,
            msgspec.to_builtins(ThreadData(thread, turns)),
            at,
            "perdure",
            "thread.continued",
            organization,
            details={"thread": thread},
            writer=self._writer(),
        )
        outcome = await self._commit(write)
        if not isinstance(outcome, Committed | Duplicate):
            raise Retryable(f"the store says {outcome}")


def _last(store: Questions, organization: str, thread: str) -> list[Card]:
    """The last first, and one more than are told: one of them may be what is asked again."""
    begins = _begins(thread)
    cards = store.cards(organization, REGISTER, begins, QUESTIONS_MAX + 1)
    return [card for card in cards if card.id.startswith(begins)]


def _is_of(card: Card, key: str) -> bool:
    return card.id.split("/", 2)[2:] == [key]


def _begins(thread: str) -> str:
    return f"{sha256(thread.encode('utf-8', 'surrogatepass')).hexdigest()[32:]}/"


def _organization(store: Questions, execution: str) -> str:
    record = store.record(execution)
    assert record is not None, "what is performed has been committed"
    return record.organization
