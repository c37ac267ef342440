"""Documents are read and compiled beside everything else, unless they are small: thousands of steps take seconds, in which nobody
else would be answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

from perdure.hosts.embedded import Host
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.service.documents import Given

STEPS_SMALL: Final = 50
VALUES_SMALL: Final = 500
CHARACTERS_SMALL: Final = 10_000
"""So much is done in some milliseconds."""

Answer = TypeVar("Answer")


async def apart(host: Host, given: Given, compute: Callable[[], Answer]) -> Answer:
    """What is computed of a document, and of nothing that changes meanwhile."""
    return compute() if is_small(given) else await host.apart(compute)


def is_small(given: Given) -> bool:
    if isinstance(given, Workflow):
        return len(given.steps) <= STEPS_SMALL
    if isinstance(given, bytes | str):
        return len(given) <= CHARACTERS_SMALL
    return _has_few(given)


def _has_few(value: Json) -> bool:
    """It is not gone through any further than it is small."""
    values, characters, ahead = 0, 0, [value]
    while ahead:
        each = ahead.pop()
        values += 1
        if isinstance(each, dict):
            ahead.extend(each.values())
        elif isinstance(each, list):
            ahead.extend(each)
        elif isinstance(each, str):
            characters += len(each)
        if values + len(ahead) > VALUES_SMALL or characters > CHARACTERS_SMALL:
            return False
    return True
