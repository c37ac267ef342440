"""Why an execution is where it is: what it waits for, since when, until when, and on whom. `reasons.py` finds it out."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.model.records import Status
from perdure.service.requests import Requested

Kind: TypeAlias = Literal[
    "timer", "event", "approval", "child", "backoff", "task", "missing_task", "operator", "worker", "undoing", "chain"
]
SOMEBODY: tuple[Kind, ...] = ("event", "approval", "operator", "missing_task")
"""What goes on only if somebody outside does something: registers a task, say."""


class WaitDetail(Struct, frozen=True, omit_defaults=True):
    """One thing that is waited for. `on` is whom or what; `note` is the rest of the sentence.

    kind      timer | event | approval | child
              backoff       a task failed, and is called again at `until`
              task          it is being called, by the worker `on`
              missing_task  it waits for a worker that has the task `on`
              operator      it killed its workers, and somebody has to look at it
              worker        it could go on, and nobody takes it up
              undoing       it has ended, and what it did is being undone or settles
              chain         it has completed, and is starting what follows it
    """

    kind: Kind
    step: str
    since: int
    until: int | None = None
    on: str | None = None
    note: str = ""
    attempt: int | None = None
    why: Why | None = None
    """Of a child: why that one waits."""


class Why(Struct, frozen=True):
    """`sentence` says it all to a person; the rest has it for programs.

    waits      what wakes first before the others
    requested  what somebody has asked of it, and no worker has taken up yet
    attended   whether any worker lives that could go on with it
    """

    status: Status
    sentence: str
    waits: tuple[WaitDetail, ...] = ()
    requested: tuple[Requested, ...] = ()
    attended: bool = True

    @property
    def needs_somebody(self) -> bool:
        """Whether nothing goes on before somebody outside decides, publishes, looks or brings what is missing."""
        return bool(self.waits) and all(
            wait.kind in SOMEBODY or (wait.why is not None and wait.why.needs_somebody) for wait in self.waits
        )
