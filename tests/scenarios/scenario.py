"""A scenario: workflows, what tasks answer, what people and the world do and when, and what must come of it.

It is data alone. Whatever runs workflows can run it (`hosts.ScenarioHost`), and the facts that come of it are the same everywhere
(`facts.py`). So nothing in it is told by the clock: an act happens once the history of an execution holds a certain fact, or once a
task has been called.

Executions are called by where they come from, whatever ids a host gives them:

main                what the scenario starts
main/pay            the child of step `pay`; `main/pay.2` of the second time that it was entered; `main/pay[0]` of an item
main/chain 0[1]     what chain 0 of it has started for item 1
stock by restock-1  what an event has started, by the workflow and the id of the event; `stock by main` of one that `main` published
main*               a fork of it, or a rerun
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType, field

from perdure.model.failure import Category
from perdure.model.values import Json
from perdure.model.workflow import Workflow

MAIN = "main"

Host: TypeAlias = Literal["memory", "sqlite", "postgres", "restate"]


# What a call of a task comes to.


class Returns(Struct, frozen=True):
    """The task returns, after so long; without `output`, what it was given. `parts` are done before, once: name and value of each."""

    output: Json | UnsetType = UNSET
    port: str | None = None
    meta: Json = None
    after_ms: int = 0
    parts: tuple[tuple[str, Json], ...] = ()


class Raises(Struct, frozen=True):
    """The task fails, after its `parts`."""

    message: str = "it did not work"
    code: str = "BROKEN"
    category: Category = Category.TRANSIENT
    retriable: bool = True
    retry_after_ms: int | None = None
    parts: tuple[tuple[str, Json], ...] = ()


class Hangs(Struct, frozen=True):
    """The task never answers; it ends when it is told that nobody waits for it any more, or its time is over."""


Answer: TypeAlias = Returns | Raises | Hangs


class Answers(Struct, frozen=True):
    """What the calls of a step come to, one after the other; the last stays. `given`: only of calls with this input.

    Calls are counted by execution and input, so that each item of a forEach has its own.
    """

    step: str
    each: tuple[Answer, ...]
    given: Json | UnsetType = UNSET


# When something is done.


class Seen(Struct, frozen=True):
    """Once the history of an execution holds the n-th fact of this kind; of this step, if one is named."""

    kind: str
    step: str | None = None
    of: str = MAIN
    nth: int = 1


class Called(Struct, frozen=True):
    """Once the task of this step has been called, so often in all, in whatever execution."""

    step: str
    times: int = 1


Moment: TypeAlias = Seen | Called


# What is done.


class Publish(Struct, frozen=True):
    """`id` has to be one of its own within the scenario; given twice, it is the same event twice."""

    type: str
    id: str
    data: Json = None


class Decide(Struct, frozen=True):
    """Vote on the approval that this step of the execution has open; of this item."""

    step: str
    decision: Literal["approve", "reject"] = "approve"
    by: str = "ann"
    comments: str | None = None
    data: Json = None
    of: str = MAIN
    item: int = -1


class Cancel(Struct, frozen=True):
    reason: str = "no longer wanted"
    by: str = "ann"
    compensate: bool = True
    of: str = MAIN


class Retry(Struct, frozen=True):
    """Take up again an execution that has failed."""

    by: str = "ann"
    of: str = MAIN


class Fork(Struct, frozen=True):
    """A new execution that goes on at this step as `of` did, but for what is changed."""

    at_step: str
    outputs: Mapping[str, Json] = {}
    variables: Mapping[str, Json] = {}
    input: Json | UnsetType = UNSET
    of: str = MAIN


class Rerun(Struct, frozen=True):
    """A new execution like `of`."""

    of: str = MAIN


Deed: TypeAlias = Publish | Decide | Cancel | Retry | Fork | Rerun


class Act(Struct, frozen=True):
    when: Moment
    deed: Deed


# What must come of it.


class End(Struct, frozen=True):
    """How an execution ends. `output` where it says something; `code` is that of its error."""

    status: Literal["completed", "failed", "cancelled"] = "completed"
    output: Json | UnsetType = UNSET
    code: str | None = None


class Scenario(Struct, frozen=True):
    """
    workflows  the first is started; the others are its children and chains, or started by events
    answers    what tasks answer; a call that nothing here is said of returns its input
    acts       one after the other, each at its moment
    secrets    those that its organization has
    ends       how each execution ends that there must be; there may be no other
    restate    whether it is one of those that are run on Restate
    differs    where the facts are not those of memory, and why
    """

    name: str
    workflows: tuple[Workflow, ...]
    input: Json = None
    answers: tuple[Answers, ...] = ()
    acts: tuple[Act, ...] = ()
    ends: Mapping[str, End] = field(default_factory=lambda: {MAIN: End()})
    restate: bool = False
    differs: Mapping[Host, str] = {}
    secrets: Mapping[str, str] = {}
