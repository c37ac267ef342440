"""The dialect of seeds 000 and 001: steps routed by named ports, with people, language models and loops."""

from __future__ import annotations

from perdure.dialects.port import Compiled, Naming, Requirements, Seen
from perdure.dialects.ports.document import parts, started_with
from perdure.dialects.ports.lower import lower
from perdure.dialects.ports.requirements import requirements_of
from perdure.dialects.ports.view import HISTORY, inline_metadata, step_view, view
from perdure.dialects.usual import Usual, compiled
from perdure.model.catalog import Catalog
from perdure.model.values import Json


class Ports(Usual, frozen=True):
    name: str = "ports"

    def compile(self, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
        return compiled(self.name, lower, value, catalog, naming)

    def requirements(self, value: Json) -> Requirements:
        return requirements_of(value)

    def view(self, seen: Seen) -> Json:
        return view(seen)

    def step_view(self, seen: Seen, step: str) -> Json:
        return step_view(seen, step)

    def history_name(self, kind: str) -> str | None:
        return HISTORY.get(kind)

    def inline_metadata(self, value: Json) -> Json:
        return inline_metadata(value)

    def definition(self, value: Json) -> dict[str, Json]:
        return parts(value)[0]

    def started_with(self, value: Json) -> dict[str, Json]:
        return started_with(value)


DIALECT = Ports()
