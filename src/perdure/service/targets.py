"""Workflows that a workflow starts and that are not there. They may still be saved: it is told, not refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from perdure.expressions.wording import nearest
from perdure.model.problem import Problem
from perdure.model.workflow import Workflow
from perdure.service.circles import started_by
from perdure.store.questions import Questions

_NAMES_MAX: Final = 1_000
"""Among so many workflows a name is looked for that is near."""


def not_there(store: Questions, organization: str, id_: str, workflow: Workflow) -> Iterator[Problem]:
    """A warning for each that is started by a name or an id which nobody has here."""
    for ref in dict.fromkeys(started_by(workflow)):
        if ref not in (id_, workflow.name) and store.workflow(organization, ref) is None:
            known = [row.name for row in store.workflows(organization, None, _NAMES_MAX)]
            said = f"it starts the workflow {ref!r}, which is not there{nearest(ref, known) or ';'}"
            yield Problem("unknown_workflow", f"{said} save it before it is started", ref=ref)
