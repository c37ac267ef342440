"""Transforms as documents have them: TypeScript, read when it is saved. What is wrong is told with its line and column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from perdure.dialects.fields import Fields
from perdure.model.executors import TRANSFORM, TRANSFORM_MS_MAX
from perdure.model.problem import LEFT_OUT, Problem
from perdure.model.steps import Task
from perdure.model.values import Json, Value

if TYPE_CHECKING:
    from perdure.typescript import Refused, Transform

WORK_MAX: Final = 400_000
"""For all transforms of a document. One alone is bounded, but a document of nothing else would take minutes to read."""

_UNTYPED: Final = (
    "it has no types, so that what it takes and gives is not checked: declare interface Input and interface Output"
)


def read_transform(fields: Fields, key: str, *, strict: bool = False) -> Transform | None:
    """None: it is none, which has been told. `strict`: it has to have types. Of one that is refused its types are there, as far
    as they could be read, and no code.
    """
    text = fields.text(key, required=True)
    if text is None:
        return None
    from perdure import typescript  # noqa: PLC0415  its grammar takes its time to load, and many documents have no transforms

    faults = fields.faults
    if faults.transforms_work > WORK_MAX:
        return None
    effort = typescript.Effort(faults.transforms_work)
    read = typescript.read(text, effort)
    faults.transforms_work = effort.spent
    if effort.spent > WORK_MAX:
        fields.problem(
            "too_large",
            key,
            f"the transforms up to this one come to {effort.spent:,}, and {WORK_MAX:,} is the most that is taken in a document: "
            "their bytes, and the work that their types are; split the workflow, or write simpler types",
        )
    if read.is_untyped:
        (fields.problem if strict else fields.warning)("invalid_typescript" if strict else "untyped", key, _UNTYPED)
    if isinstance(read, typescript.Refused):
        _tell(read, fields, key)
        return typescript.Transform("", read.input, read.output)
    where = Problem("invalid_typescript", "", fields.at(key), fields.step, key)
    fields.faults.code.append((where, read.javascript, read.regexes))
    return read


def _tell(refused: Refused, fields: Fields, key: str) -> None:
    for problem in refused.problems:
        # Its line is one of the transform. That of the document is another one, which is found by the path.
        place = f" (line {problem.line}, column {problem.column})" if problem.line is not None else ""
        fields.problem(problem.type, key, f"{problem.message}{place}")
    if refused.may_be_more:
        count = len(refused.problems)
        told = f"these are the first {count} problems of this transform, and there may be more; mend them first"
        fields.problem(LEFT_OUT, key, told)


def transform_task(code: str, given: Value, limit: int | None, fields: Fields) -> Task:
    """The call of a transform. `limit`: how many milliseconds it may compute, as it stands in `fields`."""
    if limit is not None and limit > TRANSFORM_MS_MAX:
        fields.problem(
            "out_of_range", "timeout", f"a transform may take {TRANSFORM_MS_MAX:,} ms at most, not {limit:,}"
        )
    setup: dict[str, Json] = {"code": code}
    return Task(TRANSFORM, given, setup=setup if limit is None else {**setup, "timeoutMs": limit})
