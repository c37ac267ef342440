"""The dialect of seed 003: phases of MCP tools, typed TypeScript transforms and sleeps, and triggers that chain workflows."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from perdure.dialects.phases.lower import lower
from perdure.dialects.phases.requirements import requirements_of
from perdure.dialects.phases.view import view
from perdure.dialects.port import Compiled, Naming, Requirements, Seen
from perdure.dialects.usual import Usual, compiled
from perdure.model.catalog import Catalog
from perdure.model.problem import LEFT_OUT, Problem
from perdure.model.values import Json

TYPES: Final = ("missing_ref", "type_mismatch", "missing_schema", "invalid_typescript")
"""What the seed calls problems. All others are of one type."""

INVALID: Final = "invalid_document"


class PhasesDialect(Usual, frozen=True):
    name: str = "phases"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        found = compiled(self.name, lower, value, catalog, naming)
        return replace(found, problems=tuple(map(_typed, sorted(found.problems, key=_order))))

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        told = view(seen)["steps"].get(step)
        return None if told is None else {"name": step, **told}


def _order(problem: Problem) -> tuple[int, ...]:
    """As it stands in the document: what is of all of it, then the steps, then the triggers; and last, that there is more."""
    if problem.type == LEFT_OUT:
        return (2,)
    where, *places = [*problem.path.split("/")[1:4], ""]
    numbers = (int(place) if place.isdecimal() else -1 for place in places)
    return (("steps", "triggers").index(where) if where in ("steps", "triggers") else -1, *numbers)


def _typed(problem: Problem) -> Problem:
    return problem if problem.type in (*TYPES, LEFT_OUT) else replace(problem, type=INVALID)


DIALECT = PhasesDialect()
