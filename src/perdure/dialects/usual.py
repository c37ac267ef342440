"""What a dialect does that has nothing of its own to say: others inherit it, and say what is different with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from perdure.dialects.faults import Faults
from perdure.dialects.port import Code, Compiled, Naming, Seen
from perdure.model.catalog import Catalog
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.model.workflow import Workflow

Lower: TypeAlias = Callable[[dict[str, Json], Catalog, Naming, Faults], Workflow]
"""The model of a document; if `Faults` has problems then, it is one of what could be made out, and not to be run."""


def compiled(dialect: str, lower: Lower, value: Json, catalog: Catalog, naming: Naming) -> Compiled:
    """What becomes of a document, and all that is to be said of it."""
    faults = Faults()
    workflow = lower(value, catalog, naming, faults)
    return Compiled(
        None if faults.problems else workflow,
        workflow.name,
        dialect,
        faults.told("problem"),
        faults.told("warning"),
        faults.told("obstacle"),
        tuple(Code(*each) for each in faults.code),
    )


class Usual(Struct, frozen=True):
    """`dialects.port.Dialect` says what each method means."""

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
        return value if isinstance(value, dict) else {}

    def version(self, value: Json) -> str | None:
        del value
        return None

    def started_with(self, value: Json) -> dict[str, Json]:
        del value
        return {}

    def input_problems(self, given: Json) -> tuple[Problem, ...]:
        del given
        return ()

    def depth(self, given: Json) -> int:
        del given
        return 0
