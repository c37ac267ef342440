"""The state of an execution: small, frozen, and equal to the fold of its facts.

It holds control only: where the tokens are, what is open, which fact wrote what. Values stay in the facts that recorded
them and are named by number, so that a step costs the same after a million of them. Everything here is bounded by the
size of the workflow, by what is open at the moment and by how many names variables and a task's checkpoints have, never by
what has been.

The fields after `DERIVED` follow from the others. They are kept because looking them up must be cheap, are left out of
snapshots, and are made anew from them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, TypeAlias, get_args

import msgspec
from immutables import Map
from msgspec import Struct
from msgspec.structs import replace

from perdure.model.steps import Amounts

FORMAT = 1
"""The number of this form of the state. A snapshot of another form is not read; its history is folded anew."""


class Written(Struct, frozen=True, gc=False, array_like=True):
    """Which fact last wrote a variable, and at which step (-1: the start, or a fork). `gone`: it was dropped."""

    seq: int
    step: int
    gone: bool = False


Variables: TypeAlias = Map[str, Written]


def has_seen(seen: Map[int, int], written: Written) -> bool:
    """Whether a write lies in the past of a path. The start and a fork lie in the past of every path."""
    return written.step < 0 or seen.get(written.step, 0) >= written.seq


class Token(Struct, frozen=True, gc=False, omit_defaults=True):
    """Control stands before a step that has not been entered.

    came     the steps that led here, in order of arrival
    frame    the innermost loop it is in, 0 for none
    vars     the variables of this path, where they flow; None where all share one set
    seen     where they flow: step → its last completion that lies in the past of this path
    since    the number of the fact that brought it here
    forward  False: only edges that close a cycle led here
    """

    came: tuple[int, ...] = ()
    frame: int = 0
    vars: Variables | None = None
    since: int = 0
    forward: bool = True
    seen: Map[int, int] = Map()


class TaskOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="task"):
    """A task is being called, or will be again at `due_at`. `attempt` counts calls, `failures` those that failed.

    After the execution has ended, `due_at` is how long it settles for this attempt.
    """

    op: int
    step: int
    token: Token | None = None
    scope: int = 0
    item: int = -1
    due_at: int | None = None
    attempt: int = 1
    failures: int = 0
    reserved: Amounts = ()
    spent: Amounts = ()
    checkpoints: Map[str, int] | None = None
    undoes: int | None = None


class ChildOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="child"):
    op: int
    step: int
    token: Token | None
    child: str
    scope: int = 0
    item: int = -1
    due_at: int | None = None


class TimerOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="timer"):
    op: int
    step: int
    token: Token | None
    due_at: int
    since: int
    scope: int = 0
    item: int = -1


class PauseOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="pause"):
    """The step has completed; control waits here and then goes to `next` and `again`."""

    op: int
    step: int
    token: Token
    due_at: int
    since: int
    next: tuple[int, ...] = ()
    again: tuple[int, ...] = ()
    label: str | None = None
    scope: int = 0
    item: int = -1


class EventOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="event"):
    op: int
    step: int
    token: Token | None
    pattern: str
    since: int
    scope: int = 0
    item: int = -1
    due_at: int | None = None


class ApprovalOp(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="approval"):
    op: int
    step: int
    token: Token | None
    since: int
    scope: int = 0
    item: int = -1
    due_at: int | None = None


Busy: TypeAlias = TaskOp | ChildOp
"""What somebody else works on."""

Asking: TypeAlias = EventOp | ApprovalOp
"""What somebody else is waited for to do."""

Op: TypeAlias = Busy | TimerOp | PauseOp | Asking


class EachScope(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="each"):
    """A forEach. Items up to `cursor` have been handed out; `redo` are those to hand out again.

    `failed` is the fact of the item whose failure the step will fail with.
    """

    step: int
    token: Token
    total: int
    cursor: int = 0
    in_flight: int = 0
    failed: int = 0
    redo: tuple[int, ...] = ()
    stopped: bool = False


class LoopScope(Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag="loop"):
    """A loop. `start` is where the batch that is out begins; `parent` is the loop around it."""

    step: int
    total: int
    batch_size: int
    parent: int = 0
    start: int = 0
    ticks: int = 0
    errors: int = 0
    complete: bool = False


Scope: TypeAlias = EachScope | LoopScope


class Deadline(Struct, frozen=True, gc=False, omit_defaults=True):
    """Either running, until `due_at`, or stopped with `left_ms` to go."""

    due_at: int | None = None
    left_ms: int | None = None


class Undoing(Struct, frozen=True, gc=False, omit_defaults=True):
    """Compensation: first the attempts in flight settle, then the plan is carried out step by step.

    `plan` holds pairs (by, step); `failed` places in it, `unknown` steps.
    """

    phase: Literal["settling", "running", "done"] = "settling"
    plan: tuple[tuple[int, int], ...] = ()
    done: int = 0
    failed: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


class Firing(Struct, frozen=True, gc=False, omit_defaults=True):
    """A chain that is being fired, or failed to be. `seq` is the fact that planned it, `unfit` counts the items that could not be
    started, and `unfit_seq` is the fact of the first of them.
    """

    seq: int
    total: int
    cursor: int = 0
    failed: bool = False
    unfit: int = 0
    unfit_seq: int = 0


class State(Struct, frozen=True, gc=False, omit_defaults=True):
    """
    status      running, until it is one of the final three; "waiting" is a way of running (`core.standing`)
    stopped     tasks and pauses given up when the execution failed; a retry takes them up again as the same operations
    last        step → the fact of its last outcome; completed: → of its last completion
    seen        where variables flow: what lies in the past of the paths that have ended
    runs        step → how often it has been entered; entered: how many steps since the start or the last retry
    failing     the facts of the step failures that the execution will fail with, once what runs has ended
    retry_at    when the execution will retry itself; retried: how often it has
    ended       the fact that ended it
    by          who has started it
    """

    execution: str = ""
    seq: int = 0
    at: int = 0
    status: Literal["running", "completed", "failed", "cancelled"] = "running"
    started_at: int = 0
    depth: int = 0
    input_seq: int = 0
    output_seq: int = 0
    last_seq: int = 0
    tokens: Map[int, Token] = Map()
    ops: Map[int, Op] = Map()
    stopped: Map[int, TaskOp | PauseOp] = Map()
    scopes: Map[int, Scope] = Map()
    last: Map[int, int] = Map()
    completed: Map[int, int] = Map()
    runs: Map[int, int] = Map()
    vars: Variables = Map()
    seen: Map[int, int] = Map()
    entered: int = 0
    failing: tuple[int, ...] = ()
    deadline: Deadline | None = None
    retries_left: int = 0
    retried: int = 0
    retry_at: int | None = None
    spent: Map[str, int] = Map()
    reserved: Map[str, int] = Map()
    ended: int = 0
    undoing: Undoing | None = None
    chains: Map[int, Firing] = Map()
    by: str | None = None
    # DERIVED
    forward: int = 0
    """The steps with a token that came forward, as bits."""
    backward: int = 0
    """The steps with a token that came only along edges that close a cycle, as bits."""
    running: int = 0
    """The steps that are open, as bits."""
    busy: int = 0
    """How many tasks and children are open."""
    asking: int = 0
    """How many waits for people and events are open."""
    dues: Map[int, int] = Map()
    """When the open operations that have a time are due."""


BLANK = State()
"""Before the first fact."""


def loops_around(state: State, frame: int) -> Iterator[tuple[int, LoopScope]]:
    """The loop that control is in, the one around that, and so on."""
    while frame:
        scope = state.scopes[frame]
        assert isinstance(scope, LoopScope)
        yield frame, scope
        frame = scope.parent


def is_final(state: State) -> bool:
    return state.status != "running"


def is_live(state: State) -> bool:
    """Whether work is open: a cancelled execution may still compensate, a completed one still fire its chains."""
    return (
        state.status == "running"
        or bool(state.ops)
        or (state.undoing is not None and state.undoing.phase != "done")
        or any(not chain.failed for chain in state.chains.values())
    )


def wake_at(state: State) -> int | None:
    """When the next thing is due that nobody else will bring about."""
    if not state.dues and state.deadline is None and state.retry_at is None:
        return None
    times = list(state.dues.values())
    if state.status == "running":
        if state.deadline is not None and state.deadline.due_at is not None:
            times.append(state.deadline.due_at)
        if state.retry_at is not None:
            times.append(state.retry_at)
    return min(times, default=None)


def to_json(state: State) -> bytes:
    """A snapshot. Equal states are equal bytes."""
    bare = replace(state, forward=0, backward=0, running=0, busy=0, asking=0, dues=Map())
    return _encoder.encode(bare)


def from_json(data: bytes) -> State:
    return with_derived(_decoder.decode(data))


def with_derived(state: State) -> State:
    """Make the derived fields from the others."""
    forward = backward = running = busy = asking = 0
    dues: dict[int, int] = {}
    for step, token in state.tokens.items():
        if token.forward:
            forward |= 1 << step
        else:
            backward |= 1 << step
    for op in state.ops.values():
        running |= 1 << op.step
        busy += isinstance(op, Busy)
        asking += isinstance(op, Asking)
        if op.due_at is not None:
            dues[op.op] = op.due_at
    for scope in state.scopes.values():
        if isinstance(scope, EachScope) and not scope.stopped:
            running |= 1 << scope.step
    return replace(
        state,
        forward=forward,
        backward=backward,
        running=running,
        busy=busy,
        asking=asking,
        dues=Map(dues),
    )


def _map_to_json(value: Any) -> Any:
    assert isinstance(value, Map), type(value)
    return dict(sorted(value.items()))


def _map_from_json(type_: Any, value: Any) -> Any:
    return Map(msgspec.convert(value, _dict_of(*get_args(type_)), dec_hook=_map_from_json, str_keys=True))


def _dict_of(key: Any, item: Any) -> Any:
    return dict[key, item]


_encoder = msgspec.json.Encoder(enc_hook=_map_to_json)
_decoder = msgspec.json.Decoder(State, dec_hook=_map_from_json)
