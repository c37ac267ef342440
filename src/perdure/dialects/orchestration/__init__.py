"""The dialect of seed 002: tasks, decisions and waits for events, with cancellation and compensation."""

from __future__ import annotations

from perdure.dialects.orchestration.document import version_of
from perdure.dialects.orchestration.lower import lower
from perdure.dialects.orchestration.requirements import requirements_of
from perdure.dialects.orchestration.view import HISTORY, view
from perdure.dialects.port import Compiled, Naming, Requirements, Seen
from perdure.dialects.usual import Usual, compiled
from perdure.model.catalog import Catalog
from perdure.model.values import Json


class OrchestrationDialect(Usual, frozen=True):
    name: str = "orchestration"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        return compiled(self.name, lower, value, catalog, naming)

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        told = view(seen)["state"]["steps"].get(step)
        return None if told is None else {"stepId": step, **told}

    def history_name(self, kind: str) -> str | None:
        return HISTORY.get(kind)

    def version(self, value: Json) -> str | None:
        return version_of(value)


DIALECT = OrchestrationDialect()
