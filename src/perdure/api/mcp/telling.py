"""What a call of a tool is answered with: an object for programs, and the same as text for those who read only that."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from mcp_types import CallToolResult, ContentBlock, TextContent
from msgspec import UNSET, Struct, UnsetType

from perdure.answers.executions import ProgressAnswer, progress_answer
from perdure.answers.problems import ProblemAnswer, problem_answer
from perdure.api.problems import Wrong
from perdure.model.problem import Problem
from perdure.service.describing import ExecutionAnswer, execution_answer
from perdure.service.execution import Execution

ANSWER_BYTES_MAX: Final = 1_000_000
OUTPUT_BYTES_MAX: Final = 200_000
PROBLEMS_MAX: Final = 100
_encode: Final = msgspec.json.Encoder().encode


class ExecutionTold(ExecutionAnswer, frozen=True, kw_only=True):
    """How an execution stands, and why: `sentence` says it. An output of more than 200,000 bytes is left out, and `output_bytes`
    says how many it has; `GET /api/executions/{id}` has it.
    """

    sentence: str
    output_bytes: int | UnsetType = UNSET
    steps: tuple[ProgressAnswer, ...] | UnsetType = UNSET


class Unable(Struct, frozen=True):
    """Why it was not done. `code` is a word that a program can match, `errors` has all that is wrong, each with its place."""

    code: str
    detail: str
    errors: tuple[ProblemAnswer, ...]


async def told_execution(execution: Execution, *, steps: bool = False) -> ExecutionTold:
    described, why = await execution.describe(), await execution.why()
    answer = msgspec.structs.asdict(execution_answer(described))
    size = len(_encode(answer["output"]))
    if size > OUTPUT_BYTES_MAX:
        answer |= {"output": None, "output_bytes": size}
    if steps:
        answer["steps"] = tuple(map(progress_answer, (await execution.progress()).steps.values()))
    return ExecutionTold(**answer, sentence=why.sentence)


def answered(value: Any, sentence: str | None = None, *, is_error: bool = False) -> CallToolResult:
    """A value that is an object in JSON. `sentence`: what comes before it as text."""
    encoded = _encode(value)
    if len(encoded) > ANSWER_BYTES_MAX:
        detail = f"the answer has {len(encoded):,} bytes, which is too much at once; ask for fewer, with limit"
        return unable(Wrong(413, "too_large", detail))
    content: list[ContentBlock] = [] if sentence is None else [TextContent(text=sentence)]
    content.append(TextContent(text=encoded.decode()))
    return CallToolResult(content=content, structured_content=msgspec.json.decode(encoded), is_error=is_error)


def unable(error: Wrong) -> CallToolResult:
    """What was asked for was not done, as whoever asked can be told: an agent can mend it."""
    value = Unable(error.code, error.detail, tuple(map(problem_answer, error.problems)))
    return CallToolResult(
        content=[TextContent(text=_text(error))],
        structured_content=msgspec.to_builtins(value),
        is_error=True,
    )


def _text(error: Wrong) -> str:
    """All problems stand in it, also where the message tells but the first of them."""
    if not error.problems:
        return error.detail
    first = error.detail.partition("\n")[0]
    lines = [_line(each) for each in error.problems[:PROBLEMS_MAX]]
    more = len(error.problems) - PROBLEMS_MAX
    return "\n".join([first, *lines, *([f"  and {more} more"] if more > 0 else [])])


def _line(problem: Problem) -> str:
    return f"  {problem.path}: {problem.message}" if problem.path else f"  {problem.message}"
