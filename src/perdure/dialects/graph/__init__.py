"""The dialect of seed 004: nodes joined by edges between named handles, with one context that flows along them."""

from __future__ import annotations

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.graph.lower import lower
from perdure.dialects.graph.requirements import requirements_of
from perdure.dialects.graph.triggers import depth_of
from perdure.dialects.graph.view import view
from perdure.dialects.port import Code, Compiled, Naming, Requirements, Seen
from perdure.expressions.wording import kind
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.values import Json


class Graph(Struct, frozen=True):
    """`dialects.port.Dialect` says what each method means."""

    name: str = "graph"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        faults = Faults()
        workflow = lower(value, catalog, naming, faults)
        kept = None if faults.problems else workflow
        code = tuple(Code(*each) for each in faults.code)
        return Compiled(kept, workflow.name, self.name, tuple(faults.problems), tuple(faults.warnings), code=code)

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        del seen, step
        return None

    def history_name(self, kind: str) -> str | None:
        del kind
        return None

    def inline_metadata(self, value: Json) -> Json:
        del value
        return None

    def definition(self, value: Json) -> dict[str, Json]:
        found: dict[str, Json] = value
        return found

    def version(self, value: Json) -> str | None:
        del value
        return None

    def started_with(self, value: Json) -> dict[str, Json]:
        del value
        return {}

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        if given is None or isinstance(given, dict):
            return ()
        message = f"the input is the first context, and has to be an object; this is {kind(given)}"
        return (Problem("invalid_input", message, field="input", expected="object", actual=kind(given)),)

    def depth(self, given: Json) -> int:
        return depth_of(given)


DIALECT = Graph()
