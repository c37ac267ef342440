"""Workflows of the phases dialect (seed 003), lowered by hand.

A phase becomes its steps and a barrier after them. A step without `input` is given what the phase before it came to; the
execution's output is that of the last phase. A transform is a task like a tool: its sandbox stands outside the core.
`@a.output.x` is written as it is lowered: `steps.a.output.x`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from lowered.base import Happening, Lowered, k, main, obj, text, x
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.apply import fold
from perdure.core.program import Program
from perdure.core.standing import standing
from perdure.model import codec
from perdure.model.failure import Failure
from perdure.model.records import ExecutionRecord
from perdure.model.steps import Compute, ForEach, Retry, Route, Step, Task, Timer
from perdure.model.values import Constant, Json, Object, Value
from perdure.model.workflow import Chain, Entry, Workflow
from perdure.testing.script import Fixed, Place, TaskAnswer
from perdure.testing.summary import account
from perdure.testing.world import World

T0 = 1_000_000
"""The time at which a world begins."""

LATER = 600_000
"""How long after the start somebody repairs a tool: by then, everything else has come to rest."""

RETRY = Retry(attempts_max=3, delay_ms=1_000)
"""What `"retry": {}` means (seed 003 §2)."""

PREVIOUS = x("previous")
"""Stands for an absent `input` until `phases` knows what the phase before came to."""


# From a document to the model.


def tool(
    name: str,
    input: Value = PREVIOUS,
    *,
    task: str = "svc/run",
    retry: Retry | None = None,
    each: ForEach | None = None,
) -> Step:
    return Step(name, Task(task, input, retry or Retry()), each=each)


def transform(name: str, input: Value = PREVIOUS) -> Step:
    return tool(name, input, task="transform")


def for_each(items: str, **more: Json) -> ForEach:
    """`maxIterations` is 100 unless given (seed 003 §2)."""
    return ForEach(x(items), **{"items_max": 100, **more})


def phases(name: str, *rows: tuple[Step, ...], chains: tuple[Chain, ...] = ()) -> Workflow:
    before: Value = x("input")
    steps: list[Step] = []
    if len(rows[0]) > 1:
        steps.append(Step("start", Compute(), routes=(Route(_names(rows[0])),)))
    for number, row in enumerate(rows):
        barrier = f"phase {number}"
        steps += [replace(step, work=_given(step, before), routes=(Route((barrier,)),)) for step in row]
        after = rows[number + 1] if number + 1 < len(rows) else ()
        steps.append(Step(barrier, Compute(), routes=(Route(_names(after)),)))
        before = came_to(row)
    return Workflow(name, tuple(steps), (Entry(steps[0].id),), output=before, on_failure="drain", chains=chains)


def came_to(row: tuple[Step, ...]) -> Value:
    """One step: its output. Several: {name: output}."""
    outputs = [x(f'steps["{step.id}"].output') for step in row]
    if len(row) == 1:
        return outputs[0]
    return Object(tuple((Constant(step.id), output) for step, output in zip(row, outputs, strict=True)))


def _given(step: Step, before: Value) -> Task | Timer:
    work = step.work
    assert isinstance(work, Task | Timer)
    return replace(work, input=before) if isinstance(work, Task) and work.input is PREVIOUS else work


def _names(row: tuple[Step, ...]) -> tuple[str, ...]:
    return tuple(step.id for step in row)


def ran(*names: str, barriers: int) -> dict[str, int]:
    """Each of these once, and the barriers after so many phases."""
    return dict.fromkeys((*names, *(f"phase {number}" for number in range(barriers))), 1)


# What the world outside does, and what came of it.


class Tools(Fixed):
    """Tools that look at what they are called for and with."""

    def __init__(self, **calls: Callable[[Place, Json], TaskAnswer]) -> None:
        super().__init__()
        self._calls = calls

    def task(self, place: Place, given: Json) -> TaskAnswer:
        call = self._calls.get(place.step)
        return super().task(place, given) if call is None else call(place, given)


def answer(output: Json, after_ms: int = 10) -> TaskAnswer:
    return TaskAnswer(after_ms, output)


def failure(message: str, after_ms: int = 10, *, retriable: bool = True) -> TaskAnswer:
    return TaskAnswer(after_ms, error=Failure(message, retriable=retriable))


def repaired_and_retried(**tools: TaskAnswer) -> Happening:
    """Somebody repairs the tools and asks for the failed execution to go on."""

    def act(world: World) -> None:
        world.script = Fixed(dict(tools))
        world.retry("main")

    return Happening(LATER, act)


AnyFact = TypeVar("AnyFact")


def history(world: World, execution: str = "main") -> list[f.Fact]:
    return world.store.rows[execution].facts


def number_of(world: World, step: str, execution: str = "main") -> int:
    workflow = codec.decode(world.store.model(world.store.rows[execution].record.digest))
    return [other.id for other in workflow.steps].index(step)


def facts(world: World, kind: type[AnyFact], step: str | None = None, execution: str = "main") -> list[AnyFact]:
    """The facts of one kind, in order; of one step."""
    number = None if step is None else number_of(world, step, execution)
    return [
        fact
        for fact in history(world, execution)
        if isinstance(fact, kind) and (number is None or getattr(fact, "step", None) == number)
    ]


def given(world: World, step: str, execution: str = "main") -> list[Json]:
    """What the calls of a task were given."""
    return [fact.input for fact in facts(world, f.StepScheduled, step, execution)]


def called(world: World, step: str, times: dict[int, int] | int, execution: str = "main") -> None:
    """By item, or without forEach: so many attempts were seen outside, under one idempotency key."""
    number = number_of(world, step, execution)
    seen: dict[int, int] = {}
    for seq, fact in enumerate(history(world, execution), start=1):
        if isinstance(fact, f.StepScheduled) and fact.step == number:
            assert fact.item not in seen, "a second operation is a second key"
            seen[fact.item] = sum(key == f"{execution}:{seq}" for key, _ in world.effects)
    if not world.crashes:  # an attempt that is lost with its worker is made again
        assert seen == ({-1: times} if isinstance(times, int) else times)


def stood(world: World, at: int) -> tuple[str, str | None]:
    """How the execution stood at a time: its status, and what it waited for."""
    program = Program(codec.decode(world.store.model(world.store.rows["main"].record.digest)), world.compile)
    status, waiting = standing(program, fold(fact for fact in history(world) if fact.at <= at))
    return status, None if waiting is None else f"{waiting.kind} {waiting.step}"


def in_flight_max(world: World, step: str) -> int:
    """How many items of a forEach were open at once, at most."""
    number, most, open_ = number_of(world, step), 0, 0
    for fact in history(world):
        if isinstance(fact, f.StepScheduled | f.TimerOpened) and fact.step == number:
            open_ += 1
        elif isinstance(fact, f.ItemCompleted | f.ItemFailed) and fact.step == number:
            open_ -= 1
        most = max(most, open_)
    return most


def started(world: World, workflow: str) -> list[ExecutionRecord]:
    """The executions of a workflow, in the order in which they were made; the one under test is not among them."""
    return [
        row.record for row in world.store.rows.values() if row.record.workflow == workflow and row.record.id != "main"
    ]


def inputs(world: World, workflow: str) -> list[Json]:
    """What the executions of a workflow were started with."""
    firsts = [history(world, record.id)[0] for record in started(world, workflow)]
    return [fact.input for fact in firsts if isinstance(fact, f.ExecutionStarted)]


# Phases.


def _each_was_given_what_the_one_before_came_to(world: World) -> None:
    assert given(world, "fetch") == [{"query": "new"}]
    assert given(world, "process") == [{"rows": [1, 2]}]
    assert given(world, "save") == [{"sum": 3}]


SIMPLE_PIPELINE = Lowered(
    name="phases-simple-pipeline",
    seed="seed 003 §4 Simple Sequential Workflow, semantics §3 Step input",
    workflow=phases(
        "simple-pipeline",
        (tool("fetch", task="api/get-data"),),
        (tool("process", task="processor/run"),),
        (tool("save", task="db/insert"),),
    ),
    input={"query": "new"},
    script=Fixed({"fetch": answer({"rows": [1, 2]}), "process": answer({"sum": 3}), "save": answer({"id": 9})}),
    output={"id": 9},
    runs=ran("fetch", "process", "save", barriers=3),
    check=_each_was_given_what_the_one_before_came_to,
)


def _the_middle_phase_ran_at_once_and_the_last_after_all_of_it(world: World) -> None:
    begun = [facts(world, f.StepScheduled, step)[0].at for step in "BCDE"]
    ended = [facts(world, f.StepCompleted, step)[0].at for step in "BCDE"]
    assert begun == [facts(world, f.StepCompleted, "A")[0].at] * 4
    assert ended == [begun[0] + after for after in (40, 30, 20, 50)]
    assert [fact.at for fact in facts(world, f.StepScheduled, "F")] == [max(ended)]
    assert [given(world, step) for step in "BCDE"] == [[{"data": "raw"}]] * 4
    assert given(world, "F") == [{"fromB": "b", "fromC": "c", "original": "raw"}]


PARALLEL_PIPELINE = Lowered(
    name="phases-parallel-pipeline",
    seed="seed 003 §3 Phase-Based Parallelism, §4 Parallel Processing",
    workflow=phases(
        "parallel-pipeline",
        (tool("A"),),
        tuple(tool(name, obj(data=x("steps.A.output.data"))) for name in "BCDE"),
        (
            tool(
                "F",
                obj(
                    fromB=x("steps.B.output.xpto"),
                    fromC=x("steps.C.output.xpto"),
                    original=x("steps.A.output.data"),
                ),
            ),
        ),
    ),
    script=Fixed(
        {
            "A": answer({"data": "raw"}),
            "B": answer({"xpto": "b"}, 40),
            "C": answer({"xpto": "c"}, 30),
            "D": answer({"xpto": "d"}, 20),
            "E": answer({"xpto": "e"}, 50),
            "F": answer("all"),
        }
    ),
    output="all",
    runs=ran(*"ABCDEF", barriers=3),
    check=_the_middle_phase_ran_at_once_and_the_last_after_all_of_it,
)


def _absent_is_the_phase_before_and_empty_stays_empty(world: World) -> None:
    assert given(world, "left") == given(world, "right") == [{"n": 1}]
    assert given(world, "both") == [{"left": [1], "right": {"r": 2}}]
    assert given(world, "none") == [{}]


SEVERAL_STEPS = Lowered(
    name="phases-input-and-output-of-several-steps",
    seed="semantics §3 Step input, Output [51, 53]",
    workflow=phases("several", (tool("left"), tool("right")), (tool("both"), tool("none", k({})))),
    input={"n": 1},
    script=Fixed({"left": answer([1], 30), "right": answer({"r": 2}), "both": answer("b", 20), "none": answer(None)}),
    output={"both": "b", "none": None},
    runs={"start": 1, **ran("left", "right", "both", "none", barriers=2)},
    check=_absent_is_the_phase_before_and_empty_stays_empty,
)


def _emails(place: Place, given: Json) -> TaskAnswer:
    return answer({"emails": [user["email"] for user in given["users"] if user["active"]]})


TRANSFORM = Lowered(
    name="phases-transform",
    seed="seed 003 §4 Transform Step",
    workflow=phases(
        "emails",
        (tool("fetch", task="api/list-users"),),
        (transform("extract-emails", obj(users=x("steps.fetch.output.users"))),),
        (tool("send-batch", obj(recipients=x('steps["extract-emails"].output.emails')), task="email/send"),),
    ),
    script=Tools(
        **{
            "fetch": lambda _, __: answer(
                {"users": [{"email": "a@x.org", "active": True}, {"email": "b@x.org", "active": False}]}
            ),
            "extract-emails": _emails,
            "send-batch": lambda _, given: answer({"sent": len(given["recipients"]), "to": given["recipients"]}),
        }
    ),
    output={"sent": 1, "to": ["a@x.org"]},
    runs=ran("fetch", "extract-emails", "send-batch", barriers=3),
)


def _text_keeps_what_does_not_resolve(world: World) -> None:
    assert given(world, "send") == [
        {
            "to": "ops@example.com",
            "whole": {"n": 2},
            "greeting": 'Dear Ann, {"n":2} by @fetch.output.nobody, .',
            "first": "x",
        }
    ]


REFS_IN_TEXT = Lowered(
    name="phases-refs-in-text",
    seed="semantics §3 Refs [61, 62]; seeds-origin C.1",
    workflow=phases(
        "refs",
        (tool("fetch"),),
        (
            tool(
                "send",
                obj(
                    to="ops@example.com",
                    whole=x("steps.fetch.output.data"),
                    gone=x("steps.fetch.output.gone"),
                    greeting=text(
                        "Dear ",
                        x("input.name"),
                        ", ",
                        x("steps.fetch.output.data"),
                        " by ",
                        x(
                            "steps.fetch.output.nobody if steps.fetch.output.nobody != undefined else '@fetch.output.nobody'"
                        ),
                        ", ",
                        x(
                            "steps.fetch.output.empty if steps.fetch.output.empty != undefined else '@fetch.output.empty'"
                        ),
                        ".",
                    ),
                    first=x("steps.fetch.output.list[0]"),
                ),
            ),
        ),
    ),
    input={"name": "Ann"},
    script=Fixed({"fetch": answer({"data": {"n": 2}, "empty": None, "list": ["x"]}), "send": answer(True)}),
    output=True,
    check=_text_keeps_what_does_not_resolve,
)


# A phase that fails.


FAILING_PHASE = phases("failing", (tool("A"), tool("B"), tool("C")), (tool("D"),))
# B fails first, and is named second.
FAILING_TOOLS = Fixed({"A": failure("no disk", 30), "B": failure("no net", 10), "C": answer("c", 60)})


def _failed_only_after_the_last_had_ended(world: World) -> None:
    assert main(world).error["message"] == "A: no disk; B: no net"
    assert main(world).failed_steps == ("A", "B")
    assert [fact.at for fact in facts(world, f.ExecutionFailed)] == [facts(world, f.StepCompleted, "C")[0].at]
    assert main(world).outcomes["C"]["output"] == "c"


FAILING_SIBLINGS = Lowered(
    name="phases-failing-siblings",
    seed="semantics §3 Phase failure; seeds-origin C.2",
    workflow=FAILING_PHASE,
    script=FAILING_TOOLS,
    status="failed",
    runs={"start": 1, "A": 1, "B": 1, "C": 1},
    check=_failed_only_after_the_last_had_ended,
)


def _only_the_failed_were_called_again(world: World) -> None:
    assert given(world, "D") == [{"A": "a", "B": "b", "C": "c"}]
    for step, times in {"A": 2, "B": 2, "C": 1, "D": 1}.items():
        called(world, step, times)
    assert len(facts(world, f.StepCompleted, "C")) == 1


RETRIED_PHASE = Lowered(
    name="phases-failing-siblings-retried",
    seed="semantics §3 Phase failure, §0 Status (a retry continues from the failed steps)",
    workflow=FAILING_PHASE,
    script=FAILING_TOOLS,
    happenings=(repaired_and_retried(A=answer("a"), B=answer("b"), C=answer("never"), D=answer("d")),),
    output="d",
    runs={"start": 1, **ran(*"ABCD", barriers=2)},
    check=_only_the_failed_were_called_again,
)


def _every_sibling_came_to_its_end(world: World) -> None:
    outcomes = main(world).outcomes
    assert main(world).error["message"] == "broken"
    assert outcomes["tries"]["output"] == "at last"
    assert outcomes["items"]["output"] == ["a", "b", "c"]
    assert outcomes["sleeps"]["output"] == {"slept": True, "ms": 20_000}
    assert len(facts(world, f.StepAttempted)) == 2
    ended = [facts(world, f.StepCompleted, step)[0].at for step in ("tries", "items", "sleeps")]
    assert [fact.at for fact in facts(world, f.ExecutionFailed)] == [max(ended)]


SIBLINGS_OF_EVERY_KIND = Lowered(
    name="phases-siblings-run-to-their-end",
    seed="semantics §3 Phase failure: retries, items and sleeps of siblings go on after the failure",
    workflow=phases(
        "siblings",
        (
            tool("fails"),
            tool("tries", retry=RETRY),
            tool("items", x("item"), each=for_each("input.items")),
            Step("sleeps", Timer(k(20_000))),
        ),
        (tool("next"),),
    ),
    input={"items": ["a", "b", "c"]},
    script=Fixed(
        {"fails": failure("broken"), "tries": [failure("not yet"), failure("not yet"), answer("at last")]},
    ),
    status="failed",
    runs=dict.fromkeys(("start", "fails", "tries", "items", "sleeps"), 1),
    check=_every_sibling_came_to_its_end,
)


FAILS_ON_THE_SPOT = Lowered(
    name="phases-failure-on-the-spot",
    seed="semantics §3 Phase failure: siblings run to their end, also beside a step that fails before it calls anything",
    workflow=phases("on-the-spot", (tool("items", each=for_each("input.nothing")), tool("sibling")), (tool("next"),)),
    input={},
    script=Fixed({"sibling": answer("done", 100)}),
    status="failed",
    error="'items'",
    runs={"start": 1, "items": 1, "sibling": 1},
)


# Retry.


def _backed_off(world: World, *least: int) -> None:
    """Each delay is `least`, and up to a tenth more."""
    delays = [fact.due_at - fact.at for fact in facts(world, f.StepRetrying)]
    assert len(delays) == len(least)
    assert all(ms <= delay <= ms * 1.1 for ms, delay in zip(least, delays, strict=True)), delays


RETRY_EXHAUSTED = Lowered(
    name="phases-retry-exhausted",
    seed="semantics §3 Retry [57], §0 Retry: three attempts by default, doubling",
    workflow=phases("retries", (tool("flaky", retry=RETRY),), (tool("next"),)),
    script=Fixed({"flaky": [failure("one"), failure("two"), failure("three"), answer("never asked")]}),
    status="failed",
    error="three",
    runs={"flaky": 1},
    check=lambda world: _backed_off(world, 1_000, 2_000),
)

NO_RETRY = Lowered(
    name="phases-no-retry-is-one-attempt",
    seed="semantics §3 Retry [57]: absent, 1",
    workflow=phases("once", (tool("flaky"),)),
    script=Fixed({"flaky": [failure("one"), answer("never asked")]}),
    status="failed",
    error="one",
    runs={"flaky": 1},
    check=_backed_off,
)

NOT_RETRIABLE = Lowered(
    name="phases-error-that-is-not-retried",
    seed="semantics §0 Retry: a task can raise a non-retryable error",
    workflow=phases("refused", (tool("pays", retry=RETRY),)),
    script=Fixed({"pays": [failure("slow"), failure("card refused", retriable=False), answer("never asked")]}),
    status="failed",
    error="card refused",
    runs={"pays": 1},
    check=lambda world: _backed_off(world, 1_000),
)


# forEach.


def _items(**more: Json) -> Workflow:
    """The example of seed 003 §4, with a step after it."""
    return phases(
        "loop",
        (tool("get-items", task="api/list"),),
        (
            tool(
                "process-item",
                obj(data=x("item"), at=x("index")),
                retry=more.pop("retry", None),
                each=for_each('steps["get-items"].output.items', **more),
            ),
        ),
        (tool("use"),),
    )


def _listed(items: Json, call: Callable[[Place, Json], TaskAnswer]) -> Tools:
    return Tools(**{"get-items": lambda _, __: answer({"items": items}), "process-item": call})


def _shout(place: Place, given: Json) -> TaskAnswer:
    """The earlier an item, the longer it takes."""
    return answer(given["data"].upper(), 100 - 10 * place.item)


ITEMS_RAN = ran("get-items", "process-item", "use", barriers=3)


def _one_after_the_other(world: World) -> None:
    begun = facts(world, f.StepScheduled, "process-item")
    ended = facts(world, f.ItemCompleted, "process-item")
    assert [fact.item for fact in begun] == [fact.item for fact in ended] == [0, 1, 2]
    assert [fact.input for fact in begun] == [{"data": c, "at": n} for n, c in enumerate("abc")]
    assert [fact.at for fact in begun[1:]] == [fact.at for fact in ended[:-1]]
    assert in_flight_max(world, "process-item") == 1


FOREACH = Lowered(
    name="phases-foreach",
    seed="seed 003 §4 ForEach Loop, semantics §3 forEach: sequential by default",
    workflow=_items(),
    script=_listed(["a", "b", "c"], _shout),
    output=["A", "B", "C"],
    runs=ITEMS_RAN,
    check=_one_after_the_other,
)


def _three_at_a_time(world: World) -> None:
    assert in_flight_max(world, "process-item") == 3
    ended = [fact.item for fact in facts(world, f.ItemCompleted, "process-item")]
    assert ended != sorted(ended), "they must overtake one another, or the order proves nothing"
    assert [fact.item for fact in facts(world, f.StepScheduled, "process-item")] == list(range(7))


FOREACH_CONCURRENT = Lowered(
    name="phases-foreach-concurrency",
    seed="semantics §3 forEach: n at a time, output positional [55, 56]",
    workflow=_items(concurrency=3),
    script=_listed(list("abcdefg"), _shout),
    output=list("ABCDEFG"),
    runs=ITEMS_RAN,
    check=_three_at_a_time,
)


def _nothing_was_called(world: World) -> None:
    assert facts(world, f.StepScheduled, "process-item") == []
    assert given(world, "use") == [[]]


FOREACH_EMPTY = Lowered(
    name="phases-foreach-empty",
    seed="semantics §3 forEach: empty → []",
    workflow=_items(),
    script=_listed([], _shout),
    output=[],
    runs=ITEMS_RAN,
    check=_nothing_was_called,
)


def _failed_before_the_first_item(*words: str) -> Callable[[World], None]:
    def check(world: World) -> None:
        assert facts(world, f.ForEachOpened) == []
        assert given(world, "process-item") == []
        assert main(world).failed_steps == ("process-item",)
        message = main(world).error["message"]
        assert all(word in message for word in ("process-item", *words)), message

    return check


FOREACH_NOT_AN_ARRAY = tuple(
    Lowered(
        name=f"phases-foreach-over-{name}",
        seed="semantics §3 forEach: not an array, the step fails",
        workflow=_items(),
        script=_listed(items, _shout) if items is not ... else Fixed({"get-items": answer({})}),
        status="failed",
        runs=ran("get-items", "process-item", barriers=1),
        check=_failed_before_the_first_item("array"),
    )
    for name, items in (("an-object", {"a": 1}), ("text", "abc"), ("null", None), ("nothing", ...))
)

FOREACH_TOO_MANY = Lowered(
    name="phases-foreach-over-its-limit",
    seed="semantics §3 forEach: more than maxIterations fails before the first, naming both numbers; §0 Limits",
    workflow=_items(),
    script=_listed(["a"] * 101, _shout),
    status="failed",
    runs=ran("get-items", "process-item", barriers=1),
    check=_failed_before_the_first_item("101", "100"),
)


def _two_at_a_time(world: World) -> None:
    assert in_flight_max(world, "process-item") == 2


FOREACH_AT_THE_LIMIT = Lowered(
    name="phases-foreach-at-its-limit",
    seed="seed 003 §2 maxIterations",
    workflow=_items(concurrency=2, items_max=4),
    script=_listed(["a", "b", "c", "d"], _shout),
    output=["A", "B", "C", "D"],
    runs=ITEMS_RAN,
    check=_two_at_a_time,
)


def _second_fails(place: Place, given: Json) -> TaskAnswer:
    return failure("bad item", 15) if place.item == 1 else answer(given["data"].upper(), 20)


def _the_error_is_kept(world: World) -> None:
    (failed,) = facts(world, f.ItemFailed)
    assert (failed.item, failed.passed, failed.error.message) == (1, True, "bad item")
    assert [fact.item for fact in facts(world, f.ItemCompleted)] == [0, 2]
    assert given(world, "use") == [["A", None, "C"]]


FOREACH_CONTINUE = Lowered(
    name="phases-foreach-continue",
    seed="semantics §3 forEach: onError continue leaves a positional null and the error [56]",
    workflow=_items(on_error="continue"),
    script=_listed(["a", "b", "c"], _second_fails),
    output=["A", None, "C"],
    runs=ITEMS_RAN,
    check=_the_error_is_kept,
)


def _stopped_at_the_second(world: World) -> None:
    assert [fact.item for fact in facts(world, f.StepScheduled, "process-item")] == [0, 1]
    assert main(world).failed_steps == ("process-item",)


FOREACH_FAIL = Lowered(
    name="phases-foreach-fails",
    seed="semantics §3 forEach: onError fails by default [56]",
    workflow=_items(),
    script=_listed(["a", "b", "c"], _second_fails),
    status="failed",
    error="bad item",
    runs=ran("get-items", "process-item", barriers=1),
    check=_stopped_at_the_second,
)


def _only_the_failed_item_again(world: World) -> None:
    """The others were in flight when it failed; they ended, and stay."""
    assert [fact.item for fact in facts(world, f.StepScheduled, "process-item")] == [0, 1, 2]
    assert given(world, "use") == [["A", "repaired", "C"]]
    called(world, "process-item", {0: 1, 1: 2, 2: 1})
    called(world, "get-items", 1)


FOREACH_FAIL_CONCURRENT = Lowered(
    name="phases-foreach-fails-two-at-a-time",
    seed="semantics §3 forEach: what is in flight ends, nothing more is handed out, the step fails",
    workflow=_items(concurrency=2),
    script=_listed(["a", "b", "c", "d"], _second_fails),
    status="failed",
    error="bad item",
    runs=FOREACH_FAIL.runs,
    check=_stopped_at_the_second,
)

FOREACH_RETRIED = Lowered(
    name="phases-foreach-retried",
    seed="semantics §3 forEach: each iteration is recorded on its own; §0 Durability: one key for every attempt",
    workflow=_items(concurrency=3),
    script=_listed(["a", "b", "c"], _second_fails),
    happenings=(repaired_and_retried(**{"process-item": answer("repaired"), "use": answer("used")}),),
    output="used",
    runs=ITEMS_RAN,
    check=_only_the_failed_item_again,
)


def _the_failed_one_and_those_after_it(world: World) -> None:
    assert [fact.item for fact in facts(world, f.StepScheduled, "process-item")] == [0, 1, 2]
    assert given(world, "use") == [["A", "repaired", "repaired"]]
    called(world, "process-item", {0: 1, 1: 2, 2: 1})
    assert in_flight_max(world, "process-item") == 1


FOREACH_SEQUENTIAL_RETRIED = Lowered(
    name="phases-foreach-sequential-retried",
    seed="semantics §3 forEach: only unfinished iterations run, and still one at a time",
    workflow=_items(),
    script=_listed(["a", "b", "c"], _second_fails),
    happenings=(repaired_and_retried(**{"process-item": answer("repaired"), "use": answer("used")}),),
    output="used",
    runs=ITEMS_RAN,
    check=_the_failed_one_and_those_after_it,
)


def _fails_as_often_as_its_number(place: Place, given: Json) -> TaskAnswer:
    return failure("not yet") if place.failures < place.item else answer(given["data"].upper())


def _retried_item_by_item(world: World) -> None:
    _backed_off(world, 1_000, 1_000, 2_000)
    scheduled = facts(world, f.StepScheduled, "process-item")
    ops = [seq for seq, fact in enumerate(history(world), start=1) if fact in scheduled]
    assert [fact.op for fact in facts(world, f.StepRetrying)] == [ops[1], ops[2], ops[2]]


FOREACH_RETRY = Lowered(
    name="phases-foreach-retry-per-item",
    seed="semantics §3 Retry, seeds-origin [56]: iterations are retried by the step's policy",
    workflow=_items(retry=RETRY),
    script=_listed(["a", "b", "c"], _fails_as_often_as_its_number),
    output=["A", "B", "C"],
    runs=ITEMS_RAN,
    check=_retried_item_by_item,
)


def _two_naps_at_a_time(world: World) -> None:
    assert in_flight_max(world, "nap") == 2
    if not world.crashes:  # a start that comes late finds its first naps over
        assert [fact.item for fact in facts(world, f.ItemCompleted)] == [1, 2, 0]


FOREACH_SLEEP = Lowered(
    name="phases-foreach-of-sleeps",
    seed="seed 003 §2: forEach stands beside sleep as well as beside tool",
    workflow=phases(
        "naps",
        (Step("nap", Timer(x("item")), each=for_each("input", concurrency=2)),),
    ),
    input=[3_000, 1_000, 1_000],
    output=[{"slept": True, "ms": 3_000}, {"slept": True, "ms": 1_000}, {"slept": True, "ms": 1_000}],
    runs=ran("nap", barriers=1),
    check=_two_naps_at_a_time,
)


# Sleep.


def _sleep(**timer: Value) -> Workflow:
    return phases(
        "job",
        (tool("start-job", task="api/start"),),
        (Step("wait", Timer(**timer)),),
        (tool("check-status", task="api/status"),),
    )


SLEEP_RAN = ran("start-job", "wait", "check-status", barriers=3)


def _slept(ms: int) -> Callable[[World], None]:
    def check(world: World) -> None:
        (opened,) = facts(world, f.TimerOpened)
        assert facts(world, f.StepScheduled, "check-status")[0].at == opened.due_at == opened.at + ms
        assert given(world, "check-status") == [{"slept": True, "ms": ms}]
        assert stood(world, opened.at + ms // 2) == ("waiting", "timer wait")

    return check


SLEEP_MS = Lowered(
    name="phases-sleep-ms",
    seed="seed 003 §4 Sleep/Wait, semantics §3 sleep [67]",
    workflow=_sleep(delay_ms=k(3_600_000)),
    output={"slept": True, "ms": 3_600_000},
    runs=SLEEP_RAN,
    check=_slept(3_600_000),
)


def _awake_at_the_instant(world: World) -> None:
    (opened,) = facts(world, f.TimerOpened)
    assert opened.due_at == T0 + 7_200_000
    _slept(opened.due_at - opened.at)(world)


SLEEP_UNTIL = Lowered(
    name="phases-sleep-until-beats-ms",
    seed="semantics §3 sleep: until beats ms, and may be a ref [67]",
    workflow=_sleep(delay_ms=k(5_000), until=x('steps["start-job"].output.readyAt')),
    script=Fixed({"start-job": answer({"readyAt": T0 + 7_200_000})}),
    runs=SLEEP_RAN,
    check=_awake_at_the_instant,
)


def _did_not_sleep(world: World) -> None:
    assert facts(world, f.TimerOpened) == []
    assert facts(world, f.StepScheduled, "check-status")[0].at == facts(world, f.StepCompleted, "start-job")[0].at


SLEEP_PAST = Lowered(
    name="phases-sleep-until-the-past",
    seed="semantics §3 sleep: past = no wait, whatever ms says [67]",
    workflow=_sleep(delay_ms=k(5_000), until=x("input.until")),
    input={"until": T0 - 1},
    output={"slept": True, "ms": 0},
    runs=SLEEP_RAN,
    check=_did_not_sleep,
)


# Triggers.


def child(name: str) -> Workflow:
    return phases(name, (tool(f"{name} works"),))


def _fired(world: World, workflow: str, *expected: Json) -> None:
    """These and no other executions of the workflow were started by the one under test, and completed."""
    assert inputs(world, workflow) == list(expected)
    for record in started(world, workflow):
        assert (record.parent, record.depth, record.trigger) == ("main", main_depth(world) + 1, "chain")
        assert record.status == "completed"


def main_depth(world: World) -> int:
    return world.store.rows["main"].record.depth


def _linked(world: World) -> None:
    _fired(world, "next", {"id": 7, "name": "Ann", "all": {"n": 7}, "note": "of Ann"})
    (record,) = started(world, "next")
    assert record.correlation_id == "order-7"


TRIGGER = Lowered(
    name="phases-trigger",
    seed="seed 003 §2 Trigger Schema; semantics §3 Triggers [59], §0 Chains and depth",
    workflow=phases(
        "source",
        (tool("load"),),
        (transform("shape", obj(n=x("steps.load.output.id"))),),
        chains=(
            Chain(
                "next",
                obj(
                    id=x("steps.load.output.id"),
                    name=x("input.name"),
                    all=x("output"),
                    note=text("of ", x("input.name")),
                ),
            ),
        ),
    ),
    input={"name": "Ann"},
    others=(child("next"),),
    script=Fixed({"load": answer({"id": 7})}),
    start={"depth": 2, "correlation_id": "order-7"},
    output={"n": 7},
    check=_linked,
)

ORDER_PROCESSOR = phases(
    "order-processor",
    (tool("process-order", task="orders/process"),),
    (transform("decide-next", obj(success=x('steps["process-order"].output.success'))),),
    chains=(
        Chain(
            "send-confirmation",
            obj(orderDetails=x("output.confirmation.order"), email=x("output.confirmation.email")),
        ),
        Chain(
            "handle-failure",
            obj(deep=obj(errorMessage=x("output.failure.error")), orderId=x("output.failure.orderId")),
            deadline_ms=60_000,
            retries_max=5,
        ),
        Chain("mail", obj(subject=text("order ", x("output.confirmation.number")))),
    ),
)


def _order(output: Json) -> Tools:
    return Tools(
        **{"process-order": lambda _, __: answer({"success": True}), "decide-next": lambda _, __: answer(output)}
    )


def _confirmed(world: World) -> None:
    """A ref that is null has resolved; one that is missing, deep or in text, has not."""
    _fired(world, "send-confirmation", {"orderDetails": {"id": 1}, "email": None})
    assert started(world, "handle-failure") == started(world, "mail") == []
    assert main(world).chains == {"0": "planned 1", "1": "skipped", "2": "skipped"}
    reasons = {fact.number: fact.reason for fact in facts(world, f.ChainSkipped)}
    assert "output.failure.error" in reasons[1]
    assert "output.confirmation.number" in reasons[2]


TRIGGER_TAKEN = Lowered(
    name="phases-trigger-skipped-by-undefined-refs",
    seed="seed 003 §4 Conditional Triggers, semantics §3 Triggers: undefined skips (deep, in text), null resolves [59]",
    workflow=ORDER_PROCESSOR,
    others=(child("send-confirmation"), child("handle-failure"), child("mail")),
    script=_order({"confirmation": {"order": {"id": 1}, "email": None}}),
    check=_confirmed,
)


def _handled(world: World) -> None:
    _fired(world, "handle-failure", {"deep": {"errorMessage": "no stock"}, "orderId": 1})
    assert started(world, "send-confirmation") == []
    first = history(world, started(world, "handle-failure")[0].id)[0]
    assert isinstance(first, f.ExecutionStarted)
    assert (first.deadline_ms, first.retries_max) == (60_000, 5)


TRIGGER_OTHER = Lowered(
    name="phases-trigger-other-side",
    seed="seed 003 §4 Conditional Triggers: the output decides which fires",
    workflow=ORDER_PROCESSOR,
    others=TRIGGER_TAKEN.others,
    script=_order({"failure": {"error": "no stock", "orderId": 1}}),
    check=_handled,
)


def dispatcher(*chains: Chain) -> Workflow:
    return phases("batch-dispatcher", (transform("prepare"),), chains=chains)


PER_ITEM = obj(item=x("item.id"), index=x("index"), batchId=x("output.batchId"))


def _one_for_each_that_resolves(world: World) -> None:
    """The second item has no id; it alone is skipped."""
    _fired(
        world,
        "process-single-item",
        {"item": "a", "index": 0, "batchId": "b1"},
        {"item": None, "index": 2, "batchId": "b1"},
    )
    assert main(world).chains == {"0": "planned 3", "1": "skipped"}
    (advanced,) = facts(world, f.ChainAdvanced)
    assert advanced.skipped == (1,)
    assert started(world, "other") == []


FAN_OUT = Lowered(
    name="phases-trigger-fan-out",
    seed="seed 003 §4 Execution Chaining, semantics §3 Triggers: @item per item, other refs once",
    workflow=dispatcher(
        Chain("process-single-item", PER_ITEM, items=x("output.items")),
        Chain("other", obj(item=x("item"), missing=x("output.nothing")), items=x("output.items")),
    ),
    input={"items": [{"id": "a"}, {"name": "no id"}, {"id": None}], "batchId": "b1"},
    others=(child("process-single-item"), child("other")),
    check=_one_for_each_that_resolves,
)


def _all_of_them_once(world: World) -> None:
    _fired(world, "process-single-item", *({"item": n, "index": n, "batchId": "b2"} for n in range(250)))
    assert facts(world, f.ChainAdvanced)[-1].cursor == 250


FAN_OUT_250 = Lowered(
    name="phases-trigger-fan-out-250",
    seed="semantics §3 Triggers: fan-out is not cut off [58, 60]",
    workflow=dispatcher(Chain("process-single-item", PER_ITEM, items=x("output.items"))),
    input={"items": [{"id": n} for n in range(250)], "batchId": "b2"},
    others=(Workflow("process-single-item"),),  # `steps: []`: so many executions are enough to wait for
    check=_all_of_them_once,
)


def _nothing_to_fan_out_over(world: World) -> None:
    assert main(world).chains == {"0": "planned 0", "1": "skipped", "2": "failed", "3": "failed"}
    assert list(world.store.rows) == ["main"]
    assert [fact.number for fact in facts(world, f.ChainFailed)] == [2, 3]
    assert all("array" in fact.error.message for fact in facts(world, f.ChainFailed))
    assert not world.store.rows["main"].record.live


FAN_OUT_OVER_NOTHING = Lowered(
    name="phases-trigger-fan-out-over-nothing",
    seed="semantics §3 Triggers: empty is triggered with [], undefined skips, anything else is failed",
    workflow=dispatcher(
        *(
            Chain("process-single-item", obj(item=x("item")), items=x(f"output.{name}"))
            for name in ("no", "x", "o", "n")
        )
    ),
    input={"no": [], "o": {"a": 1}, "n": None},
    others=(child("process-single-item"),),
    output={"no": [], "o": {"a": 1}, "n": None},
    check=_nothing_to_fan_out_over,
)


def _one_failed_and_the_other_fired(world: World) -> None:
    assert main(world).chains == {"0": "failed", "1": "planned 1"}
    (failed,) = facts(world, f.ChainFailed)
    assert "nobody-knows" in failed.error.message
    _fired(world, "next", {"n": 1})


UNKNOWN_WORKFLOW = Lowered(
    name="phases-trigger-unknown-workflow",
    seed="semantics §3 Triggers: unknown workflow fails the trigger, seed 003 §8: not the execution",
    workflow=dispatcher(Chain("nobody-knows", obj(n=x("output.n"))), Chain("next", obj(n=x("output.n")))),
    input={"n": 1},
    others=(child("next"),),
    output={"n": 1},
    check=_one_failed_and_the_other_fired,
)


def _save_and_fire_again(world: World) -> None:
    world.store.save(child("late"))
    world.deliver("main", e.ChainRequested(world.now, 0), "fire again", force=True)


def _fired_after_all(world: World) -> None:
    assert len(facts(world, f.ChainFailed)) == 1
    assert main(world).chains == {"0": "planned 3"}
    _fired(world, "late", *({"item": n} for n in range(3)))
    assert not world.store.rows["main"].record.live


FIRED_AGAIN = Lowered(
    name="phases-trigger-fired-again",
    seed="semantics §3 Triggers: a failed trigger can be fired again",
    workflow=dispatcher(Chain("late", obj(item=x("item")), items=x("output.items"))),
    input={"items": list(range(3))},
    happenings=(Happening(LATER, _save_and_fire_again),),
    check=_fired_after_all,
)


def _skipped_at_the_limit(world: World) -> None:
    (skipped,) = facts(world, f.ChainSkipped)
    assert "10" in skipped.reason
    assert "depth" in skipped.reason
    assert list(world.store.rows) == ["main"]


DEPTH_LIMIT = Lowered(
    name="phases-trigger-depth-limit",
    seed="seed 003 §8 Circular Triggers, semantics §0 Chains and depth: skipped, recorded, not failed [69]",
    workflow=dispatcher(Chain("next", obj(n=x("output.n")))),
    input={"n": 1},
    others=(child("next"),),
    start={"depth": 10},
    output={"n": 1},
    check=_skipped_at_the_limit,
)


def _down_to_the_limit(world: World) -> None:
    depths = [row.record.depth for row in world.store.rows.values()]
    assert depths == list(range(11))
    assert inputs(world, "circle") == [{"round": n} for n in range(1, 11)]
    skips = {row.record.depth: facts(world, f.ChainSkipped, execution=name) for name, row in world.store.rows.items()}
    assert {depth: len(skipped) for depth, skipped in skips.items() if skipped} == {10: 1}


CIRCLE = Lowered(
    name="phases-trigger-of-itself",
    seed="seed 003 §8 Circular Triggers, semantics §0: it may chain to itself explicitly, up to the limit",
    workflow=phases("circle", (transform("turn"),), chains=(Chain("circle", obj(round=x("output.round + 1"))),)),
    input={"round": 0},
    check=_down_to_the_limit,
)

TWO_FINAL = (transform("left"), transform("right"))


def _looked_up_in_the_final_steps(world: World) -> None:
    _fired(world, "next", {"step": {"both": "l", "only": 1}, "only": 1, "both": "r"})
    assert started(world, "none") == []


TRIGGER_OF_SEVERAL = Lowered(
    name="phases-trigger-output-of-several",
    seed="semantics §3 Output: @output.x tries the step name, then each final step's own key, the last first [53]",
    workflow=phases(
        "two-ends",
        TWO_FINAL,
        chains=(
            Chain(
                "next",
                obj(
                    step=x("steps.left.output"),
                    only=x("steps.right.output.only if 'only' in steps.right.output else steps.left.output.only"),
                    both=x("steps.right.output.both if 'both' in steps.right.output else steps.left.output.both"),
                ),
            ),
            Chain("none", obj(x=x("steps.right.output.x if 'x' in steps.right.output else steps.left.output.x"))),
        ),
    ),
    others=(child("next"), child("none")),
    script=Fixed({"left": answer({"both": "l", "only": 1}, 50), "right": answer({"both": "r"})}),
    output={"left": {"both": "l", "only": 1}, "right": {"both": "r"}},
    check=_looked_up_in_the_final_steps,
)


def _alone(world: World) -> None:
    assert list(world.store.rows) == ["main"]
    assert main(world).chains == {}


def _fired_only_once_it_completed(world: World) -> None:
    _fired(world, "next", {"n": "repaired"})
    kinds = [type(fact) for fact in history(world)]
    assert kinds.index(f.ExecutionFailed) < kinds.index(f.ExecutionCompleted) < kinds.index(f.ChainPlanned)
    assert kinds.count(f.ChainPlanned) == 1


AFTER_FAILURE = Lowered(
    name="phases-trigger-after-failure",
    seed="seed 003 §2: triggers fire when the execution completes successfully, and not before",
    workflow=phases("breaks", (tool("work"),), chains=(Chain("next", obj(n=x("output"))),)),
    others=(child("next"),),
    script=Fixed({"work": failure("broken")}),
    happenings=(repaired_and_retried(work=answer("repaired")),),
    output="repaired",
    check=_fired_only_once_it_completed,
)


CANCELLED = Lowered(
    name="phases-cancelled-fires-nothing",
    seed="seed 003 §2: triggers fire when the execution completes successfully; semantics §0 Status",
    workflow=phases("sleeper", (Step("nap", Timer(k(7_200_000))),), chains=(Chain("next"),)),
    others=(child("next"),),
    happenings=(Happening(3_600_000, lambda world: world.cancel("main")),),
    status="cancelled",
    runs={"nap": 1},
    check=_alone,
)


# How a triggered execution is run.


RETRYING = phases("worker", (tool("first"),), (tool("second"), tool("third")))


def _back_in_service(world: World) -> None:
    world.script = Fixed({"second": answer("2")})


def _retried_by_itself(world: World) -> None:
    (record,) = started(world, "worker")
    assert (record.status, record.output) == ("completed", {"second": "2", "third": {"n": 1}})
    assert account(world, record.id).runs == ran("first", "second", "third", barriers=2)
    assert facts(world, f.ExecutionFailed, execution=record.id) == []
    for step, times in {"first": 1, "second": 3, "third": 1}.items():
        called(world, step, times, record.id)
    delays = [fact.retry_at - fact.at for fact in facts(world, f.ExecutionRetrying, execution=record.id)]
    if not world.crashes:
        assert delays == [5_000, 10_000]


MAX_RETRIES = Lowered(
    name="phases-trigger-max-retries",
    seed="seed 003 §2 max_retries, semantics §3: retries of the child from its checkpoints [58]",
    workflow=dispatcher(Chain("worker", obj(n=x("output.n")), retries_max=2)),
    input={"n": 1},
    others=(RETRYING,),
    script=Fixed({"second": failure("down")}),
    # It fails at once, tries again 5 s later, and 10 s after that (seeds-origin C.2).
    happenings=(Happening(12_000, _back_in_service),),
    check=_retried_by_itself,
)


def _gave_up_after_its_retries(world: World) -> None:
    (record,) = started(world, "worker")
    assert record.status == "failed"
    assert record.error is not None
    assert record.error.message == "down"
    assert len(facts(world, f.ExecutionRetried, execution=record.id)) == 2
    called(world, "second", 3, record.id)


MAX_RETRIES_EXHAUSTED = Lowered(
    name="phases-trigger-max-retries-exhausted",
    seed="seed 003 §2 max_retries: n retries are n + 1 attempts (semantics §0 Retry); the parent stays completed",
    workflow=MAX_RETRIES.workflow,
    input={"n": 1},
    others=(RETRYING,),
    script=Fixed({"second": failure("down")}),
    output={"n": 1},
    check=_gave_up_after_its_retries,
)


def _timed_out(world: World) -> None:
    (record,) = started(world, "worker")
    assert record.status == "failed"
    assert record.error is not None
    assert record.error.code == "TIMEOUT"
    (failed,) = facts(world, f.ExecutionFailed, execution=record.id)
    assert failed.at == record.started_at + 60_000


def _timeout(retries_max: int) -> dict[str, Json]:
    return {
        "workflow": dispatcher(Chain("worker", obj(n=x("output.n")), deadline_ms=60_000, retries_max=retries_max)),
        "input": {"n": 1},
        "others": (RETRYING,),
        "script": Fixed({"second": TaskAnswer(silent=True)}),
        "output": {"n": 1},
        "check": _timed_out,
    }


TIMEOUT = Lowered(
    name="phases-trigger-workflow-timeout",
    seed="seed 003 §2 workflow_timeout_ms, semantics §3: its deadline [58]; §0 Timeouts",
    **_timeout(0),
)

TIMEOUT_ENDS_RETRIES = Lowered(
    name="phases-trigger-workflow-timeout-ends-retries",
    seed="seed 003 §4 handle-failure (max_retries 5 and workflow_timeout_ms 60000), semantics §0 Timeouts",
    **_timeout(5),
)


def _warned_of_the_ref(world: World) -> None:
    assert given(world, "send") == [{"to": "ann"}]
    assert ["steps.fetch.output.gone" in fact.message for fact in facts(world, f.Warned, "send")] == [True]


UNRESOLVED = Lowered(
    name="phases-unresolved-ref-warns",
    seed="semantics §3 Refs: a whole-string unresolved ref is undefined, with a warning",
    workflow=phases(
        "unresolved",
        (tool("fetch"),),
        (
            replace(
                tool("send", obj(to=x("steps.fetch.output.to"), cc=x("steps.fetch.output.gone"))), warn_undefined=True
            ),
        ),
    ),
    script=Fixed({"fetch": answer({"to": "ann"})}),
    output={"to": "ann"},
    check=_warned_of_the_ref,
)

WORKFLOWS: tuple[Lowered, ...] = (
    SIMPLE_PIPELINE,
    PARALLEL_PIPELINE,
    SEVERAL_STEPS,
    TRANSFORM,
    REFS_IN_TEXT,
    FAILING_SIBLINGS,
    RETRIED_PHASE,
    SIBLINGS_OF_EVERY_KIND,
    RETRY_EXHAUSTED,
    NO_RETRY,
    NOT_RETRIABLE,
    FOREACH,
    FOREACH_CONCURRENT,
    FOREACH_EMPTY,
    *FOREACH_NOT_AN_ARRAY,
    FOREACH_TOO_MANY,
    FOREACH_AT_THE_LIMIT,
    FOREACH_CONTINUE,
    FOREACH_FAIL,
    FOREACH_FAIL_CONCURRENT,
    FOREACH_RETRIED,
    FOREACH_SEQUENTIAL_RETRIED,
    FOREACH_RETRY,
    FOREACH_SLEEP,
    SLEEP_MS,
    SLEEP_UNTIL,
    SLEEP_PAST,
    TRIGGER,
    TRIGGER_TAKEN,
    TRIGGER_OTHER,
    FAN_OUT,
    FAN_OUT_250,
    FAN_OUT_OVER_NOTHING,
    UNKNOWN_WORKFLOW,
    FIRED_AGAIN,
    DEPTH_LIMIT,
    CIRCLE,
    TRIGGER_OF_SEVERAL,
    AFTER_FAILURE,
    CANCELLED,
    MAX_RETRIES,
    MAX_RETRIES_EXHAUSTED,
    TIMEOUT,
    TIMEOUT_ENDS_RETRIES,
    FAILS_ON_THE_SPOT,
    UNRESOLVED,
)
