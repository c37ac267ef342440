"""TASK: what it is given, how often it is tried, and how long it may take."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import Holding
from run.orchestration.words import calls, echo, flow

GIVEN = {
    "order": {"id": 17, "lines": [{"sku": "A1"}, {"sku": "B2"}]},
    "who": "Ada",
    "none": None,
    "odd": "workflow.input.who",
}


def _given(name: str, written: Any, given: Any) -> Case:
    """A task that is given `input: {"v": written}`."""
    document = flow(echo("a", "b", total=5), calls("echo", "b", input={"v": written}))
    return Case(f"input: {name}", document, GIVEN, output={} if given is _NOTHING else {"v": given})


def _whole(name: str, written: Any, given: Any) -> Case:
    return Case(f"the whole input: {name}", flow(calls("echo", "a", input=written)), GIVEN, output=given)


def _retried(name: str, policy: dict[str, Any], attempts: int | None, **more: Any) -> Case:
    """`attempts`: at which it succeeds; None: it never does."""
    given = {"until": attempts or 9, **more}
    document = flow(calls("flaky", "a", input=given, retryPolicy=policy))
    if attempts is None:
        return Case(f"retry: {name}", document, exit=1, view={"status": "FAILED", "state.steps.a.status": "FAILED"})
    return Case(f"retry: {name}", document, output={"attempts": attempts})


_NOTHING = object()

CALLING: tuple[Case, ...] = (
    _given("a number, typed", "${workflow.input.order.id}", 17),
    _given("a list, typed", "${workflow.input.order.lines}", [{"sku": "A1"}, {"sku": "B2"}]),
    _given("blanks around it", "${ workflow.input.who }", "Ada"),
    _given("in text", "Hello ${workflow.input.who}, order ${workflow.input.order.id}", "Hello Ada, order 17"),
    _given("an object in text is JSON", "got ${workflow.input.order.lines[0]}", 'got {"sku":"A1"}'),
    _given("nothing in text is nothing", "[${workflow.input.nobody}${workflow.input.none}]", "[]"),
    _given("a path without ${ }", "workflow.input.order.id", 17),
    _given("a path with an index", "workflow.input.order.lines[1].sku", "B2"),
    _given("a path with a number in it", "workflow.input.order.lines.1.sku", "B2"),
    _given("a path into the state", "workflow.state.steps.a.output.total", 5),
    _given("a sentence that begins like a path", "workflow.input is fine", "workflow.input is fine"),
    _given("a word is a word", "input.who", "input.who"),
    _given("a path that begins otherwise is text", "steps.a.output", "steps.a.output"),
    _given("a number", 3, 3),
    _given("null", None, None),
    _given("true", True, True),
    _given("an undefined value is dropped", "${workflow.input.nobody}", _NOTHING),
    _given("a path to nowhere is dropped", "workflow.input.nobody", _NOTHING),
    _given("null is kept", "${workflow.input.none}", None),
    _given("an undefined value in a list is null", ["${workflow.input.nobody}", 1], [None, 1]),
    _given("deep in it", {"a": [{"b": "${workflow.input.who}"}]}, {"a": [{"b": "Ada"}]}),
    _given("keys are rendered, too", {"${workflow.input.who}": 1}, {"Ada": 1}),
    _given("a dollar that is meant", r"\${workflow.input.who}", "${workflow.input.who}"),
    _given("a dollar alone", "costs $5", "costs $5"),
    _given("what is rendered is not rendered again", "${workflow.input.odd}", "workflow.input.who"),
    _given("an expression", "${workflow.input.order.lines.map(l => l.sku).join('+')}", "A1+B2"),
    _given("a choice", "${workflow.input.order.id > 10 ? 'big' : 'small'}", "big"),
    _given("a pipe", "${workflow.input.who|upper}", "ADA"),
    _given("a property of nothing", "${workflow.input.nobody.name ?? 'none'}", "none"),
    _whole("none is {}", None, {}),
    _whole("a path", "workflow.input.order.lines", [{"sku": "A1"}, {"sku": "B2"}]),
    _whole("a template", "${workflow.input.who}", "Ada"),
    _whole("a text", "just text", "just text"),
    _whole("a list", ["workflow.input.who", 2], ["Ada", 2]),
    Case("no input at all is {}", flow(calls("echo", "a")), GIVEN, output={}, view={"state.steps.a.input": {}}),
    Case("a function that is not async", flow(calls("sync_echo", "a", input={"x": 1})), output={"x": 1}),
    Case("a task that comes to nothing", flow(calls("nothing", "a")), output=None),
    Case(
        "a step knows its name",
        flow(calls("seen", "reserve", input={"x": 1})),
        output={"given": {"x": 1}, "step": "reserve"},
    ),
    _retried("maxAttempts and initialInterval", {"maxAttempts": 3, "initialInterval": 1, "backoffMultiplier": 1}, 3),
    _retried(
        "all of that spelling", {"maxAttempts": 3, "initialInterval": 1, "maxInterval": 1, "backoffMultiplier": 9}, 3
    ),
    _retried("maxRetries and backoffMs", {"maxRetries": 2, "backoffMs": 1}, 3),
    _retried("maxAttempts and backoffMs", {"maxAttempts": 2, "backoffMs": 1}, 2),
    _retried("a delay that is fixed", {"maxAttempts": 3, "delay": "PT0.001S", "strategy": "fixed"}, 3),
    _retried("a delay that grows", {"maxAttempts": 3, "delay": 1, "strategy": "exponential"}, 3),
    _retried("not often enough", {"maxAttempts": 2, "delay": 1}, None),
    _retried("no retry of others than these", {"maxAttempts": 3, "delay": 1, "retryableErrors": ["BUSY"]}, None),
    _retried("a retry of these", {"maxAttempts": 3, "delay": 1, "retryableErrors": ["BUSY"]}, 2, code="BUSY"),
    _retried("a retry by category", {"maxAttempts": 3, "delay": 1, "retryableErrors": ["TRANSIENT"]}, 2, code="BUSY"),
    _retried("a retry by the exception", {"maxAttempts": 3, "delay": 1, "retryableErrors": ["RuntimeError"]}, 2),
    _retried("never of these", {"maxAttempts": 3, "delay": 1, "nonRetryableErrors": ["BUSY"]}, None, code="BUSY"),
    Case(
        "retry: of the workflow",
        flow(calls("flaky", "a", input={"until": 2}), retryPolicy={"maxAttempts": 2, "delay": 1}),
        output={"attempts": 2},
    ),
    Case(
        "retry: of the step before that of the workflow",
        flow(
            calls("flaky", "a", input={"until": 2}, retryPolicy={"maxAttempts": 1}),
            retryPolicy={"maxAttempts": 2, "delay": 1},
        ),
        exit=1,
    ),
    Case(
        "retry: a task that must not be tried again is not",
        flow(calls("breaks", "a", retryPolicy={"maxAttempts": 5, "delay": "PT1H"})),
        exit=1,
        error={"retriable": False},
    ),
    Case(
        "time: milliseconds",
        flow(calls("hangs", "a", timeout=20)),
        exit=1,
        error={"code": "TIMEOUT", "category": "TIMEOUT"},
        view={"state.steps.a.error.code": "TIMEOUT", "error.category": "TIMEOUT"},
    ),
    Case("time: a duration", flow(calls("hangs", "a", timeout="PT0.02S")), exit=1, error={"code": "TIMEOUT"}),
    Case(
        "time: an attempt that takes too long is tried again",
        flow(calls("hangs", "a", input={"until": 2}, timeout=20, retryPolicy={"maxAttempts": 2, "delay": 1})),
        output={"attempts": 2},
    ),
    Case(
        "time: of the whole workflow",
        flow(calls("hangs", "a"), timeout=50),
        exit=1,
        error={"code": "TIMEOUT", "category": "TIMEOUT"},
    ),
    Case(
        "a task that nobody has",
        flow(calls("quantum", "a")),
        exit=1,
        error={"message": Holding("quantum")},
        says=("quantum",),
    ),
    Case("what it answers is no JSON", flow(calls("not_json", "a")), exit=1, view={"state.steps.a.status": "FAILED"}),
)
