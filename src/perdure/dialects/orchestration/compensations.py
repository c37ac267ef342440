"""Steps that undo others: `compensationSteps`, each for one step that has completed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from perdure.dialects.fields import Fields
from perdure.dialects.orchestration.built import Around, condition, template
from perdure.dialects.orchestration.kinds import retry_of, tell_of_task
from perdure.dialects.policies import time_ms
from perdure.dialects.values import constants
from perdure.expressions.wording import nearest, shown
from perdure.model.steps import Step, Task
from perdure.model.values import Expression, Value
from perdure.model.workflow import Compensation

_KEYS: Final = (
    *("stepId", "compensationFor", "type", "taskId", "input", "condition", "retryPolicy", "timeout"),
    *("name", "description", "metadata"),
)
_UNDONE: Final = "undone.output"
"""What the step that is undone came to."""


class Undoing(Struct, frozen=True):
    step: Step
    how: Compensation


def compensations_of(listed: Iterable[Fields], known: tuple[str, ...], around: Around) -> Iterator[Undoing]:
    """Those that can ever have an effect. Of several for one step, the first counts."""
    taken: dict[str, str] = {}
    for fields in listed:
        fields.faults.unknown_keys(fields.given, _KEYS, fields.path, step=fields.step, only_near=True)
        fields.choice("type", ("TASK",), "TASK")
        task, of = fields.word("taskId", required=True), fields.word("compensationFor", required=True)
        here = around.at("", output=_UNDONE)  # which is none of the steps that control is at
        given = template(fields, "input", here, secrets=True) if fields.has("input") else _default_input(here)
        source = fields.text("condition")
        when = None if source is None else condition(source, fields.at("condition"), fields, here)
        if task is None or of is None:
            continue
        tell_of_task(fields, task, around)
        if of not in known:
            message = f"there is no step {shown(of)}, so that this never runs{nearest(of, known)}"
            fields.warning("unknown_step", "compensationFor", message)
        elif of in taken:
            message = f"{shown(of)} is undone by {shown(taken[of])}, the first that says so; this never runs"
            fields.warning("no_effect", "compensationFor", message)
        else:
            taken[of] = fields.step
            work = Task(task, given, retry=retry_of(fields, around), timeout_ms=time_ms(fields, "timeout"))
            yield Undoing(Step(fields.step, work), Compensation(of, fields.step, when))


def _default_input(around: Around) -> Value:
    return constants(
        originalOutput=Expression(_UNDONE),
        workflowInput=Expression("input"),
        workflowState=Expression(around.names.rename("workflow.state")),
        cancellation=Expression(around.names.rename("workflow.cancellation")),
    )
