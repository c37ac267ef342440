"""The steps of a workflow: what each does (its work), and where control goes after it (its routes).

Work comes in two sorts. *Immediate* work is decided on the spot: Compute, Condition, SetVariables, Publish, Loop,
Fail. *Open* work takes time and is closed by an event: Task, Timer, EventWait, Approval, Child.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from perdure.model.asking import OnTimeout
from perdure.model.failure import Category
from perdure.model.values import EMPTY, NOTHING, Json, Value


class Retry(Struct, frozen=True, omit_defaults=True):
    """When a failed attempt is tried again. Delay = delay_ms × multiplier^(failures-1), at most delay_max_ms, plus jitter.

    `only` and `never` hold codes and categories. `never` wins; an empty `only` is everything.
    """

    attempts_max: int = 1
    delay_ms: int = 1_000
    multiplier: float = 2.0
    delay_max_ms: int = 300_000
    jitter: float = 0.1
    only: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class Route(Struct, frozen=True, omit_defaults=True):
    """One way on. It is taken when the step answered with `port` (if given) and `when` holds (if given).

    The first route that fits is taken, and only that; `to` may name several steps (they run in parallel) or none
    (the path ends). A `when` that cannot be computed counts as false and leaves a warning.
    """

    to: tuple[str, ...] = ()
    port: str | None = None
    when: Value | None = None


class ForEach(Struct, frozen=True, omit_defaults=True):
    """Repeats a step's open work over an array, `concurrency` items at a time; the output is positional.

    on_error "fail": the first failing item stops the handing out, and the step fails once the items in flight have
    ended ("drain") or at once ("abandon"). on_error "continue": a failing item is null in the output.
    """

    items: Value
    concurrency: int = 1
    items_max: int | None = None
    on_error: Literal["fail", "continue"] = "fail"
    in_flight: Literal["drain", "abandon"] = "drain"


Amounts: TypeAlias = tuple[tuple[str, int], ...]
"""How much of what: (("tokens", 4000), …)."""

Sums: TypeAlias = tuple[tuple[str, int | Value], ...]
"""The same, where how much it is may have to be computed first."""


class Task(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="task"):
    """Calls code outside. `reserve` is set aside from the budgets before the call; `budget` limits this step alone.

    `setup` is what the task gets beside its input, always the same: code, say. History does not repeat it with every call.
    `secret_input`: no fact holds the input. It is computed for each attempt, as of the time when the step was scheduled.
    """

    task: str
    input: Value = EMPTY
    retry: Retry = Retry()
    timeout_ms: int | None = None
    reserve: Sums = ()
    budget: Sums = ()
    setup: Json = None
    secret_input: bool = False


class Compute(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="compute"):
    """Computes its output and nothing else. With no output it is a trigger, a merge or the barrier after a phase."""

    output: Value = NOTHING


class Condition(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="condition"):
    """Answers on port "true" or "false". Null and undefined are false; any other value that is not boolean fails the step."""

    test: Value


class SetVariables(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="set"):
    """Sets variables in order; a later one sees the earlier."""

    values: tuple[tuple[str, Value], ...]


class Publish(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="publish"):
    """Publishes an event, with the commit that completes the step."""

    type: Value
    data: Value = EMPTY


class Loop(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="loop"):
    """Hands out its items batch by batch on port "loop", then answers once on port "done".

    Control comes back when a step of the body routes to the loop. `iterations_max` counts batches and is checked at
    entry. continue_on_error: a failing step of the body ends that tick, and control returns to the loop.
    """

    items: Value
    batch_size: int = 1
    iterations_max: int = 1_000
    continue_on_error: bool = False


class Fail(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="fail"):
    """Fails on purpose: a decision without a match, a port that leads nowhere."""

    message: Value
    code: str = "FAILED"
    category: Category = Category.BUSINESS


class Timer(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="timer"):
    """Waits for a time: `until` (epoch milliseconds) if it is given and defined, else `delay_ms`. The past is no wait."""

    delay_ms: Value | None = None
    until: Value | None = None


class EventWait(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="event"):
    """Waits for an event. `lookback`: one that came after the start of the execution, before the wait, counts too.

    The output is the event's data, unless `output` computes another from `event`.
    """

    pattern: Value
    condition: Value | None = None
    timeout_ms: Value | None = None
    lookback: bool = True
    output: Value | None = None


class Approval(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="approval"):
    """Asks people. Answers on port "approved" or "rejected".

    request      what is to be decided on
    due_at       epoch milliseconds. When it passes: "stay" marks it overdue, "escalate" hands it to `escalate_to`, the
                 others decide
    member, role of whom it is asked: one person, whoever has that role; neither: anybody who may approve
    details      an object that helps them to find what it is about (`model.asking`)
    apart        who started the execution may not decide
    fixed        who decides may not change what is to be decided on
    """

    request: Value
    due_at: Value | None = None
    on_timeout: OnTimeout = "stay"
    escalate_to: Value | None = None
    votes_required: int = 1
    member: Value | None = None
    role: Value | None = None
    details: Value | None = None
    apart: bool = False
    fixed: bool = False


class Child(Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="child"):
    """Starts another workflow. With `wait` the step ends with it and has its output; else its output is the child's id."""

    workflow: Value
    input: Value = EMPTY
    wait: bool = True
    deadline_ms: int | None = None
    retries_max: int = 0


Immediate: TypeAlias = Compute | Condition | SetVariables | Publish | Loop | Fail
Open: TypeAlias = Task | Timer | EventWait | Approval | Child
Work: TypeAlias = Immediate | Open


class Step(Struct, frozen=True, omit_defaults=True):
    """One step: what it does, under which names, and where control goes after it.

    locals       an object of names that only this step's own values can read, as `local`
    port         what the outcome is called if the work gives it no name
    ports        further names of the outcome, computed from `output`, that routes can match
    meta         an object that is kept beside the output, over what the work itself says of it
    assign       an object: variables to set from `output`; unassign: a list of names to drop
    pause_until  after the step completed, control stays until then (epoch milliseconds) before it goes on
    pause_label  what is shown as the thing it waits for
    unrouted     what an outcome that no route fits means: the path ends ("end"), with a warning ("warn"), or a failure
    join         "all": the step runs when no live step can still reach it. "any": as soon as one leads to it
    keep_output  False: what the step assigned is all that is recorded of its output
    warn_undefined  True: what is undefined in the input of a task leaves a warning
    part_of      the step that this one is a part of: people know only that one, and it alone counts for `steps_max`
    """

    id: str
    work: Work
    routes: tuple[Route, ...] = ()
    on_error: tuple[Route, ...] = ()
    each: ForEach | None = None
    locals: Value | None = None
    ports: tuple[Value, ...] = ()
    assign: Value | None = None
    unassign: Value | None = None
    pause_until: Value | None = None
    pause_label: Value | None = None
    unrouted: Literal["end", "warn", "fail"] = "end"
    join: Literal["all", "any"] = "all"
    keep_output: bool = True
    warn_undefined: bool = False
    port: str | None = None
    meta: Value | None = None
    part_of: str | None = None
