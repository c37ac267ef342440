"""Tracing of one worker, if it is on: what it performs and what it commits."""

from __future__ import annotations

from collections.abc import Mapping

from perdure.hosts.tracing.attempting import Attempting
from perdure.hosts.tracing.exporting import Exporting, exporting
from perdure.hosts.tracing.following import Following
from perdure.hosts.tracing.whereabouts import Traces
from perdure.runtime.calls import Perform
from perdure.runtime.shell import Shell


class Tracer:
    """First it has what performs, then the worker that has it perform."""

    def __init__(self, exporting_: Exporting, perform: Perform) -> None:
        self._exporting = exporting_
        self._shell: Shell | None = None
        self._following: Following | None = None
        self._traces = Traces(lambda question: self._running.read(question), exporting_.is_sampled)
        self._attempting = Attempting(perform, self._traces, exporting_, exporting_.enter)
        self.perform = self._attempting.perform

    @property
    def _running(self) -> Shell:
        assert self._shell is not None, "nothing is performed before there is a worker"
        return self._shell

    def follow(self, shell: Shell) -> None:
        self._shell = shell
        self._following = Following(
            self._traces, self._exporting, shell.read, self._name_of, self._attempting.made_here
        )
        shell.on_committed.append(self._following.committed)

    async def close(self) -> None:
        """While the store can still be read."""
        if self._following is not None:
            await self._following.finish()
        await self._exporting.close()

    def _name_of(self, digest: str, step: int) -> tuple[str, str]:
        """Of a workflow, and of one of its steps."""
        program = self._running.engine.programs.get(digest)
        if program is None:  # it has been dropped; that it is named is worth no question
            return digest[:12], str(step)
        return program.workflow.name, program.name(step) if step >= 0 else ""


def tracer(environment: Mapping[str, str], perform: Perform) -> Tracer | None:
    """None: nobody has asked for it."""
    found = exporting(environment)
    return None if found is None else Tracer(found, perform)
