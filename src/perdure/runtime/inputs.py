"""Whether what an execution is to begin with fits the schema of its version, which is compiled once."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from perdure.core.program import Program
from perdure.model.failure import Failure
from perdure.model.inputs import Inputs
from perdure.model.values import Json

AT_HAND: Final = 1_000


def unfit(program: Program, given: Json) -> Failure | None:
    """Why an execution of it cannot begin with this."""
    return None if program.workflow.input_schema is None else inputs_of(program).failure(given)


@lru_cache(AT_HAND)
def inputs_of(program: Program) -> Inputs:
    return Inputs(program.workflow.input_schema)
