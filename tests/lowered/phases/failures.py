"""A phase that fails; retry."""

from __future__ import annotations

from msgspec.structs import replace

from lowered.base import Lowered, k, main, obj, x
from lowered.checks import attempts, backed_off, ended, facts, given, moments
from lowered.outside import answer, failure, repaired_and_retried
from lowered.phases.words import RETRY, for_each, phases, ran, tool
from perdure.core import facts as f
from perdure.model.steps import Step, Timer
from perdure.testing.script import Fixed
from perdure.testing.world import World

FAILING_PHASE = phases("failing", (tool("A"), tool("B"), tool("C")), (tool("D"),))
# B fails first, and is named second.
FAILING_TOOLS = Fixed({"A": failure("no disk", 30), "B": failure("no net", 10), "C": answer("c", 60)})


def _failed_only_after_the_last_had_ended(world: World) -> None:
    assert main(world).error["message"] == "A: no disk; B: no net"
    assert main(world).failed_steps == ("A", "B")
    assert moments(world, f.ExecutionFailed) == ended(world, "C")
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
        attempts(step, times)(world)
    assert len(facts(world, f.StepCompleted, "C")) == 1


RETRIED_PHASE = Lowered(
    name="phases-failing-siblings-retried",
    seed="semantics §3 Phase failure, §0 Status (a retry continues from the failed steps)",
    workflow=FAILING_PHASE,
    script=FAILING_TOOLS,
    happenings=(
        repaired_and_retried(Fixed({"A": answer("a"), "B": answer("b"), "C": answer("never"), "D": answer("d")})),
    ),
    output="d",
    runs={"start": 1, **ran(*"ABCD", barriers=2)},
    check=_only_the_failed_were_called_again,
)


def _what_was_passed_over_is_not_called_again(world: World) -> None:
    assert given(world, "D") == [{"A": None, "B": "b"}]
    for step, times in {"A": 1, "B": 2, "D": 1}.items():
        attempts(step, times)(world)


_CONTINUING = phases(
    "continuing",
    (tool("A"), tool("B")),
    (tool("D", input=obj(A=x('(steps["A"].output ?? null)'), B=x('steps["B"].output'))),),
)
CONTINUED_AND_RETRIED = Lowered(
    name="phases-continue-without-foreach",
    seed="semantics §3 forEach: onError continue on a step without forEach leaves the output null and the error",
    workflow=replace(
        _CONTINUING,
        steps=tuple(replace(step, on_error=step.routes) if step.id == "A" else step for step in _CONTINUING.steps),
    ),
    script=Fixed({"A": failure("no disk", 30), "B": failure("no net", 10)}),
    happenings=(repaired_and_retried(Fixed({"A": answer("never"), "B": answer("b"), "D": answer("d")})),),
    output="d",
    runs={"start": 1, **ran(*"ABD", barriers=2)},
    check=_what_was_passed_over_is_not_called_again,
)


def _every_sibling_came_to_its_end(world: World) -> None:
    outcomes = main(world).outcomes
    assert main(world).error["message"] == "fails: broken"
    assert outcomes["tries"]["output"] == "at last"
    assert outcomes["items"]["output"] == ["a", "b", "c"]
    assert outcomes["sleeps"]["output"] == {"slept": True, "ms": 20_000}
    assert len(facts(world, f.StepAttempted)) == 2
    assert moments(world, f.ExecutionFailed) == [max(ended(world, step)[0] for step in ("tries", "items", "sleeps"))]


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

RETRY_EXHAUSTED = Lowered(
    name="phases-retry-exhausted",
    seed="semantics §3 Retry [57], §0 Retry: three attempts by default, doubling",
    workflow=phases("retries", (tool("flaky", retry=RETRY),), (tool("next"),)),
    script=Fixed({"flaky": [failure("one"), failure("two"), failure("three"), answer("never asked")]}),
    status="failed",
    error="three",
    runs={"flaky": 1},
    check=backed_off(1_000, 2_000),
)

NO_RETRY = Lowered(
    name="phases-no-retry-is-one-attempt",
    seed="semantics §3 Retry [57]: absent, 1",
    workflow=phases("once", (tool("flaky"),)),
    script=Fixed({"flaky": [failure("one"), answer("never asked")]}),
    status="failed",
    error="one",
    runs={"flaky": 1},
    check=backed_off(),
)

NOT_RETRIABLE = Lowered(
    name="phases-error-that-is-not-retried",
    seed="semantics §0 Retry: a task can raise a non-retryable error",
    workflow=phases("refused", (tool("pays", retry=RETRY),)),
    script=Fixed({"pays": [failure("slow"), failure("card refused", retriable=False), answer("never asked")]}),
    status="failed",
    error="card refused",
    runs={"pays": 1},
    check=backed_off(1_000),
)

FAILURES = (
    CONTINUED_AND_RETRIED,
    FAILING_SIBLINGS,
    RETRIED_PHASE,
    SIBLINGS_OF_EVERY_KIND,
    FAILS_ON_THE_SPOT,
    RETRY_EXHAUSTED,
    NO_RETRY,
    NOT_RETRIABLE,
)
