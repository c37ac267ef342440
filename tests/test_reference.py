"""The engine against the reference: random workflows come to what a second, plainer reading of the model says."""

from __future__ import annotations

import os
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from perdure.core import facts as f
from perdure.model import steps as m
from perdure.model.workflow import Workflow
from perdure.testing.expressions import compile_value
from perdure.testing.generator import INPUT, workflow
from perdure.testing.reference import Happening, expected
from perdure.testing.script import Seeded
from perdure.testing.shrinking import Workflows, shrink
from perdure.testing.summary import names, summary
from perdure.testing.world import World

CHUNK = 100
CHUNKS = 24 * int(os.environ.get("PERDURE_WORLDS", "1"))
SCRIPTED = {"E0", "E1", "E2", "FAILED"}
"""The codes of failures that the script or the workflow makes; the messages of all others are the engine's own."""

KNOWN: dict[str, Callable[[Workflow], bool]] = {}
"""What the engine is known to do otherwise, by the shape of the workflow. Each is a fault to be mended, not a choice."""


@pytest.mark.simulation
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_random_workflow_comes_to_what_the_reference_says(chunk: int) -> None:
    tied = 0
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        workflows, happenings = workflow(Random(seed)), happening(seed)
        found = differences(seed, workflows, happenings)
        tied += found is None
        if found and not known(workflows):
            pytest.fail(told(seed, workflows, happenings))
    assert tied <= CHUNK / 10, "so many ties that little is compared"


def test_the_reference_tells_a_wrong_end_from_a_right_one() -> None:
    """Of a workflow that is not the one that ran, at least one account differs."""
    seed = next(seed for seed in range(CHUNK) if len(workflow(Random(seed))[0].steps) > 2)
    main, *others = workflow(Random(seed))
    other = msgspec.structs.replace(main, output=m.Constant("another"))
    assert observed(run(seed, (main, *others), ())) != predicted(seed, (other, *others), ())


def happening(seed: int) -> tuple[Happening, ...]:
    """What somebody outside does: nothing, mostly; else the execution is cancelled, or retried, or both."""
    rng = Random(f"happening {seed}")
    cancel = Happening(rng.randint(1, 15_000), "cancel", rng.random() < 0.8)
    retry = Happening(rng.randint(1, 25_000), "retry")
    return rng.choices(((), (cancel,), (retry,), (retry, cancel)), (70, 20, 7, 3))[0]


def known(workflows: Workflows) -> str | None:
    return next((reason for reason, fits in KNOWN.items() if any(map(fits, workflows))), None)


def differences(seed: int, workflows: Workflows, happenings: tuple[Happening, ...]) -> list[str] | None:
    """Where the engine and the reference differ; None if the case is tied."""
    of_reference = predicted(seed, workflows, happenings)
    if of_reference is None:
        return None
    return list(compared("", observed(run(seed, workflows, happenings)), of_reference))


def compared(path: str, engine: Any, reference: Any) -> list[str]:
    if isinstance(engine, dict) and isinstance(reference, dict):
        keys = sorted(engine.keys() | reference.keys())
        return [line for key in keys for line in compared(f"{path}/{key}", engine.get(key), reference.get(key))]
    return [] if engine == reference else [f"{path}: the engine has {engine!r}, the reference {reference!r}"]


def told(seed: int, workflows: Workflows, happenings: tuple[Happening, ...]) -> str:
    small = shrink(workflows, lambda smaller: bool(differences(seed, smaller, happenings)))
    parts = [
        f"seed {seed}, {happenings}",
        *(msgspec.json.encode(part).decode() for part in small),
        *(differences(seed, small, happenings) or ()),
        f"engine:    {observed(run(seed, small, happenings))}",
        f"reference: {predicted(seed, small, happenings)}",
    ]
    return "\n".join(parts)


def script(seed: int) -> Seeded:
    return Seeded(seed, failing=0.5 if seed % 5 == 0 else 0.15)


def run(seed: int, workflows: Workflows, happenings: tuple[Happening, ...]) -> World:
    world = World(compile_value, script(seed))
    for other in workflows[1:]:
        world.store.save(other)
    world.start(workflows[0], INPUT)
    for made in happenings:
        world.at(world.now + made.after_ms, lambda made=made: act(world, made))  # type: ignore[misc]
    world.run()
    return world


def act(world: World, made: Happening) -> None:
    if made.act == "retry":
        world.retry("main")
    else:
        world.cancel("main", compensate=made.compensate)


def observed(world: World) -> dict[str, Any]:
    """The accounts of a world by name, with the engine's own messages replaced by their codes."""
    text = msgspec.json.encode(summary(world)).decode()
    spoken = {in_names(world, message): code for message, code in messages(world).items()}
    for message in sorted(spoken, key=len, reverse=True):
        text = text.replace(msgspec.json.encode(message).decode()[1:-1], spoken[message])
    return dict(msgspec.json.decode(text))


def messages(world: World) -> dict[str, str]:
    """What the engine says of the failures that it makes itself, and their codes."""
    found: dict[str, str] = {}
    for row in world.store.rows.values():
        for fact in row.facts:
            error = fact.error if isinstance(fact, FAILURES) else None
            of_others = error is not None and error.message.startswith(("the workflow it started failed", "item "))
            if error is not None and error.code not in SCRIPTED and not of_others:
                found[error.message] = error.code or ""
    return found


FAILURES = (f.StepFailed, f.ItemFailed, f.StepRetrying, f.ChainFailed, f.ExecutionFailed, f.ExecutionRetrying)


def in_names(world: World, text: str) -> str:
    for execution, name in names(world).items():
        text = text.replace(execution, name)
    for approval in world.store.approvals.values():
        text = text.replace(approval.id, f"approval of {approval.step}")
    for _, event_id in world.store.events:
        text = text.replace(event_id, "event")
    return text


def predicted(seed: int, workflows: Workflows, happenings: tuple[Happening, ...]) -> dict[str, Any] | None:
    by_name = {made.name: made for made in workflows}
    found = expected(by_name, workflows[0].name, INPUT, script(seed), happenings)
    return None if found.tied else dict(msgspec.json.decode(msgspec.json.encode(found.accounts)))
