"""What has become of the steps of a phases document, from facts."""

from __future__ import annotations

from time import thread_time

from perdure.core import facts as f
from perdure.dialects.phases.runs import Runs
from perdure.model.steps import Step, Timer
from perdure.model.workflow import Workflow

SECONDS_MAX = 2
"""Many times what it takes: a loaded machine is no defect, a square is."""


def test_many_warnings_of_one_step_do_not_take_long() -> None:
    workflow = Workflow("w", (Step("a", Timer()),))
    messages = [str(number) for number in range(50_000)]
    facts: list[f.Fact] = [f.ForEachOpened(0, 0, []), *(f.Warned(0, 0, message) for message in messages)]
    began = thread_time()
    runs = Runs(workflow).take_all(facts).by_name()
    assert thread_time() - began < SECONDS_MAX
    assert runs["a"].warnings == messages
