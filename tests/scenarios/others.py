"""Others: children, chains, and what events start."""

from __future__ import annotations

from perdure.model.steps import Approval, Child, Compute, EventWait, Timer
from perdure.model.steps import Publish as Publishing
from perdure.model.workflow import Chain, EventStart
from scenarios.scenario import (
    Act,
    Answers,
    Called,
    Cancel,
    Decide,
    End,
    Hangs,
    Publish,
    Raises,
    Returns,
    Scenario,
    Seen,
)
from scenarios.words import arr, flow, k, obj, on_error, step, task, to, x

DOUBLE = flow(task("double", x("input")), name="child")
PICKY = flow(
    task("double", x("input")),
    name="child",
    input_schema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
)
STUCK = flow(task("stuck"), name="child")
ASK = step("ask", Child(k("child"), obj(n=x("input.n"))), to("end"))
CHILD_OUTPUT = step("end", Compute(x("steps.ask.output")))

SCENARIOS = (
    Scenario(
        "a child that is waited for",
        (flow(ASK, CHILD_OUTPUT), DOUBLE),
        {"n": 4},
        (Answers("double", (Returns(8),)),),
        ends={"main": End(output=8), "main/ask": End(output=8)},
        restate=True,
    ),
    Scenario(
        "a child that fails fails the step that waits for it",
        (flow(ASK, CHILD_OUTPUT), DOUBLE),
        {"n": 4},
        (Answers("double", (Raises("no", "NO", retriable=False),)),),
        ends={"main": End("failed", code="NO"), "main/ask": End("failed", code="NO")},
    ),
    Scenario(
        "a child whose input does not fit its schema fails at once, and so does the step that waits for it",
        (flow(ASK, CHILD_OUTPUT), PICKY),
        {"n": "four"},
        ends={"main": End("failed", code="INVALID_INPUT"), "main/ask": End("failed", code="INVALID_INPUT")},
        restate=True,
    ),
    Scenario(
        "of what a chain starts, what does not fit is not started and the others are",
        (
            flow(task("a"), chains=(Chain("child", obj(n=x("item")), x("input.all")),)),
            PICKY,
        ),
        {"all": [1, "two"]},
        ends={
            "main": End(),
            "main/chain 0[0]": End(output={"n": 1}),
        },
    ),
    Scenario(
        "an event that brings what does not fit starts nothing",
        (
            flow(task("work")),
            flow(
                task("restock", x("input")),
                name="stock",
                starts=(EventStart("stock.low"),),
                input_schema={"type": "object", "required": ["sku"]},
            ),
        ),
        acts=(
            Act(Called("work"), Publish("stock.low", "low-1", {"n": 1})),
            Act(Called("work"), Publish("stock.low", "low-2", {"sku": "AB-1"})),
        ),
        ends={"main": End(), "stock by low-2": End(output={"sku": "AB-1"})},
    ),
    Scenario(
        "a child that fails, and that is handled",
        (
            flow(
                step("ask", Child(k("child")), on_error=on_error("told", of="NO")),
                step("told", Compute(x("steps.ask.error.message"))),
            ),
            DOUBLE,
        ),
        answers=(Answers("double", (Raises("no", "NO", retriable=False),)),),
        ends={"main": End(output="no"), "main/ask": End("failed", code="NO")},
    ),
    Scenario(
        "a child that somebody cancels",
        (
            flow(
                step("ask", Child(k("child")), on_error=on_error("told")),
                step("told", Compute(x("steps.ask.error.code"))),
            ),
            STUCK,
        ),
        answers=(Answers("stuck", (Hangs(),)),),
        acts=(Act(Called("stuck"), Cancel(of="main/ask")),),
        ends={"main": End(output="CANCELLED"), "main/ask": End("cancelled")},
    ),
    Scenario(
        "who is cancelled cancels the child that it waits for",
        (flow(ASK, CHILD_OUTPUT), STUCK),
        {"n": 4},
        (Answers("stuck", (Hangs(),)),),
        acts=(Act(Called("stuck"), Cancel()),),
        ends={"main": End("cancelled"), "main/ask": End("cancelled")},
        restate=True,
    ),
    Scenario(
        "a child that nobody waits for",
        (flow(step("ask", Child(k("child"), obj(n=1), wait=False), to("end")), CHILD_OUTPUT), DOUBLE),
        ends={"main": End(), "main/ask": End(output={"n": 1})},
    ),
    Scenario(
        "a child that there is no workflow for",
        (flow(step("ask", Child(k("nobody")))),),
        ends={"main": End("failed", code="UNKNOWN_WORKFLOW")},
    ),
    Scenario(
        "a child that takes too long",
        (
            flow(step("ask", Child(k("child"), deadline_ms=8))),
            flow(step("wait", Timer(k(60_000))), name="child"),
        ),
        ends={"main": End("failed", code="TIMEOUT"), "main/ask": End("failed", code="TIMEOUT")},
    ),
    Scenario(
        "a child that waits for somebody",
        (flow(ASK, CHILD_OUTPUT), flow(step("agree", Approval(k("may I?"))), name="child")),
        {"n": 1},
        acts=(Act(Seen("approval.opened", "agree", of="main/ask"), Decide("agree", of="main/ask")),),
        ends={"main": End(), "main/ask": End()},
    ),
    Scenario(
        "a child of a child of a child, as deep as it may be",
        (
            flow(
                step("down", Child(k("main"), obj(n=1), wait=False), to("end")),
                step("end", Compute(x("execution.depth"))),
                depth_max=2,
            ),
        ),
        ends={"main": End(output=0), "main/down": End(output=1), "main/down/down": End(output=2)},
    ),
    Scenario(
        "a child that is waited for, deeper than it may be",
        (flow(step("down", Child(k("main"), obj(n=1))), depth_max=2),),
        ends={
            "main": End("failed", code="DEPTH"),
            "main/down": End("failed", code="DEPTH"),
            "main/down/down": End("failed", code="DEPTH"),
        },
    ),
    Scenario(
        "a child in every round of a loop",
        (
            flow(
                step(
                    "ask",
                    Child(k("child"), obj(n=x("steps.ask.output || 0"))),
                    to("ask", when=x("output < 2")),
                    to("end"),
                ),
                CHILD_OUTPUT,
            ),
            flow(step("add", Compute(x("input.n + 1"))), name="child"),
        ),
        ends={"main": End(output=2), "main/ask": End(output=1), "main/ask.2": End(output=2)},
    ),
    Scenario(
        "a chain starts another when it completes",
        (flow(task("work"), chains=(Chain("child", obj(got=x("output"))),)), DOUBLE),
        answers=(Answers("work", (Returns("it"),)),),
        ends={"main": End(output="it"), "main/chain 0": End(output={"got": "it"})},
        restate=True,
    ),
    Scenario(
        "a chain starts one for each item, but where a value is missing",
        (flow(task("work"), chains=(Chain("child", obj(n=x("item.n"), at=x("index")), items=x("output")),)), DOUBLE),
        answers=(Answers("work", (Returns([{"n": 1}, {}, {"n": 3}]),)),),
        ends={
            "main": End(),
            "main/chain 0[0]": End(output={"n": 1, "at": 0}),
            "main/chain 0[2]": End(output={"n": 3, "at": 2}),
        },
    ),
    Scenario(
        "a chain that is skipped, one that fails, and one that nobody knows",
        (
            flow(
                task("work"),
                chains=(
                    Chain("child", obj(n=x("output.nothing"))),
                    Chain("child", items=x("output")),
                    Chain("nobody"),
                ),
            ),
            DOUBLE,
        ),
        answers=(Answers("work", (Returns({"no": "array"}),)),),
        ends={"main": End()},
    ),
    Scenario(
        "an event from outside starts one, if it fits",
        (
            flow(step("wait", EventWait(k("done")))),
            flow(
                step("count", Compute(x("input.n + 1"))),
                name="stock",
                starts=(
                    EventStart(
                        "stock.*",
                        x("event.payload.n > 1"),
                        obj(n=x("event.payload.n")),
                        correlation=x("event.payload.order"),
                    ),
                ),
            ),
        ),
        acts=(
            Act(Seen("wait.opened"), Publish("stock.low", "too-few", {"n": 1})),
            Act(Seen("wait.opened"), Publish("stock.low", "enough", {"n": 2, "order": "o-1"})),
            Act(Seen("execution.completed", of="stock by enough"), Publish("done", "done")),
        ),
        ends={"main": End(), "stock by enough": End(output=3)},
    ),
    Scenario(
        "an event that a step publishes starts one and wakes another",
        (
            flow(
                step("split", Compute(), to("wait", "tell")),
                step("wait", EventWait(k("news.#")), to("end")),
                step("tell", Publishing(x("'news.' + input.what"), obj(n=arr(1, 2))), to("end")),
                step("end", Compute(x("steps.wait.output"))),
            ),
            flow(step("read", Compute(x("input.n.length"))), name="reader", starts=(EventStart("news.*"),)),
        ),
        {"what": "cake"},
        ends={"main": End(output={"n": [1, 2]}), "reader by main": End(output=2)},
        restate=True,
    ),
    Scenario(
        "that one has completed starts another",
        (
            flow(step("work", Compute(k("done")))),
            flow(
                step("tell", Compute(x("input.name + ' ' + input.status"))),
                name="watcher",
                starts=(EventStart("workflow.completed", x("event.payload.name == 'main'")),),
            ),
        ),
        ends={"main": End(output="done"), "watcher by main": End(output="main completed")},
    ),
    Scenario(
        "one event is for all who wait for it",
        (
            flow(
                step("split", Compute(), to("ask", "wait")),
                step("ask", Child(k("child")), to("end")),
                step("wait", EventWait(k("go")), to("end")),
                step("end", Compute(arr(x("steps.ask.output"), x("steps.wait.output")))),
            ),
            flow(step("too", EventWait(k("go"))), name="child"),
        ),
        acts=(Act(Seen("wait.opened", "too", of="main/ask"), Publish("go", "go", 5)),),
        ends={"main": End(output=[5, 5]), "main/ask": End(output=5)},
    ),
)
