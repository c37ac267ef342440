"""A workflow: its steps, how they share data, what it does when something goes wrong, and what it starts when it ends."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from perdure.model.secrets import SecretSource
from perdure.model.steps import Amounts, Step
from perdure.model.values import EMPTY, Json, Value

FORMAT = 1
"""The number of this form of the model. A stored model says which it has; old ones stay readable."""

SECRET_INPUT_FORMAT = 2
"""Format of a stored workflow in which a step has `secret_input`. A program that knows only format 1 would ignore the field
and write the plain input into history; it refuses format 2 and leaves the execution to newer workers.
"""

FORMAT_MAX = SECRET_INPUT_FORMAT
"""The newest format that this program reads."""

SCHEMAS = "_schemas"
"""What documents keep `Workflow.schemas` as. Nobody writes it: it is found out when they are saved."""


class Entry(Struct, frozen=True, omit_defaults=True):
    """Where an execution begins: the first entry that fits what started it, else the first.

    It fits if `trigger` is the type of what started it (if given) and `when` holds (if given); one that says neither fits
    nothing. A `when` that cannot be computed does not hold.
    """

    step: str
    trigger: str | None = None
    when: Value | None = None


class Meaning(Struct, frozen=True, omit_defaults=True):
    """What `ref` names, by an id, else by a name, has to be the workflow with this `id`; None: the one that would be started.

    Who goes by which id is not known before the event is there. A text that is neither names whatever fits.
    """

    ref: Value
    id: Value | None = None


class EventStart(Struct, frozen=True, omit_defaults=True):
    """An event that fits starts an execution, with `input` and `correlation` computed from `event`.

    depth  how deep in a chain of starts the event says that it is, if it may: what is no number says nothing
    means  which workflow is named, by the event or to it
    """

    pattern: str
    condition: Value | None = None
    input: Value | None = None
    correlation: Value | None = None
    depth: Value | None = None
    means: Meaning | None = None


class Schedule(Struct, frozen=True, omit_defaults=True):
    """Times at which an execution starts by itself, called slots: those of `cron`, or one after the other, `every_ms` apart.

    id        the step that it stands at; with the slot, it names what it starts
    timezone  where the hours of `cron` are those of the clock on the wall
    start_at  no slot is before it; slots of `every_ms` count from here, else from 1970
    end_at    no slot is after it
    catch_up  what comes of slots that nobody was there for: the last of them starts an execution, none does, or all do
    overlap   whether a slot starts one while that of the slot before it has not ended
    input     of what it starts; None: `{}`
    """

    id: str
    cron: str | None = None
    every_ms: int | None = None
    timezone: str = "UTC"
    start_at: int | None = None
    end_at: int | None = None
    catch_up: Literal["one", "none", "all"] = "one"
    overlap: Literal["allow", "skip"] = "allow"
    input: Json = None


class EventCancel(Struct, frozen=True, omit_defaults=True):
    """An event that fits cancels the execution."""

    pattern: str
    condition: Value | None = None
    reason: str = "cancelled by an event"
    compensate: bool = True


class Compensation(Struct, frozen=True, omit_defaults=True):
    """The step `by` undoes the step `of`. `when` is judged once, while the compensation is planned."""

    of: str
    by: str
    when: Value | None = None


class Chain(Struct, frozen=True, omit_defaults=True):
    """A workflow that is started when this one completes: once, or once for each item of an array.

    If anything in `input` or `items` is undefined, nothing is started; that is a skip, not a failure.
    """

    workflow: str
    input: Value = EMPTY
    items: Value | None = None
    deadline_ms: int | None = None
    retries_max: int = 0


class Workflow(Struct, frozen=True, omit_defaults=True):
    """
    variables       "shared": one set, seen by every step. "flowing": each path carries its own; joins merge them
    initial         an object computed at the start: the first variables
    reserved        names that the first variables never have: what `initial` brings under them is left out, with a warning
    output          computed when the execution completes; None: the output of the step that completed last
    on_failure      what a failing step means to those that run: they end first ("drain") or are dropped ("abandon")
    names_failed    the error of an execution names the step that failed, also where it is one alone: "A: why"
    parallel_max    how many steps may be open at once
    steps_max       how many steps may be entered; one more fails the execution
    deadline_ms     how long it may take; with `deadline_pauses`, not counting waits for people and events
    budget          how much may be spent in all
    depth_max       how deep in a chain of starts it may still start others
    settle_ms       how long a cancelled execution waits for an attempt in flight that has no timeout of its own
    secrets         what it calls secrets by, where that is not their name in the organization
    written         (source of an expression, what its author wrote), where that is not the same: messages tell the latter
    lookup          the places in which `names.<name>` is looked for, one after the other: ("vars",), ("latest", "output")
    schemas         what each step is known to take and give, {step: {input, output}}; it was looked at when it was saved
    input_schema    a JSON Schema that inputs have to fit; None: anything goes. Who starts an execution checks it (`model.inputs`)
    """

    name: str
    steps: tuple[Step, ...] = ()
    entries: tuple[Entry, ...] = ()
    format: int = FORMAT
    variables: Literal["shared", "flowing"] = "shared"
    initial: Value | None = None
    reserved: tuple[str, ...] = ()
    output: Value | None = None
    on_failure: Literal["drain", "abandon"] = "abandon"
    names_failed: bool = False
    parallel_max: int | None = None
    steps_max: int | None = None
    deadline_ms: int | None = None
    deadline_pauses: bool = False
    budget: Amounts = ()
    depth_max: int = 10
    starts: tuple[EventStart, ...] = ()
    cancels: tuple[EventCancel, ...] = ()
    compensations: tuple[Compensation, ...] = ()
    compensate_on_failure: bool = False
    settle_ms: int = 300_000
    chains: tuple[Chain, ...] = ()
    schedules: tuple[Schedule, ...] = ()
    secrets: tuple[SecretSource, ...] = ()
    lookup: tuple[tuple[str, ...], ...] = ()
    written: tuple[tuple[str, str], ...] = ()
    input_schema: Json = None
    schemas: Json = None
