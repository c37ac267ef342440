"""forEach: one after the other or several at once, and what becomes of an item that fails."""

from __future__ import annotations

from collections.abc import Callable

from lowered.base import Lowered, main, obj, x
from lowered.checks import Check, attempts, backed_off, begun, facts, given, history, number_of
from lowered.outside import answer, failure, repaired_and_retried
from lowered.phases.words import RETRY, Tools, for_each, phases, ran, tool
from perdure.core import facts as f
from perdure.model.steps import Step, Timer
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, Place, TaskAnswer
from perdure.testing.world import World


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


REPAIRED = repaired_and_retried(Fixed({"process-item": answer("repaired"), "use": answer("used")}))
ITEMS_RAN = ran("get-items", "process-item", "use", barriers=3)


def _completes(name: str, seed: str, script: Tools, output: Json, check: Check, **more: Json) -> Lowered:
    """`more`: what the forEach is set to."""
    happenings = more.pop("happenings", ())
    return Lowered(
        name=f"phases-{name}",
        seed=seed,
        workflow=_items(**more),
        script=script,
        happenings=happenings,
        output=output,
        runs=ITEMS_RAN,
        check=check,
    )


def _fails(name: str, seed: str, script: Fixed, check: Check, **more: Json) -> Lowered:
    """`more`: what the forEach is set to, and a part of the error."""
    error = more.pop("error", None)
    return Lowered(
        name=f"phases-{name}",
        seed=seed,
        workflow=_items(**more),
        script=script,
        status="failed",
        error=error,
        runs=ran("get-items", "process-item", barriers=1),
        check=check,
    )


def _handed_out(world: World) -> list[int]:
    """The items whose task was called, in order."""
    return [fact.item for fact in facts(world, f.StepScheduled, "process-item")]


def _one_after_the_other(world: World) -> None:
    ended = facts(world, f.ItemCompleted, "process-item")
    assert _handed_out(world) == [fact.item for fact in ended] == [0, 1, 2]
    assert given(world, "process-item") == [{"data": c, "at": n} for n, c in enumerate("abc")]
    assert begun(world, "process-item")[1:] == [fact.at for fact in ended[:-1]]
    assert in_flight_max(world, "process-item") == 1


FOREACH = _completes(
    "foreach",
    "seed 003 §4 ForEach Loop, semantics §3 forEach: sequential by default",
    _listed(["a", "b", "c"], _shout),
    ["A", "B", "C"],
    _one_after_the_other,
)


def _three_at_a_time(world: World) -> None:
    assert in_flight_max(world, "process-item") == 3
    ended = [fact.item for fact in facts(world, f.ItemCompleted, "process-item")]
    assert ended != sorted(ended), "they must overtake one another, or the order proves nothing"
    assert _handed_out(world) == list(range(7))


FOREACH_CONCURRENT = _completes(
    "foreach-concurrency",
    "semantics §3 forEach: n at a time, output positional [55, 56]",
    _listed(list("abcdefg"), _shout),
    list("ABCDEFG"),
    _three_at_a_time,
    concurrency=3,
)


def _nothing_was_called(world: World) -> None:
    assert facts(world, f.StepScheduled, "process-item") == []
    assert given(world, "use") == [[]]


FOREACH_EMPTY = _completes(
    "foreach-empty",
    "semantics §3 forEach: empty → []",
    _listed([], _shout),
    [],
    _nothing_was_called,
)


def _failed_before_the_first_item(*words: str) -> Check:
    def check(world: World) -> None:
        assert facts(world, f.ForEachOpened) == []
        assert given(world, "process-item") == []
        assert main(world).failed_steps == ("process-item",)
        message = main(world).error["message"]
        assert all(word in message for word in ("process-item", *words)), message

    return check


FOREACH_NOT_AN_ARRAY = tuple(
    _fails(
        f"foreach-over-{name}",
        "semantics §3 forEach: not an array, the step fails",
        _listed(items, _shout) if items is not ... else Fixed({"get-items": answer({})}),
        _failed_before_the_first_item("array"),
    )
    for name, items in (("an-object", {"a": 1}), ("text", "abc"), ("null", None), ("nothing", ...))
)

FOREACH_TOO_MANY = _fails(
    "foreach-over-its-limit",
    "semantics §3 forEach: more than maxIterations fails before the first, naming both numbers; §0 Limits",
    _listed(["a"] * 101, _shout),
    _failed_before_the_first_item("101", "100"),
)


def _two_at_a_time(world: World) -> None:
    assert in_flight_max(world, "process-item") == 2


FOREACH_AT_THE_LIMIT = _completes(
    "foreach-at-its-limit",
    "seed 003 §2 maxIterations",
    _listed(["a", "b", "c", "d"], _shout),
    ["A", "B", "C", "D"],
    _two_at_a_time,
    concurrency=2,
    items_max=4,
)


def _second_fails(place: Place, given: Json) -> TaskAnswer:
    return failure("bad item", 15) if place.item == 1 else answer(given["data"].upper(), 20)


def _the_error_is_kept(world: World) -> None:
    (failed,) = facts(world, f.ItemFailed)
    assert (failed.item, failed.passed, failed.error.message) == (1, True, "bad item")
    assert [fact.item for fact in facts(world, f.ItemCompleted)] == [0, 2]
    assert given(world, "use") == [["A", None, "C"]]


FOREACH_CONTINUE = _completes(
    "foreach-continue",
    "semantics §3 forEach: onError continue leaves a positional null and the error [56]",
    _listed(["a", "b", "c"], _second_fails),
    ["A", None, "C"],
    _the_error_is_kept,
    on_error="continue",
)


def _stopped_at_the_second(world: World) -> None:
    assert _handed_out(world) == [0, 1]
    assert main(world).failed_steps == ("process-item",)


FOREACH_FAIL = _fails(
    "foreach-fails",
    "semantics §3 forEach: onError fails by default [56]",
    _listed(["a", "b", "c"], _second_fails),
    _stopped_at_the_second,
    error="bad item",
)


def _only_the_failed_item_again(world: World) -> None:
    """The others were in flight when it failed; they ended, and stay."""
    assert _handed_out(world) == [0, 1, 2]
    assert given(world, "use") == [["A", "repaired", "C"]]
    attempts("process-item", {0: 1, 1: 2, 2: 1})(world)
    attempts("get-items", 1)(world)


FOREACH_FAIL_CONCURRENT = _fails(
    "foreach-fails-two-at-a-time",
    "semantics §3 forEach: what is in flight ends, nothing more is handed out, the step fails",
    _listed(["a", "b", "c", "d"], _second_fails),
    _stopped_at_the_second,
    error="bad item",
    concurrency=2,
)

FOREACH_RETRIED = _completes(
    "foreach-retried",
    "semantics §3 forEach: each iteration is recorded on its own; §0 Durability: one key for every attempt",
    _listed(["a", "b", "c"], _second_fails),
    "used",
    _only_the_failed_item_again,
    happenings=(REPAIRED,),
    concurrency=3,
)


def _the_failed_one_and_those_after_it(world: World) -> None:
    assert _handed_out(world) == [0, 1, 2]
    assert given(world, "use") == [["A", "repaired", "repaired"]]
    attempts("process-item", {0: 1, 1: 2, 2: 1})(world)
    assert in_flight_max(world, "process-item") == 1


FOREACH_SEQUENTIAL_RETRIED = _completes(
    "foreach-sequential-retried",
    "semantics §3 forEach: only unfinished iterations run, and still one at a time",
    _listed(["a", "b", "c"], _second_fails),
    "used",
    _the_failed_one_and_those_after_it,
    happenings=(REPAIRED,),
)


def _fails_as_often_as_its_number(place: Place, given: Json) -> TaskAnswer:
    return failure("not yet") if place.failures < place.item else answer(given["data"].upper())


def _retried_item_by_item(world: World) -> None:
    backed_off(1_000, 1_000, 2_000)(world)
    scheduled = facts(world, f.StepScheduled, "process-item")
    ops = [seq for seq, fact in enumerate(history(world), start=1) if fact in scheduled]
    assert [fact.op for fact in facts(world, f.StepRetrying)] == [ops[1], ops[2], ops[2]]


FOREACH_RETRY = _completes(
    "foreach-retry-per-item",
    "semantics §3 Retry, seeds-origin [56]: iterations are retried by the step's policy",
    _listed(["a", "b", "c"], _fails_as_often_as_its_number),
    ["A", "B", "C"],
    _retried_item_by_item,
    retry=RETRY,
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

FOR_EACH = (
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
)
