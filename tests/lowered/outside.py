"""What tasks, people and other systems do to a world."""

from __future__ import annotations

from collections.abc import Callable

from lowered.base import Happening
from perdure.model.failure import Category, Failure
from perdure.model.values import Json
from perdure.store import port as s
from perdure.testing.script import Script, TaskAnswer
from perdure.testing.world import World

LATER = 600_000
"""How long after the start somebody repairs a tool: by then, everything else has come to rest."""


def answer(output: Json, after_ms: int = 10) -> TaskAnswer:
    return TaskAnswer(after_ms, output)


def failure(message: str, after_ms: int = 10, *, retriable: bool = True) -> TaskAnswer:
    """A task that fails with this message, and without a code."""
    return TaskAnswer(after_ms, error=Failure(message, retriable=retriable))


def broken(
    code: str | None = "DOWN", category: Category = Category.TRANSIENT, *, retriable: bool = True, after_ms: int = 10
) -> TaskAnswer:
    """A task that fails."""
    return TaskAnswer(after_ms, error=Failure(f"{code} came back", category, code, retriable))


def publish(event_type: str, data: Json = None, event_id: str | None = None) -> Callable[[World], s.Outcome]:
    return lambda world: world.publish(event_type, data, event_id)


def cancel(world: World) -> s.Outcome:
    return world.cancel("main")


def retry(world: World) -> s.Outcome:
    return world.retry("main")


def repaired_and_retried(script: Script) -> Happening:
    """Somebody repairs the tools and asks for the failed execution to go on."""

    def act(world: World) -> None:
        world.script = script
        retry(world)

    return Happening(LATER, act)


def answered(kind: type[s.Outcome], act: Callable[[World], s.Outcome], part: str = "") -> Callable[[World], None]:
    """Somebody does this, and is answered so."""

    def do(world: World) -> None:
        outcome = act(world)
        assert isinstance(outcome, kind), outcome
        assert part in repr(outcome)

    return do
