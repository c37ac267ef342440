"""The engine against the reference: random workflows come to what a second, plainer reading of the model says."""

from __future__ import annotations

import os
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from perdure.expressions.language import compile_value
from perdure.model import steps as m
from perdure.model.values import Constant
from perdure.model.workflow import Workflow
from perdure.testing.generator import INPUT, workflow
from perdure.testing.reference import Reference
from perdure.testing.script import Seeded
from perdure.testing.shrinking import Workflows, shrink
from perdure.testing.summary import summary
from perdure.testing.world import World

PART = 100
PARTS = 24 * int(os.environ.get("PERDURE_WORLDS", "1"))
COMPARED = ("status", "output", "error", "runs", "outcomes", "variables", "failed_steps")


@pytest.mark.simulation
@pytest.mark.parametrize("part", range(PARTS))
def test_a_random_workflow_comes_to_what_the_reference_says(part: int) -> None:
    unclear = 0
    for seed in range(part * PART, (part + 1) * PART):
        workflows = plain(workflow(Random(seed)))
        found = differences(seed, workflows)
        unclear += found is None
        if found:
            pytest.fail(told(seed, workflows))
    assert unclear <= PART * 0.1, "so much is unclear that little is compared"


def test_a_seed_can_be_compared_again(seed_number: int) -> None:
    workflows = plain(workflow(Random(seed_number)))
    if differences(seed_number, workflows):
        pytest.fail(told(seed_number, workflows))


def test_the_reference_tells_a_wrong_end_from_a_right_one() -> None:
    """What the world answers makes a difference to half of the workflows, and where steps lead to some."""
    other_answers = other_routes = 0
    for seed in range(PART):
        main, *others = plain(workflow(Random(seed)))
        crossed = replace(main, steps=tuple(replace(step, routes=step.routes[::-1]) for step in main.steps))
        right = observed(seed, (main, *others))
        other_answers += right != predicted(seed + PART, (main, *others))
        other_routes += right != predicted(seed, (crossed, *others))
    assert other_answers >= PART * 0.4
    assert other_routes >= PART * 0.05


def plain(workflows: Workflows) -> Workflows:
    """Without what the reference leaves out. Every wait for an event has its own topic, and only `main` has any."""
    return tuple(_plain(made) for made in workflows)


def _plain(made: Workflow) -> Workflow:
    gone = {compensation.by for compensation in made.compensations}
    return replace(
        made,
        steps=tuple(_plain_step(made.name, step) for step in made.steps if step.id not in gone),
        deadline_ms=None,
        budget=(),
        cancels=(),
        compensations=(),
        chains=(),
    )


def _plain_step(workflow_name: str, step: m.Step) -> m.Step:
    match step.work:
        case m.Task():
            return replace(step, work=replace(step.work, reserve=(), budget=()))
        case m.Child():
            return replace(step, work=replace(step.work, deadline_ms=None, retries_max=0))
        case m.EventWait() if workflow_name == "main":
            work = replace(step.work, pattern=Constant(f"answer.{step.id}"), lookback=False)
            return replace(step, work=work, each=None)
        case m.EventWait():
            return replace(step, work=m.Timer(Constant(700)), each=None)
        case _:
            return step


def differences(seed: int, workflows: Workflows) -> list[str] | None:
    """Where the engine and the reference differ; None if it is not clear what must come of it."""
    of_reference = predicted(seed, workflows)
    return None if of_reference is None else list(compared("", observed(seed, workflows), of_reference))


def compared(path: str, engine: Any, reference: Any) -> list[str]:
    if isinstance(engine, dict) and isinstance(reference, dict):
        keys = sorted(engine.keys() | reference.keys())
        return [line for key in keys for line in compared(f"{path}/{key}", engine.get(key), reference.get(key))]
    return [] if engine == reference else [f"{path}: the engine has {engine!r}, the reference {reference!r}"]


def told(seed: int, workflows: Workflows) -> str:
    small = shrink(workflows, lambda smaller: bool(differences(seed, smaller)))
    parts = [
        f"seed {seed}; again: .venv/bin/pytest tests/test_reference.py --seed {seed}; made small:",
        *(msgspec.json.encode(part).decode() for part in small),
        *(differences(seed, small) or ()),
        f"engine:    {observed(seed, small)}",
        f"reference: {predicted(seed, small)}",
    ]
    return "\n".join(parts)


def script(seed: int) -> Seeded:
    return Seeded(seed, failing=0.5 if seed % 5 == 0 else 0.15)


def observed(seed: int, workflows: Workflows) -> dict[str, Any]:
    world = World(compile_value, script(seed))
    for other in workflows[1:]:
        world.store.save(other)
    world.start(workflows[0], INPUT)
    world.run()
    account = dict(summary(world))["main"]
    return {name: without_messages(account[name]) for name in COMPARED}


def predicted(seed: int, workflows: Workflows) -> dict[str, Any] | None:
    played = Reference({made.name: made for made in workflows}, "main", INPUT, script(seed)).play()
    if played.unclear:
        return None
    return {name: without_messages(value) for name, value in msgspec.to_builtins(played.account()).items()}


def without_messages(value: Any) -> Any:
    """The engine explains itself better than the reference; what it says is tested where it is made."""
    if isinstance(value, dict):
        return {key: without_messages(item) for key, item in value.items() if key != "message"}
    return [without_messages(item) for item in value] if isinstance(value, list) else value
