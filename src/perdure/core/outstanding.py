"""What is still to be performed, as the state tells it: how a process that has just taken over finds its work."""

from __future__ import annotations

from perdure.core.commands import Continue, FireChain, Perform
from perdure.core.draft import Draft, Wanting
from perdure.core.program import Program
from perdure.core.readiness import has_ready
from perdure.core.state import State, TaskOp
from perdure.core.steps.task import again
from perdure.core.values import NO_VALUES, NeedValues, Values


def outstanding(program: Program, state: State, values: Values = NO_VALUES) -> tuple[Perform, ...] | NeedValues:
    """The commands that were to be performed after the commits that made this state, and may not have been."""
    draft = Draft(program, state, values, state.at)
    commands: list[Perform] = []
    try:
        for number in sorted(state.ops):
            op = state.ops[number]
            if isinstance(op, TaskOp) and _in_flight(op, state):
                commands.append(again(draft, op, op.attempt))
    except Wanting as wanting:
        return NeedValues(wanting.refs)
    commands.extend(FireChain(number) for number, firing in sorted(state.chains.items()) if not firing.failed)
    if has_ready(program, state):
        commands.append(Continue())
    return tuple(commands)


def in_flight(state: State) -> tuple[TaskOp, ...]:
    """The tasks that somebody is, or should be, calling."""
    return tuple(op for _, op in sorted(state.ops.items()) if isinstance(op, TaskOp) and _in_flight(op, state))


def is_calling(state: State) -> bool:
    """Whether any task is in flight."""
    if state.busy:  # most states answer with the first operation
        for op in state.ops.values():
            if isinstance(op, TaskOp) and _in_flight(op, state):
                return True
    return False


def _in_flight(op: TaskOp, state: State) -> bool:
    """Not backing off. After the end, its time is the one it has to settle, and it is still under way."""
    return op.due_at is None or (state.status != "running" and op.undoes is None)
