"""What a catalog has to hold for a ports document: asked for before it is compiled."""

from __future__ import annotations

from perdure.dialects.faults import Faults
from perdure.dialects.port import Naming, Requirements
from perdure.dialects.ports.document import read_document
from perdure.dialects.ports.lower import lower
from perdure.dialects.ports.triggers import triggers_of
from perdure.dialects.secrets import secrets_of
from perdure.model.catalog import Catalog
from perdure.model.steps import Task
from perdure.model.values import Json


def requirements_of(value: Json) -> Requirements:
    workflow = lower(value, Catalog(), Naming(), Faults())
    tasks = [step.work.task for step in workflow.steps if isinstance(step.work, Task)]
    return Requirements(
        tasks=tuple(dict.fromkeys(tasks)),
        tools=(),
        secrets=tuple(dict.fromkeys(name for step in workflow.steps for name in secrets_of(step, workflow.secrets))),
        webhooks=tuple(dict.fromkeys(triggers_of(read_document(value, Faults())).webhooks)),
    )
