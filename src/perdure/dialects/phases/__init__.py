"""The dialect of seed 003: phases of MCP tools, typed TypeScript transforms and sleeps, and triggers that chain workflows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from perdure.dialects.faults import Faults
from perdure.dialects.phases.lower import lower
from perdure.dialects.phases.requirements import requirements_of
from perdure.dialects.phases.view import view
from perdure.dialects.port import Code, Compiled, Naming, Requirements, Seen
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.values import Json

TYPES: Final = ("missing_ref", "type_mismatch", "missing_schema", "invalid_typescript")
"""What the seed calls problems. All others are of one type."""

INVALID: Final = "invalid_document"


class PhasesDialect(Struct, frozen=True):
    """`dialects.port.Dialect` says what each method means."""

    name: str = "phases"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        faults = Faults()
        workflow = lower(value, catalog, naming, faults)
        kept = None if faults.problems else workflow
        code = tuple(Code(*each) for each in faults.code)
        problems = tuple(_typed(faults.problems))
        return Compiled(kept, workflow.name, self.name, problems, tuple(faults.warnings), code=code)

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        told = view(seen)["steps"].get(step)
        return None if told is None else {"name": step, **told}

    def history_name(self, kind: str) -> str | None:
        del kind
        return None

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        del given  # what steps require is in the schema
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
        del value
        return None

    def started_with(self, value: Json) -> dict[str, Json]:
        del value
        return {}


def _typed(problems: Iterable[Problem]) -> Iterator[Problem]:
    for problem in problems:
        yield problem if problem.type in TYPES else replace(problem, type=INVALID)


DIALECT = PhasesDialect()
