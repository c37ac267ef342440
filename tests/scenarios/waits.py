"""Waiting: for a time, for an event."""

from __future__ import annotations

from perdure.model.steps import Child, Compute, EventWait, Timer
from scenarios.scenario import Act, Answers, End, Publish, Returns, Scenario, Seen
from scenarios.words import SOON, flow, k, obj, on_error, step, task, to, x


def come(type_: str, data: object = None, *, id_: str = "first", nth: int = 1, step_: str = "wait") -> Act:
    """An event, once somebody waits for it."""
    return Act(Seen("wait.opened", step_, nth=nth), Publish(type_, id_, data))


SCENARIOS = (
    Scenario(
        "a timer",
        (flow(step("wait", Timer(k(12)), to("end")), step("end", Compute(x("steps.wait.output")))),),
        ends={"main": End(output={"slept": True, "ms": 12})},
        restate=True,
    ),
    Scenario(
        "a timer until an instant that has passed",
        (flow(step("wait", Timer(delay_ms=k(60_000), until=k("2001-01-01T00:00:00Z")))),),
        ends={"main": End(output={"slept": True, "ms": 0})},
    ),
    Scenario(
        "a timer until an instant that is computed",
        (flow(step("wait", Timer(until=x("now + 7")))),),
        ends={"main": End(output={"slept": True, "ms": 7})},
    ),
    Scenario(
        "a timer without a time fails",
        (flow(step("wait", Timer(delay_ms=x("input.delay")))),),
        {},
        ends={"main": End("failed", code="EXPRESSION")},
    ),
    Scenario(
        "control is held after a step",
        (
            flow(
                task("a", k({}), to("b"), pause_until=x("now + 8"), pause_label=k("a breath")),
                step("b", Compute(x("steps.a.output"))),
            ),
        ),
        answers=(Answers("a", (Returns("done"),)),),
        ends={"main": End(output="done")},
    ),
    Scenario(
        "an event that comes while somebody waits for it",
        (flow(step("wait", EventWait(k("order.*")))),),
        acts=(come("order.paid", {"n": 1}),),
        ends={"main": End(output={"n": 1})},
    ),
    Scenario(
        "an event that does not fit is not for it",
        (
            flow(
                step(
                    "wait", EventWait(k("order.*.paid"), x("event.payload.amount > input.least"), output=x("event.id"))
                )
            ),
        ),
        {"least": 5},
        acts=(
            come("order.paid", {"amount": 9}, id_="another type"),
            come("order.7.paid", {"amount": 5}, id_="too little"),
            come("order.8.paid", {"amount": 6}, id_="enough"),
        ),
        ends={"main": End(output="enough")},
    ),
    Scenario(
        "an event that came before the wait is found",
        (
            flow(
                step("one", EventWait(k("one")), to("two")),
                step("two", EventWait(k("two"))),
            ),
        ),
        acts=(come("two", 2, id_="early", step_="one"), come("one", 1, id_="later", step_="one")),
        ends={"main": End(output=2)},
        restate=True,
    ),
    Scenario(
        "an event that came before the wait is not looked for",
        (
            flow(
                step("one", EventWait(k("one")), to("two")),
                step("two", EventWait(k("two"), lookback=False)),
            ),
        ),
        acts=(
            come("two", "early", id_="early", step_="one"),
            come("one", id_="now", step_="one"),
            come("two", "in time", id_="in time", step_="two"),
        ),
        ends={"main": End(output="in time")},
    ),
    Scenario(
        "an event that came before the start does not count",
        (
            flow(step("wait", EventWait(k("go")), to("ask")), step("ask", Child(k("child")))),
            flow(step("late", EventWait(k("go"))), name="child"),
        ),
        acts=(
            come("go", "too early"),
            Act(Seen("wait.opened", "late", of="main/ask"), Publish("go", "second", "now")),
        ),
        ends={"main": End(output="now"), "main/ask": End(output="now")},
    ),
    Scenario(
        "an event ends one wait after the other only once",
        (
            flow(
                step("one", EventWait(k("go")), to("two")),
                step("two", EventWait(k("go"))),
            ),
        ),
        acts=(
            come("go", 1, id_="first", step_="one"),
            come("go", 1, id_="first", step_="two"),
            come("go", 2, id_="second", step_="two"),
        ),
        ends={"main": End(output=2)},
    ),
    Scenario(
        "one event ends one of two waits",
        (
            flow(
                step("split", Compute(), to("one", "two")),
                step("one", EventWait(k("go.#")), to("end")),
                step("two", EventWait(k("go.*.now")), to("end")),
                step("end", Compute(obj(one=x("steps.one.output"), two=x("steps.two.output")))),
            ),
        ),
        acts=(
            come("go.on.now", 7, step_="two"),
            Act(Seen("step.completed", "one"), Publish("go.on.now", "second", 8)),
        ),
        ends={"main": End(output={"one": 7, "two": 8})},
    ),
    Scenario(
        "an event that does not come in time",
        (
            flow(
                step("wait", EventWait(k("never"), timeout_ms=SOON), on_error=on_error("told", of="TIMEOUT")),
                step("told", Compute(x("steps.wait.error.code"))),
            ),
        ),
        ends={"main": End(output="TIMEOUT")},
        restate=True,
    ),
    Scenario(
        "a condition on an event that cannot be computed counts as false",
        (flow(step("wait", EventWait(k("go"), x("event.payload.a.b > 1")))),),
        acts=(come("go", None, id_="nothing in it"), come("go", {"a": {"b": 2}}, id_="enough")),
        ends={"main": End(output={"a": {"b": 2}})},
    ),
)
