"""A worker that lacks a task: the engine by hand, over a store in memory. What nobody has called is not lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from perdure.core import commands as c
from perdure.core import events as e
from perdure.core.advance import Start
from perdure.expressions.language import compile_value
from perdure.model.failure import NEVER_CALLED
from perdure.model.steps import Compute, Route, Step, Task
from perdure.model.workflow import Compensation, Entry, Workflow
from perdure.runtime import ports
from perdure.runtime.engine import Engine
from perdure.store import port as s
from perdure.store.memory import MemoryStore
from perdure.testing.words import k

UNDONE = (Compensation("a", "undo"),)
"""So that a cancelled one waits until it is known what became of `a`."""
UNDO = Step("undo", Task("unpaint", k(1)))
PAINT = Workflow("paint", (Step("a", Task("paint", k(1))), UNDO), (Entry("a"),), compensations=UNDONE)
BOTH = Workflow(
    "both",
    (
        Step("first", Compute(k(1)), (Route(("a", "b")),)),
        Step("a", Task("paint", k(1))),
        Step("b", Task("print", k(2))),
        UNDO,
    ),
    (Entry("first"),),
    compensations=UNDONE,
)


class Desk:
    """Workers on one store, each with its tasks. What they are told to call waits in `calls`, unless they do not have the task."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.engines: dict[str, Engine] = {}
        self.tasks: dict[str, tuple[str, ...]] = {}
        self.calls: list[tuple[str, c.PerformTask]] = []
        self.warnings: list[str] = []

    def worker(self, name: str, *tasks: str) -> None:
        self.engines.setdefault(name, Engine(name, compile_value))
        self.tasks[name] = tasks
        self.store.commit([s.Beat(name, 1 << 60, tasks)])

    def start(self, worker: str, workflow: Workflow) -> None:
        digest = self.store.save(workflow)
        self.turn(worker, [ports.Request(1, digest, workflow.name, Start(1, "main"))])

    def turn(self, worker: str, inputs: Iterable[Any]) -> None:
        """Until there is nothing more to take in."""
        waiting = list(inputs)
        while waiting:
            out = self.engines[worker].turn(1, waiting)
            waiting = [self._answer(query) for query in out.queries]
            if out.commits:
                waiting.append(ports.Answer(out.commits, tuple(self.store.commit(out.commits))))
            waiting += [found for perform in out.performs if (found := self._perform(worker, perform)) is not None]
            self.warnings += out.warnings

    def _answer(self, query: ports.Query) -> Any:
        match query:
            case ports.FetchModel():
                return ports.ModelFetched(query.digest, self.store.model(query.digest))
            case ports.FetchValues():
                found = self.store.values(query.execution, query.refs)
                return ports.Fetched(query.execution, query.epoch, dict(found))
            case ports.FetchMail():
                return self.store.poll("", now=1, limit=10)

    def _perform(self, worker: str, perform: ports.Perform) -> Any:
        command = perform.command
        assert isinstance(command, c.PerformTask), "what was never called cannot be abandoned"
        if command.task not in self.tasks[worker]:
            return ports.NotHere(perform.execution, command)
        self.calls.append((worker, command))
        return None

    def look(self, worker: str) -> None:
        """It claims what it is offered."""
        self.turn(worker, [ports.Claimed(tuple(self.store.claim(worker, now=1, limit=10)))])

    def done(self) -> None:
        worker, command = self.calls.pop()
        self.turn(worker, [ports.Report("main", e.TaskCompleted(1, command.op, command.attempt, "done"))])

    @property
    def history(self) -> list[str]:
        return [str(fact.__struct_config__.tag) for fact in self.store.rows["main"].facts]

    @property
    def called(self) -> list[tuple[str, str, int]]:
        return [(worker, command.task, command.attempt) for worker, command in self.calls]


def test_an_execution_ends_up_with_the_worker_that_has_the_task_and_no_attempt_is_lost() -> None:
    desk = Desk()
    desk.worker("ann")
    desk.worker("bob", "paint")
    desk.start("ann", PAINT)
    assert (desk.engines["ann"].held, desk.store.rows["main"].owner) == ({}, None)
    desk.look("ann")
    assert desk.store.rows["main"].owner is None, "it is not offered to her again"
    desk.look("bob")
    assert desk.called == [("bob", "paint", 1)]
    desk.done()
    assert desk.history == ["execution.started", "step.scheduled", "step.completed", "execution.completed"]
    assert len(desk.warnings) == 1
    assert "'paint'" in desk.warnings[0]


def test_what_can_be_done_here_is_done_first() -> None:
    desk = Desk()
    desk.worker("ann", "print")
    desk.worker("bob", "paint")
    desk.start("ann", BOTH)
    assert desk.called == [("ann", "print", 1)]
    desk.look("bob")
    assert "main" in desk.engines["ann"].held, "she is still at it"
    desk.done()
    assert desk.engines["ann"].held == {}
    desk.look("bob")
    assert desk.called == [("bob", "paint", 1)]
    desk.done()
    assert desk.store.rows["main"].record.status == "completed"
    assert "step.lost" not in desk.history


def test_a_task_that_is_registered_meanwhile_is_called_here() -> None:
    desk = Desk()
    desk.worker("ann", "print")
    desk.start("ann", BOTH)
    desk.worker("ann", "print", "paint")
    desk.turn("ann", [ports.Registered("paint")])
    assert desk.called == [("ann", "print", 1), ("ann", "paint", 1)]
    desk.done()
    desk.done()
    assert desk.store.rows["main"].record.status == "completed"


def test_one_that_is_cancelled_while_it_waits_was_never_called() -> None:
    desk = Desk()
    desk.worker("ann")
    desk.start("ann", PAINT)
    desk.store.commit([s.Deliver(s.Message("main", e.CancelRequested(2, "enough"), "cancel"))])
    desk.look("ann")
    row = desk.store.rows["main"]
    assert (row.record.status, row.record.live, row.owner) == ("cancelled", False, None)
    assert "step.lost" not in desk.history
    failed = [fact for fact in row.facts if getattr(fact, "error", None) == NEVER_CALLED]
    assert len(failed) == 1


def test_one_that_is_cancelled_while_others_run_was_never_called() -> None:
    desk = Desk()
    desk.worker("ann", "print")
    desk.start("ann", BOTH)
    mail = s.Mail(1, e.CancelRequested(2, "enough"))
    desk.tasks["ann"] = ()
    ann, settled = desk.engines["ann"], list[Any]()
    out = ann.turn(2, [s.Polled((("main", (mail,)),), (), ())])
    out = ann.turn(2, [ports.Answer(out.commits, (s.Committed(),))])
    settled += [type(perform.command) for perform in out.performs]
    assert settled == [c.AbandonTask], "only the one that runs"
    (commit,) = out.commits
    assert isinstance(commit, s.Advance)
    assert [getattr(fact, "error", None) for fact in commit.facts] == [NEVER_CALLED]


def test_one_that_is_given_up_while_it_is_found_out_that_the_task_is_not_here_was_never_called() -> None:
    desk = Desk()
    desk.worker("ann", "paint")
    desk.start("ann", PAINT)
    ((_, command),) = desk.calls
    ann, mail = desk.engines["ann"], s.Mail(1, e.CancelRequested(2, "enough"))
    cancelled = ann.turn(2, [s.Polled((("main", (mail,)),), (), ())])
    ann.turn(2, [ports.Answer(cancelled.commits, (s.Committed(),))])
    (commit,) = ann.turn(2, [ports.NotHere("main", command)]).commits
    assert isinstance(commit, s.Advance), "nobody needs the task any more"
    assert [getattr(fact, "error", None) for fact in commit.facts[:1]] == [NEVER_CALLED]


def test_a_worker_that_stops_says_what_it_has_not_called() -> None:
    desk = Desk()
    desk.worker("ann", "print")
    desk.worker("bob", "paint", "print")
    desk.start("ann", BOTH)
    (handed,) = desk.engines["ann"].hand_over()
    ((_, task),) = handed.uncalled
    assert (task, handed.rests) == ("paint", False)
    desk.store.commit([handed])
    desk.calls.clear()
    desk.look("bob")
    assert sorted(desk.called) == [("bob", "paint", 1), ("bob", "print", 2)]
    assert desk.history.count("step.lost") == 1


def test_a_worker_that_stops_before_it_could_begin_hands_on_what_it_was_told() -> None:
    desk = Desk()
    desk.worker("ann")
    desk.worker("bob", "paint")
    desk.start("ann", PAINT)
    (claim,) = desk.store.claim("bob", now=1, limit=10)
    bob = desk.engines["bob"]
    assert bob.turn(1, [ports.Claimed((claim,))]).queries == (ports.FetchModel(claim.record.digest),)
    assert [handed.uncalled for handed in bob.hand_over()] == [claim.uncalled]
    damaged = s.Claim(claim.record, claim.epoch, None, None, (), unreadable="torn", uncalled=claim.uncalled)
    (given_back,) = bob.turn(1, [ports.Claimed((damaged,))]).commits
    assert isinstance(given_back, s.HandOver)
    assert given_back.uncalled == claim.uncalled
