"""Documents that cannot run: every problem, where it is, and the way out."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.ports.words import action, approval, condition, echo, flow, loop, step


def _refused(name: str, document: Any, *says: str) -> Case:
    return Case(f"refused: {name}", document, exit=2, says=says)


def _one(name: str, one: dict[str, Any], *says: str) -> Case:
    return _refused(name, flow(one), *says)


def _without(one: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in one.items() if name != key}


REFUSED: tuple[Case, ...] = (
    _refused("one slug twice", flow(echo("a", "b"), echo("b"), echo("a")), "'a'", "/steps/2/stepSlug"),
    _refused("a step without a slug", flow(echo("a"), _without(echo("b"), "stepSlug")), "stepSlug", "/steps/1"),
    _one("a step without a type", _without(echo("a"), "stepType"), "stepType", "/steps/0"),
    _one("a type that is none", step("a", "aktion", {"type": "echo"}), "aktion", "action", "/steps/0/stepType"),
    _one("a slug that is no text", {**echo("a"), "stepSlug": 7}, "/steps/0/stepSlug"),
    _one("an order that is no number", {**echo("a"), "order": "first"}, "/steps/0/order"),
    _one("a config that is no object", step("a", "action", [1]), "/steps/0/config"),
    _one("nextSteps that is no object", {**echo("a"), "nextSteps": ["b"]}, "/steps/0/nextSteps"),
    _one("a target that is no text", echo("a", {"success": 5}), "/steps/0/nextSteps/success"),
    _one("an inputMapping that is no object", {**echo("a"), "inputMapping": "x"}, "/steps/0/inputMapping"),
    _one("an outputMapping that is no object", {**echo("a"), "outputMapping": ["x"]}, "/steps/0/outputMapping"),
    _one(
        "a variable that is reserved",
        {**echo("a"), "outputMapping": {"steps": "data"}},
        "steps",
        "/steps/0/outputMapping",
    ),
    _one(
        "a reserved variable that is set",
        action("a", "set_variables", {"variables": {"lastOutput": 1}}),
        "lastOutput",
        "/steps/0/config",
    ),
    _one("a condition without an expression", step("a", "condition", {}), "expr", "/steps/0/config"),
    _one("a condition that is none", condition("{{x}} >", leads={"default": "end"}), "/steps/0/config/expr"),
    _one("a template that is none", echo("a", x="{{ a +* b }}"), "/steps/0/config/parameters/x"),
    _one("a template that is not closed", echo("a", x="Hello {{ name"), "/steps/0/config/parameters/x"),
    _one("an assignment", echo("a", x="{{ y = 5 }}"), "/steps/0/config/parameters/x"),
    _one("a slug with a dash after a dot", echo("a", x="{{ steps.fetch-users.output.data }}"), "steps['fetch-users']"),
    _one("a method that is none", echo("a", x="{{ t.upcase() }}"), "upcase"),
    _one("a pipe that is none", echo("a", x="{{ t|uper }}"), "uper", "upper"),
    _one("a mapping that is none", {**echo("a"), "outputMapping": {"x": "{{ data. }}"}}, "/steps/0/outputMapping/x"),
    _one("an action without a type", step("a", "action", {"parameters": {}}), "type", "/steps/0/config"),
    _one("a loop without items", step("a", "loop", {}), "items", "/steps/0/config"),
    _one("items that are a number", loop(5), "items", "/steps/0/config/items"),
    _one("a batch of none", loop([1], batchSize=0), "batchSize", "/steps/0/config/batchSize"),
    _one("a batch of some", loop([1], batchSize="some"), "batchSize", "/steps/0/config/batchSize"),
    _one("maxIterations of none", loop([1], maxIterations=0), "maxIterations"),
    _one("continueOnError that is no boolean", loop([1], continueOnError="maybe"), "continueOnError"),
    _one("an itemVariable that is no name", loop([1], itemVariable="the item"), "itemVariable", "the item"),
    _one("an itemVariable that is reserved", loop([1], itemVariable="steps"), "itemVariable", "steps"),
    _one("an llm without a prompt", step("a", "llm", {"temperature": 0.2}), "Prompt", "/steps/0/config"),
    _one("an output format that is none", step("a", "llm", {"prompt": "x", "outputFormat": "xml"}), "xml", "json"),
    _one("http without a url", step("a", "action", {"type": "http", "method": "GET"}), "url"),
    _one("a workflow without its id", action("a", "workflow", {"wait": True}), "workflowId"),
    _one("an event without its type", action("a", "event", {"payload": {}}), "type"),
    _one("onTimeout that is none", approval(onTimeout="explode", dueDate="P1D"), "explode", "escalate"),
    _one("votes that are none", approval(votesRequired=0), "votesRequired"),
    _one("a priority that is none", approval(priority="hgih"), "hgih", "high"),
    _one("a due date that is none", approval(dueDate="tomorrow"), "tomorrow", "/steps/0/config/dueDate"),
    _one("a retryPolicy that is no object", {**echo("a"), "retryPolicy": 3}, "retryPolicy"),
    _one("retries below none", {**echo("a"), "retryPolicy": {"maxRetries": -1, "backoffMs": 5}}, "maxRetries"),
    _one(
        "a strategy that is none",
        {**echo("a"), "retryPolicy": {"maxAttempts": 2, "delay": 5, "strategy": "wild"}},
        "wild",
        "fixed",
    ),
    _one("a timeout that is none", {**echo("a"), "timeout": "soon"}, "soon", "timeout"),
    _refused("a timeout of the workflow that is none", flow(echo("a"), timeout="soon"), "soon", "/config/timeout"),
    _refused(
        "strictPorts that is no boolean", flow(echo("a"), strictPorts="yes"), "strictPorts", "/config/strictPorts"
    ),
    _refused("variables that are no object", flow(echo("a"), variables=[1]), "/config/variables"),
    _refused("steps that are no list", {"dialect": "ports", "name": "x", "steps": {"a": 1}}, "/steps"),
    _refused("a step that is no object", {"dialect": "ports", "name": "x", "steps": ["a"]}, "/steps/0"),
    _refused("a config that is no object at all", {**flow(echo("a")), "config": 5}, "/config"),
    _refused("a name that is no text", {**flow(echo("a")), "name": 5}, "/name"),
    _refused("a status that is none", {**flow(echo("a")), "status": "live"}, "live", "active"),
    _refused(
        "all problems at once",
        flow(
            step("a", "aktion", {}),
            condition("{{x}} >", "b", {"default": "end"}),
            {**echo("a"), "nextSteps": 5},
            strictPorts="yes",
        ),
        "/steps/0/stepType",
        "/steps/1/config/expr",
        "/steps/2/stepSlug",
        "/steps/2/nextSteps",
        "/config/strictPorts",
    ),
    _refused(
        "paths into an inline body",
        {"workflowConfig": {"name": "x"}, "stepsConfig": [condition("{{x}} >", leads={"default": "end"})]},
        "/stepsConfig/0/config/expr",
    ),
    _refused(
        "paths into a list", [{"name": "x"}, [condition("{{x}} >", leads={"default": "end"})]], "/1/0/config/expr"
    ),
    _refused(
        "paths into a template",
        {"template": {"name": "x", "config": {"strictPorts": "yes"}}, "steps": [echo("a")]},
        "/template/config/strictPorts",
    ),
)
