"""A worker without threads: the engine's turns against a real SQLite file, one after the other, each commit answered at once.

What is decided, written and read is what a running engine decides, writes and reads. Only the sync of the disk is left out:
what is measured here is the work of the processor and the bytes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import thread_time_ns
from typing import assert_never

from perdure.core.advance import Start
from perdure.core.commands import PerformTask
from perdure.core.events import TaskCompleted
from perdure.expressions.language import compile_value
from perdure.model.workflow import Workflow
from perdure.runtime import ports
from perdure.runtime.engine import Engine
from perdure.store import port as p
from perdure.store.sqlite.store import SqliteStore

WORKER = "scale"


class Driven:
    """`calls` are the tasks that the engine has asked for and nobody has answered."""

    def __init__(self, path: Path, held_max: int = 4_000) -> None:
        self.store = SqliteStore(str(path))
        self.store.connection.execute("PRAGMA synchronous = OFF")
        self.engine = Engine(WORKER, compile_value, held_max)
        self.calls: deque[ports.Perform] = deque()
        self.spent_ns: list[int] = []
        """Of each task that was answered, until all that follows from its answer was committed."""

    def start(self, workflow: Workflow, starts: Sequence[Start], now: int) -> None:
        """All of them in one transaction, or in as many as it takes them to come to rest."""
        digest = self.store.save(workflow)
        self.turn(now, [ports.Request(number, digest, workflow.name, one) for number, one in enumerate(starts)])

    def run(self, steps: int, now: int) -> None:
        """Answer so many tasks, one after the other."""
        for _ in range(steps):
            perform = self.calls.popleft()
            command = perform.command
            assert isinstance(command, PerformTask)
            done = TaskCompleted(now, command.op, command.attempt, {"n": command.op})
            began = thread_time_ns()
            self.turn(now, [ports.Report(perform.execution, done)])
            self.spent_ns.append(thread_time_ns() - began)

    def turn(self, now: int, inputs: list[ports.Input]) -> None:
        """And all those that follow from it at once."""
        while inputs:
            out = self.engine.turn(now, inputs)
            self.calls.extend(out.performs)
            inputs = [self._answer(query) for query in out.queries]
            if out.commits:
                inputs.append(ports.Answer(out.commits, tuple(self.store.commit(out.commits))))

    def _answer(self, query: ports.Query) -> ports.Input:
        match query:
            case ports.FetchValues():
                values = self.store.values(query.execution, query.refs)
                return ports.Fetched(query.execution, query.epoch, dict(values))
            case ports.FetchModel():
                return ports.ModelFetched(query.digest, self.store.model(query.digest))
            case ports.FetchMail():
                mail = self.store.mail(WORKER, query.execution)
                return p.Polled(((query.execution, mail),) if mail else (), (), ())
            case _:
                assert_never(query)


def bytes_written() -> int:
    """By this process so far, to whatever file: the log, and what of it was carried over into the database."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["wchar"])
