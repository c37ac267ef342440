"""What was said to language models and by them, thread by thread, in the database: the next who asks under the same thread goes
on from there, in another step or another execution.

Every question adds one card, under the key of its operation: asked again after a crash, it takes the place of what it had added.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from hashlib import sha256
from typing import Any, Final

from perdure.clock import now_ms
from perdure.store.port import Item, Outcome
from perdure.store.questions import Questions
from perdure.store.registers import Card, WriteCard
from perdure.tasks.failing import Retryable

REGISTER: Final = "threads"
_READ_MAX: Final = 1_000
QUESTIONS_MAX: Final = 100
"""So many of the last questions are told again; a model does not read more at once either."""


class Conversations:
    """Keeps the contract of `tasks.llm.Conversations`."""

    def __init__(
        self,
        read: Callable[[Callable[[Questions], Any]], Awaitable[Any]],
        commit: Callable[[Item], Awaitable[Outcome]],
        writer: Callable[[], str],
    ) -> None:
        self._read, self._commit, self._writer = read, commit, writer

    async def said(self, execution: str, thread: str, key: str) -> list[list[dict[str, Any]]]:
        def found(store: Questions) -> list[list[dict[str, Any]]]:
            begins = _begins(thread)
            cards = [card for card in _cards(store, _organization(store, execution), begins) if card.id != begins + key]
            cards.sort(key=lambda card: card.changed_at)
            return [card.data["turns"] for card in cards[-QUESTIONS_MAX:]]

        questions: list[list[dict[str, Any]]] = await self._read(found)
        return questions

    async def add(self, execution: str, thread: str, key: str, turns: list[dict[str, Any]]) -> None:
        organization = await self._read(lambda store: _organization(store, execution))
        write = WriteCard(
            REGISTER,
            _begins(thread) + key,
            {"thread": thread, "turns": turns},
            now_ms(),
            "perdure",
            "thread.continued",
            organization,
            details={"thread": thread},
            writer=self._writer(),
        )
        outcome = await self._commit(write)
        if type(outcome).__name__ not in ("Committed", "Duplicate"):
            raise Retryable(f"what was said under thread {thread!r} could not be kept: {outcome}")


def _cards(store: Questions, organization: str, begins: str) -> Iterator[Card]:
    """All of one thread: which are the last of them, their ids do not tell."""
    after = begins
    while True:
        cards = store.cards(organization, REGISTER, after, _READ_MAX)
        of_it = [card for card in cards if card.id.startswith(begins)]
        yield from of_it
        if len(of_it) < _READ_MAX:
            return
        after = of_it[-1].id


def _begins(thread: str) -> str:
    return f"{sha256(thread.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}/"


def _organization(store: Questions, execution: str) -> str:
    record = store.record(execution)
    assert record is not None, "what is performed has been committed"
    return record.organization
