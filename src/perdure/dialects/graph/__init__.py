"""The dialect of seed 004: nodes joined by edges between named handles, with one context that flows along them."""

from __future__ import annotations

from perdure.dialects.graph.lower import lower
from perdure.dialects.graph.requirements import requirements_of
from perdure.dialects.graph.triggers import depth_of
from perdure.dialects.graph.view import view
from perdure.dialects.port import Compiled, Naming, Requirements, Seen
from perdure.dialects.usual import Usual, compiled
from perdure.expressions.wording import kind
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.values import Json


class Graph(Usual, frozen=True):
    name: str = "graph"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        return compiled(self.name, lower, value, catalog, naming)

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        if given is None or isinstance(given, dict):
            return ()
        message = f"the input is the first context, and has to be an object; this is {kind(given)}"
        return (Problem("invalid_input", message, field="input", expected="object", actual=kind(given)),)

    def depth(self, given: Json) -> int:
        return depth_of(given)


DIALECT = Graph()
