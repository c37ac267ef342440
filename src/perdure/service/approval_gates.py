"""Decided approvals that a fork would pass, also those in the children of the execution.

An approval holds for the values that it was decided about. A fork that goes on behind it would repeat its effects, perhaps with
other values, so that only an admin may start one. The search follows the children that the copied history has started, and
theirs. Their ids are in the history, which a fork of a fork has from its first origin.

The search is bounded. Where it cannot say that there is no decided approval, the fork is refused: beyond the bounds, and for
executions that are no longer stored or that this version cannot read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from perdure.core import facts as f
from perdure.model import codec
from perdure.model.failure import Category
from perdure.model.steps import Approval, Child
from perdure.model.workflow import Workflow
from perdure.service.errors import Forbidden
from perdure.service.standing import Stood
from perdure.store.port import Unreadable
from perdure.store.questions import Questions

EXECUTIONS_MAX: Final = 1_000
"""Maximum number of children whose histories are read for one fork. Children that can neither ask nor start others are free."""

FACTS_MAX: Final = 50_000
"""Maximum number of facts of children that are read for one fork."""

FACTS_PER_PAGE: Final = 1_000


def refuse_to_pass_approvals(store: Questions, origin: Stood, facts: Iterable[f.Fact], step: str) -> None:
    """Raise `Forbidden` if an approval was decided before `step`. `facts`: the history that the fork copies."""
    ended = _EndedWork()
    for seq, fact in enumerate(facts, 1):
        ended.take(seq, fact)
    if ended.approval is not None:
        name = origin.name(ended.approval)
        raise Forbidden(
            f"step {step!r} follows approval {name!r}, which was decided for execution {origin.record.id} only; "
            f"start from {name!r} or an earlier step, or ask an admin"
        )
    search = _Search(store, origin.record.organization)
    for child in ended.children:
        reason = search.reason_against(child)
        if reason is not None:
            name = origin.name(child.step)
            raise Forbidden(
                f"step {step!r} follows {name!r}, {reason}; start from {name!r} or an earlier step, or ask an admin"
            )


class _EndedWork:
    """The first decided approval and the ended children of a history. Open work counts for nothing: a fork opens it again."""

    def __init__(self) -> None:
        self.approval: int | None = None
        self.children: list[f.ChildStarted] = []
        self._approvals: dict[int, int] = {}
        self._open: dict[int, f.ChildStarted] = {}

    def take(self, seq: int, fact: f.Fact) -> None:
        match fact:
            case f.ApprovalOpened():
                self._approvals[seq] = fact.step
            case f.ChildStarted():
                self._open[seq] = fact
            case f.StepCompleted() | f.ItemCompleted():
                self._end(fact.op, decided=True)
            case f.StepFailed() | f.ItemFailed():  # it timed out, or what was decided could not be used
                self._end(fact.op, decided=fact.error.category is not Category.TIMEOUT)
            case _:
                pass

    def _end(self, op: int, *, decided: bool) -> None:
        if op in self._open:
            self.children.append(self._open.pop(op))
        elif decided and self.approval is None:
            self.approval = self._approvals.get(op)


class _Search:
    """One search through the children of an execution."""

    def __init__(self, store: Questions, organization: str) -> None:
        self._store, self._organization = store, organization
        self._workflows: dict[str, Workflow | None] = {}
        self._executions = 0
        self._facts = 0

    def reason_against(self, called: f.ChildStarted) -> str | None:
        """Why no fork may go on behind this child, as a relative clause; None if it has no decided approval."""
        pending = [called]
        while pending:
            child = pending.pop()
            if not self._can_have_approvals(child.digest):
                continue
            self._executions += 1
            record = self._store.record(child.child)
            if record is None or record.organization != self._organization:
                return f"whose execution {child.child} is no longer stored, so that its approvals are unknown"
            ended = _EndedWork()
            for seq, fact in self._history(child.child):
                if isinstance(fact, Unreadable):
                    return f"whose execution {child.child} this version cannot read ({fact.why})"
                ended.take(seq, fact)
                if ended.approval is not None:
                    name = self._step_name(child.digest, ended.approval)
                    return f"whose execution {child.child} contains the decided approval {name!r}"
            if self._executions > EXECUTIONS_MAX or self._facts > FACTS_MAX:
                return (
                    "which has started too many executions to check for approvals "
                    f"(maximum: {EXECUTIONS_MAX:,} executions with {FACTS_MAX:,} facts)"
                )
            pending += ended.children
        return None

    def _history(self, execution: str) -> Iterator[tuple[int, f.Fact | Unreadable]]:
        """The facts of an execution, as far as the bound allows."""
        after = 0
        while self._facts <= FACTS_MAX:
            page = self._store.history(execution, after, FACTS_PER_PAGE)
            self._facts += len(page)
            for entry in page:
                yield entry.seq, entry.fact
            if len(page) < FACTS_PER_PAGE:
                return
            after = page[-1].seq

    def _can_have_approvals(self, digest: str) -> bool:
        workflow = self._workflow(digest)
        return workflow is None or any(isinstance(step.work, Approval | Child) for step in workflow.steps)

    def _step_name(self, digest: str, step: int) -> str:
        workflow = self._workflow(digest)
        return str(step) if workflow is None else workflow.steps[step].id

    def _workflow(self, digest: str) -> Workflow | None:
        """The model of a child; None if it is no longer stored."""
        if digest not in self._workflows:
            try:
                self._workflows[digest] = codec.decode(self._store.model(digest))
            except KeyError:
                self._workflows[digest] = None
        return self._workflows[digest]
