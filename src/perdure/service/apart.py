"""Documents are read and compiled beside everything else, unless they are small: thousands of steps take seconds, in which nobody
else would be answered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from perdure.expressions.canonical import canonical
from perdure.hosts.embedded import Host
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.service.documents import Given
from perdure.tasks.offload import run_in_thread

STEPS_SMALL: Final = 50
VALUES_SMALL: Final = 500
CHARACTERS_SMALL: Final = 10_000
"""So much is done in some milliseconds."""

Answer = TypeVar("Answer")


async def apart(host: Host, given: Given, compute: Callable[[], Answer]) -> Answer:
    """What is computed of a document, and of nothing that changes meanwhile."""
    return compute() if is_small(given) else await host.apart(compute)


async def canonical_apart(value: Any) -> Json:
    """As `canonical`: the value as JSON. A large one is copied in a thread. Raises `NotJson`."""
    return canonical(value) if is_small(value) else await run_in_thread(lambda: canonical(value))


def is_small(given: Given | list[Any]) -> bool:
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
        if isinstance(each, dict | list | tuple):
            if values + len(ahead) + len(each) > VALUES_SMALL:
                return False
            ahead.extend(each.values() if isinstance(each, dict) else each)
        elif isinstance(each, str):
            characters += len(each)
            if characters > CHARACTERS_SMALL:
                return False
    return True
