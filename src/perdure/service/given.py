"""What callers give beside documents and values: refused here, by its name, and not in the depth of a store."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias, get_args

from perdure.expressions.wording import kind
from perdure.service.errors import Conflict, NotStorable

Trigger: TypeAlias = Literal["manual", "schedule", "webhook", "event", "chain", "api"]
"""What may be said to have started an execution: whoever starts it may be a timetable or a webhook of their own."""

TRIGGERS: Final[tuple[str, ...]] = get_args(Trigger)
NUMBERS: Final = range(-(2**63), 2**63)
"""What stores have numbers for."""

DELIVERIES: Final = "webhook:"
AGAIN: Final = "again:"
"""How the keys begin under which deliveries to webhooks, and reruns and forks, stand: nobody else may take the place of one."""

LENGTH_MAX: Final = 500

_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")


def is_whole(text: str) -> bool:
    """Whether every database stores it: it holds neither NUL nor a lone surrogate."""
    return _UNSTORABLE.search(text) is None


def name_unstorable(text: str) -> str:
    """Name the first character of a text that is not whole."""
    return "NUL" if _UNSTORABLE.findall(text)[0] == "\0" else "half a character (a lone surrogate)"


def check_bytes(**given: object) -> None:
    for name, found in given.items():
        if not isinstance(found, bytes):
            raise Conflict(f"{name} is bytes as they came, not {kind(found)}; encode it if it is a text")


def check_texts(**given: object) -> None:
    """Each under the name that the caller knows it by."""
    for name, text in given.items():
        if not isinstance(text, str) and (text is not None or name == "organization"):
            raise Conflict(f"{name} is a text, not {kind(text)}")
        if text is not None and not is_whole(text):
            raise Conflict(f"{name} {text!r} holds {name_unstorable(text)}, which cannot be kept; remove it")


def check_lengths(**given: str | None) -> None:
    """Refuse what is too long for an index of the database."""
    for name, text in given.items():
        if text is not None and len(text) > LENGTH_MAX:
            raise NotStorable(f"{name} has {len(text):,} characters; the limit is {LENGTH_MAX}")


def check_key(given: str | None) -> None:
    """Of somebody who asks for a start."""
    if given is not None and given.startswith((DELIVERIES, AGAIN)):
        raise Conflict(f"the idempotency key {given!r} begins as those of the engine itself do; let it begin otherwise")


def check_numbers(**given: int | None) -> None:
    for name, number in given.items():
        if isinstance(number, bool):
            raise Conflict(f"{name} is a number, not {kind(number)}")
        if number is not None and not NUMBERS[0] <= number <= NUMBERS[-1]:
            raise Conflict(f"{name} is a number of more than 64 bits; give a smaller one")


def check_trigger(given: str) -> None:
    if given not in TRIGGERS:
        raise Conflict(f"triggered_by {given!r} is nothing that starts executions; say one of {', '.join(TRIGGERS)}")
