"""What a lowered workflow is here: the model, what the outside does, and what must come of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct, field

from perdure.expressions.language import compile_value
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, Script
from perdure.testing.summary import Account, account
from perdure.testing.words import arr, k, obj, text, x
from perdure.testing.world import Point, World

__all__ = [
    "DAY",
    "HOUR",
    "MINUTE",
    "T0",
    "Happening",
    "Lowered",
    "arr",
    "holds",
    "k",
    "main",
    "obj",
    "play",
    "run",
    "text",
    "x",
]

T0 = 1_000_000
"""When every world begins."""

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


class Happening(Struct, frozen=True):
    """Something that somebody outside does, so long after the start."""

    after_ms: int
    act: Callable[[World], Any]


class Lowered(Struct, frozen=True):
    """One workflow, lowered by hand.

    seed       where it comes from: "seed 001 §4, semantics §1 Loop"
    workflow   the model
    others     workflows that it starts, or that events start
    happenings what people and other systems do, beside what the script answers
    start      further arguments of the start: trigger, depth, deadline_ms, retries_max, …
    status     how the execution "main" must end (or stand, when nothing more can happen)
    output     its output, where it matters; `error` a part of its error message
    runs       how often each step must have been entered (steps not named must not have been)
    check      anything further that must hold of the world
    """

    name: str
    seed: str
    workflow: Workflow
    input: Json = None
    script: Script = field(default_factory=Fixed)
    others: tuple[Workflow, ...] = ()
    happenings: tuple[Happening, ...] = ()
    start: dict[str, Any] = {}
    status: str = "completed"
    output: Json = ...
    error: str | None = None
    runs: dict[str, int] | None = None
    check: Callable[[World], None] | None = None


def run(lowered: Lowered, hook: Callable[[Point], None] = lambda _: None, workers: int = 1) -> World:
    """The world after the workflow has run until nothing more can happen."""
    return play(lowered, World(compile_value, lowered.script, hook, workers))


def play(lowered: Lowered, world: World, *, forgiving: bool = False) -> World:
    """The same, in a world of one's own. `forgiving`: what happens may come at a time when it makes no sense."""

    def happen(act: Callable[[World], Any]) -> None:
        with suppress(*(AssertionError, KeyError, ValueError) if forgiving else ()):
            act(world)

    for other in lowered.others:
        world.store.save(other)
    world.start(lowered.workflow, lowered.input, **lowered.start)
    for happening in lowered.happenings:
        world.at(world.now + happening.after_ms, lambda act=happening.act: happen(act))  # type: ignore[misc]
    world.run()
    return world


def main(world: World) -> Account:
    """What the execution under test came to."""
    return account(world, "main")


def holds(lowered: Lowered, world: World) -> None:
    """Everything that the lowered workflow says of its end."""
    found = main(world)
    assert found.status == lowered.status, (found.status, found.error)
    if lowered.output is not ...:
        assert found.output == lowered.output
    if lowered.error is not None:
        assert lowered.error in found.error["message"]
    if lowered.runs is not None:
        assert found.runs == lowered.runs
    if lowered.check is not None:
        lowered.check(world)
