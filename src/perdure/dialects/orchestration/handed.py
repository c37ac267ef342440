"""What a step is given when it handles the failure of another: the `inputMapping` of `onFailure`, over its own input."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.dialects.orchestration.document import StepDef
from perdure.dialects.orchestration.transitions import mapped_id
from perdure.dialects.values import objects, quoted
from perdure.model.steps import Step, Task
from perdure.model.values import Constant, Expression, Json, Object, Value


class Handed:
    """By which parts of which steps, and under which names."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.names: dict[str, None] = {}

    def take(self, step_id: str, mapping: Value) -> None:
        self.parts.append(mapped_id(step_id))
        for name in _entries(mapping) or {}:
            self.names[name] = None

    @property
    def is_here(self) -> str:
        """Whether control came by one of them."""
        return f"[{', '.join(map(quoted, self.parts))}].includes(last.step)"


def with_handed(step: Step, handed: Handed, written: StepDef) -> Step:
    """Only a task is given anything."""
    if not isinstance(step.work, Task):
        message = "it handles failures and is given 'inputMapping', but only a TASK takes an input"
        written.fields.warning("no_effect", "type", message)
        return step
    own = _entries(step.work.input)
    if own is None:  # one value, which is not known before
        either = f"({handed.is_here} ? {{...local.own, ...last.output}} : local.own)"
        return replace(
            step, work=replace(step.work, input=Expression(either)), locals=objects({"own": step.work.input})
        )
    both = {name: own[name] for name in own if name in handed.names}
    values: dict[str, Json] = dict(own)
    for name in handed.names:
        otherwise = f"local[{quoted(name)}]" if name in both else "undefined"
        values[name] = Expression(f"({handed.is_here} ? last.output[{quoted(name)}] : {otherwise})")
    locals_ = objects(dict(both)) if both else None
    return replace(step, work=replace(step.work, input=objects(values)), locals=locals_)


def _entries(value: Value) -> dict[str, Value] | None:
    """The entries of an object whose keys are known; None: it is something else."""
    match value:
        case Object(entries=entries) if all(isinstance(key, Constant) for key, _ in entries):
            return {str(key.value): part for key, part in entries if isinstance(key, Constant)}
        case Constant(value=dict() as given):
            return {name: Constant(part) for name, part in given.items()}
        case _:
            return None
