"""The dialect of seed 002: tasks, decisions and waits for events, with cancellation and compensation."""

from __future__ import annotations

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.orchestration.document import version_of
from perdure.dialects.orchestration.lower import lower
from perdure.dialects.orchestration.requirements import requirements_of
from perdure.dialects.orchestration.view import HISTORY, view
from perdure.dialects.port import Compiled, Naming, Requirements, Seen
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.values import Json


class OrchestrationDialect(Struct, frozen=True):
    """`dialects.port.Dialect` says what each method means."""

    name: str = "orchestration"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        faults = Faults()
        workflow = lower(value, catalog, naming, faults)
        kept = None if faults.problems else workflow
        return Compiled(
            kept, workflow.name, self.name, tuple(faults.problems), tuple(faults.warnings), tuple(faults.obstacles)
        )

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        told = view(seen)["state"]["steps"].get(step)
        return None if told is None else {"stepId": step, **told}

    def history_name(self, kind: str) -> str | None:
        return HISTORY.get(kind)

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        del given  # the schema says what it has to be
        return ()

    def depth(self, given: Json) -> int:
        del given
        return 0

    def inline_metadata(self, value: Json) -> Json:
        del value
        return None

    def definition(self, value: Json) -> dict[str, Json]:
        return value if isinstance(value, dict) else {}

    def version(self, value: Json) -> str | None:
        return version_of(value)

    def started_with(self, value: Json) -> dict[str, Json]:
        del value
        return {}


DIALECT = OrchestrationDialect()
