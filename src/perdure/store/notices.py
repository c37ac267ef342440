"""Notices: executions that tell people of an approval. They are started with what they tell of, in one commit, so that none is
lost; and only where somebody wants to be told, so that nobody pays for what nobody has asked for.

Who wants to be told what is on the cards of the register `notifiers`: each has `on`, a list of topics.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

from perdure.model.values import Json
from perdure.store.registers import Card

ENGINE: Final = "perdure:"
"""What the ids of workflows begin with that nobody has saved. No other may begin so."""

NOTICES: Final = f"{ENGINE}notices"
"""The id of the workflow of which they are executions. It is no workflow that anybody has saved."""

NOTIFIERS: Final = "notifiers"
NOTIFIERS_MAX: Final = 50
"""So many an organization can have: they are looked at whenever an approval is opened."""

Topic: TypeAlias = Literal["opened", "overdue", "escalated", "decided"]
TOPICS: Final[tuple[str, ...]] = get_args(Topic)


def is_wanted(topic: Topic, cards: Iterable[Card]) -> bool:
    """Whether any of the notifiers tells of it."""
    return any(topic in topics_of(card.data) for card in cards)


def topics_of(data: Json) -> tuple[str, ...]:
    found = data.get("on") if isinstance(data, dict) else None
    return tuple(found) if isinstance(found, list) else ()
