"""The same for many executions: what it would be about, and what came of each."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from perdure.answers.executions import ListedExecution, listed_execution, record_from
from perdure.service.bulk import AllDone, Done, Preview


class PreviewAnswer(Struct, frozen=True):
    """How many it would be about. `more`: there are more than are counted."""

    matched: int
    more: bool
    examples: tuple[ListedExecution, ...]


class DoneAnswer(Struct, frozen=True):
    """What came of one. Its id is that of the execution, and so is `execution`. `new`: the execution that it was run again as;
    `error`: why it was not done.
    """

    id: str
    execution: str
    done: bool
    new: str | None
    error: str | None


class AllDoneAnswer(Struct, frozen=True):
    """`next`: there are more, to go on with."""

    items: tuple[DoneAnswer, ...]
    next: str | None


def preview_answer(found: Preview, names: Mapping[str, str]) -> PreviewAnswer:
    """`names`: of workflows, by their ids."""
    examples = tuple(listed_execution(each, names.get(each.workflow)) for each in found.examples)
    return PreviewAnswer(found.matched, found.more, examples)


def preview_from(answer: PreviewAnswer) -> Preview:
    return Preview(answer.matched, answer.more, tuple(map(record_from, answer.examples)))


def done_answer(done: Done) -> DoneAnswer:
    return DoneAnswer(done.execution, done.execution, done.done, done.new, done.error)


def all_done_answer(done: AllDone) -> AllDoneAnswer:
    return AllDoneAnswer(tuple(map(done_answer, done.items)), done.next)


def all_done_from(answer: AllDoneAnswer) -> AllDone:
    return AllDone(tuple(Done(each.execution, each.done, each.new, each.error) for each in answer.items), answer.next)
