"""Semantics §1 Lookup, Outputs, Errors: where bare names are found, and what stands beside an output."""

from __future__ import annotations

from lowered.base import Happening, Lowered, k, obj, x
from lowered.checks import calls, every, failed_with, outcome, stands_waiting
from lowered.outside import answer, broken
from lowered.ports.words import action, bare, loop, on, step, workflow
from perdure.model.steps import Approval, Compute, Condition, Retry, Task
from perdure.model.values import EMPTY
from perdure.testing.script import Fixed, TaskAnswer

RETRY = Retry(attempts_max=3)
_SEEN = obj(a=bare("a"), b=bare("b"), c=bare("c"), d=bare("d"), e=bare("e"))

LOOKUP = (
    Lowered(
        name="ports-lookup-order",
        seed="semantics §1 Lookup: step-local names → root → config → input → lastOutput.data; null is found, too",
        workflow=workflow(
            "lookup",
            action("first", "first", EMPTY, on("success", "second")),
            action("second", "look", _SEEN, on(None), locals=obj(a="local", x=bare("a"))),
            initial=obj(a="set", b=None),
        ),
        input={"a": "input", "b": "input", "c": "input"},
        script=Fixed({"first": answer({"a": "last", "c": "last", "d": "last"})}),
        output={"a": "local", "b": None, "c": "input", "d": "last"},
        runs={"first": 1, "second": 1},
    ),
    Lowered(
        name="ports-lookup-in-what-is-no-object",
        seed="semantics §1 Lookup: a text or an array has no names, nor has what is not there",
        workflow=workflow(
            "lookup",
            action("first", "first", EMPTY, on("success", "second")),
            action("second", "look", obj(length=bare("length"), b=bare("b")), on(None)),
        ),
        input="a text",
        script=Fixed({"first": answer(["an", "array"])}),
        output={},
        runs={"first": 1, "second": 1},
    ),
    Lowered(
        name="ports-what-goes-wrong-is-told-as-it-was-written",
        seed="semantics §0 Errors: a message says what failed: what the author wrote, not what the model has",
        workflow=workflow(
            "written",
            action("look", "look", obj(a=x("names.a.toUpperCase()")), on(None)),
            written=(("names.b", "b"), ("names.a.toUpperCase()", "a.toUpperCase()")),
        ),
        input={"a": 1},
        status="failed",
        error="'a.toUpperCase()'",
    ),
    Lowered(
        name="ports-what-goes-wrong-in-a-condition",
        seed="semantics §0 Errors; what is not among what was written stays as it is",
        workflow=workflow(
            "written",
            step("gate", Condition(x("input.a.toUpperCase() == input.b")), on("true")),
            written=(("names.b", "b"),),
        ),
        input={"a": 1},
        status="failed",
        error="'input.a.toUpperCase()",
    ),
    Lowered(
        name="ports-a-step-fails-in-a-part",
        seed="model: part_of: what a part fails of, its step does; when it is done, it has not",
        workflow=workflow(
            "parts",
            step("a/ask", Task("ask"), on(None, "a"), on_error=(on("BUSY", "a/again"), on(None, "look")), part_of="a"),
            step("a/again", Task("ask"), on(None, "a"), on_error=(on(None, "look"),), part_of="a"),
            step("a", Compute(k(1)), on(None, "look")),
            step("look", Compute(obj(code=x("steps.a.error.code"), output=x("steps.a.output"))), on(None)),
        ),
        script=Fixed({"a/ask": broken("BUSY"), "a/again": broken("DOWN")}),
        output={"code": "DOWN"},
    ),
    Lowered(
        name="ports-a-step-is-done-after-a-part-failed",
        seed="model: part_of",
        workflow=workflow(
            "parts",
            step("a/ask", Task("ask"), on(None, "a"), on_error=(on(None, "a/again"),), part_of="a"),
            step("a/again", Task("ask"), on(None, "a"), part_of="a"),
            step("a", Compute(k(1)), on(None, "look")),
            step("look", Compute(obj(code=x("steps.a.error.code"), output=x("steps.a.output"))), on(None)),
        ),
        script=Fixed({"a/ask": broken("BUSY")}),
        output={"output": 1},
    ),
    Lowered(
        name="ports-an-approval-of-a-part",
        seed="model: part_of: people know only the step",
        workflow=workflow(
            "parts",
            step(
                "a/budget", Approval(EMPTY, due_at=x("now + 1000"), on_timeout="fail"), on("approved", "a"), part_of="a"
            ),
            step("a", Compute(k(1)), on(None)),
        ),
        script=Fixed(approvals={"a/budget": None}),
        happenings=(Happening(500, stands_waiting("approval", "a")),),
        status="failed",
        error="of step 'a' in time",
    ),
    Lowered(
        name="ports-last-output-is-not-that-of-a-part",
        seed="model: part_of; seed 000 §1 lastOutput",
        workflow=workflow(
            "parts",
            step("first", Compute(k(1)), on(None, "a/ask")),
            step("a/ask", Compute(k("inner")), on(None, "a"), part_of="a"),
            step("a", Compute(x("latest.output")), on(None)),
        ),
        output=1,
    ),
    Lowered(
        name="ports-last-output-is-that-of-a-tick",
        seed="semantics §1 Loop, Output: a tick that leads to an end",
        workflow=workflow(
            "tick",
            loop("each", x("input.items"), on("loop"), on("done")),
            output=x("latest.output.item"),
        ),
        input={"items": [7, 8]},
        output=7,
    ),
    Lowered(
        name="ports-lookup-in-locals-themselves",
        seed="semantics §1 Lookup: what gives a step its names cannot read them",
        workflow=workflow(
            "lookup",
            action("look", "look", obj(a=bare("a"), x=x("local.x")), on(None), locals=obj(a="mine", x=bare("a"))),
        ),
        input={"a": "input"},
        output={"a": "mine", "x": "input"},
        runs={"look": 1},
    ),
    Lowered(
        name="ports-last-output-after-a-failure",
        seed="seed 000 §1 lastOutput: updated after each step completes; semantics §1 Errors",
        workflow=workflow(
            "latest",
            action("good", "good", EMPTY, on("success", "bad")),
            action("bad", "bad", EMPTY, on("success"), on_error=(on(None, "rescue"),)),
            action(
                "rescue", "rescue", obj(last=x("latest.output"), of=x("latest.step"), came=x("last.step")), on(None)
            ),
        ),
        script=Fixed({"good": answer(1), "bad": broken("BAD")}),
        output={"last": 1, "of": "good", "came": "bad"},
        runs={"good": 1, "bad": 1, "rescue": 1},
    ),
    Lowered(
        name="ports-last-output-after-nothing",
        seed="seed 000 §1 lastOutput is null before anything has completed",
        workflow=workflow(
            "latest",
            action("bad", "bad", obj(before=x("latest.output")), on("success"), on_error=(on(None, "rescue"),)),
            action("rescue", "rescue", obj(last=x("latest.output")), on(None)),
        ),
        script=Fixed({"bad": broken("BAD")}),
        output={},
        runs={"bad": 1, "rescue": 1},
        check=calls("bad", {}),
    ),
    Lowered(
        name="ports-workflow-output-is-the-latest",
        seed="semantics §1 Output: the last step's output.data",
        workflow=workflow("latest", action("good", "good", EMPTY), output=x("latest.output")),
        script=Fixed({"good": answer([1, 2])}),
        output=[1, 2],
    ),
    Lowered(
        name="ports-meta",
        seed="semantics §1 Outputs: condition: meta.expression; what a task says of its output stays beside it",
        workflow=workflow(
            "meta",
            step("gate", Condition(x("input.ok")), on("true", "ask"), meta=obj(expression="input.ok")),
            action("ask", "ask", EMPTY, on("success", "look"), meta=obj(more=x("output"))),
            step("look", Compute(obj(gate=x("steps.gate.meta"), ask=x("steps.ask.meta"))), on(None)),
        ),
        input={"ok": True},
        script=Fixed({"ask": TaskAnswer(output="yes")}),
        output={"gate": {"expression": "input.ok"}, "ask": {"more": "yes"}},
    ),
    Lowered(
        name="ports-meta-of-a-wrong-kind",
        seed="model: meta is an object",
        workflow=workflow("meta", step("gate", Condition(k(True)), on(None), meta=k(["no object"]))),
        status="failed",
        error="meta must be an object",
        check=failed_with("EXPRESSION", "gate"),
    ),
    Lowered(
        name="ports-errors-of-a-loop-at-its-next-tick",
        seed="semantics §1 Loop: continueOnError: its error goes to output.meta.errors",
        workflow=workflow(
            "errors",
            loop("each", x("input.items"), on("loop", "body"), on("done", "after"), continue_on_error=True),
            action("body", "body", obj(failed=x("steps.each.meta.errors.length")), on("success", "each")),
            action("after", "after", obj(failed=x("steps.each.meta.errors.length")), on(None)),
        ),
        input={"items": [1, 2]},
        script=Fixed({"body": [broken("BAD"), answer("b")]}),
        output={"failed": 1},
        runs={"each": 3, "body": 2, "after": 1},
        check=calls("body", {}, {"failed": 1}),
    ),
    Lowered(
        name="ports-parts-do-not-count",
        seed="model: part_of: people know only the step, and it alone counts for steps_max",
        workflow=workflow(
            "parts",
            step("a/begin", Compute(k(1)), on(None, "a/more"), part_of="a"),
            step("a/more", Compute(k(2)), on(None, "a"), part_of="a"),
            step("a", Compute(x("last.output")), on(None, "b")),
            step("b", Compute(x("last.output")), on(None)),
            steps_max=2,
        ),
        output=2,
        runs={"a/begin": 1, "a/more": 1, "a": 1, "b": 1},
    ),
    Lowered(
        name="ports-parts-are-bound-all-the-same",
        seed="model: steps_max: one step more than it fails the execution",
        workflow=workflow(
            "parts",
            step("a/begin", Compute(k(1)), on(None, "a"), part_of="a"),
            step("a", Compute(x("last.output")), on(None, "b")),
            step("b", Compute(x("last.output")), on(None)),
            steps_max=1,
        ),
        status="failed",
        error="entered 1 steps",
        check=failed_with("LIMIT", "b"),
    ),
    Lowered(
        name="ports-budget-computed",
        seed="model: how much is reserved, and what the step may spend, may have to be computed first",
        workflow=workflow(
            "budget",
            step(
                "ask",
                Task(
                    "llm", EMPTY, reserve=(("tokens", x("input.most + 0.2")),), budget=(("tokens", x("input.budget")),)
                ),
                on("success"),
                on_error=(on(None, "cheap"),),
            ),
            action("cheap", "cheap"),
        ),
        input={"most": 100, "budget": 100},
        script=Fixed({"cheap": answer("short")}),
        output="short",
        check=every(calls("ask"), outcome("ask", status="failed", error={"code": "BUDGET"})),
    ),
    Lowered(
        name="ports-budget-computed-and-tried-again",
        seed="model: on a retry, what the step may spend is computed again",
        workflow=workflow(
            "budget",
            step(
                "ask",
                Task(
                    "llm",
                    EMPTY,
                    retry=RETRY,
                    reserve=(("tokens", x("input.most")),),
                    budget=(("tokens", x("input.budget")),),
                ),
                on("success"),
            ),
        ),
        input={"most": 60, "budget": 100},
        script=Fixed({"ask": TaskAnswer(error=broken("BUSY").error, usage=(("tokens", 50),))}),
        status="failed",
        error="the budget of the step has 50 left",
        check=failed_with("BUDGET", "ask"),
    ),
    Lowered(
        name="ports-budget-that-is-no-number",
        seed="model: how much is reserved must be a number",
        workflow=workflow(
            "budget", step("ask", Task("llm", EMPTY, reserve=(("tokens", x("input.most")),)), on("success"))
        ),
        input={"most": "many"},
        status="failed",
        error="how many tokens must be a number, not 'many'",
        check=failed_with("EXPRESSION", "ask"),
    ),
    Lowered(
        name="ports-budget-below-nothing",
        seed="model: less than nothing is nothing",
        workflow=workflow(
            "budget",
            step("ask", Task("llm", EMPTY, reserve=(("tokens", x("-5")),)), on("success")),
            budget=(("tokens", 1),),
        ),
        script=Fixed({"ask": answer("yes")}),
        output="yes",
    ),
)
