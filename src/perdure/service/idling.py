"""When there is nothing left to do: nothing runs, nothing is ready, and what tries again by itself has done so."""

from __future__ import annotations

import asyncio

from perdure.core.apply import fold
from perdure.core.outstanding import in_flight
from perdure.core.state import BLANK, State, TaskOp, from_json
from perdure.hosts import embedded
from perdure.runtime.shell import Shell, now_ms
from perdure.service.standing import readable
from perdure.store.questions import Questions

LOOK_SECONDS = 0.02
LOOKED_AT = 100
LOOKS = 2


async def until_idle(host: embedded.Engine) -> None:
    quiet = 0
    while quiet < LOOKS:  # what one look has missed has happened by the next
        quiet = quiet + 1 if await _is_idle(host.shell) else 0
        await asyncio.sleep(LOOK_SECONDS)


async def _is_idle(shell: Shell) -> bool:
    if any(not _waits_for_tasks(shell, execution) for execution in shell.engine.held) or shell.engine.fetching:
        return False
    if await shell.ask(lambda store: store.stirs(shell.worker, now=now_ms())):
        return False
    return not await shell.read(_anything_tries_again)


def _waits_for_tasks(shell: Shell, execution: str) -> bool:
    """Whether all that it has to do is to call tasks that nobody here has."""
    held = shell.engine.held[execution]
    calls = in_flight(held.state)
    idle = held.under_way is None and not held.queue and not held.wanted
    return idle and bool(calls) and all(shell.lacks_task(execution, op.op) for op in calls)


def _anything_tries_again(store: Questions) -> bool:
    return any(_tries_again(store, execution) for execution in store.running_until(LOOKED_AT))


def _tries_again(store: Questions, execution: str) -> bool:
    """Whether it is running although nobody has it: a task backs off, or all of it does; not if it waits for a child."""
    look = store.look(execution)
    if look is None:
        return False
    state: State = fold(readable(look), BLANK if look.snapshot is None else from_json(look.snapshot))
    backs_off = any(isinstance(op, TaskOp) and op.due_at is not None for op in state.ops.values())
    return backs_off or state.retry_at is not None
