"""Semantics §1 Variables, Lookup, inputMapping, outputMapping, Condition, Output."""

from __future__ import annotations

from lowered.base import Lowered, obj, text, x
from lowered.checks import announced, calls, ended_after, every, facts, failed_with, variables
from lowered.outside import answer
from lowered.ports.words import action, bare, on, step, workflow
from perdure.core import facts as f
from perdure.model.steps import Compute, Condition, SetVariables
from perdure.model.values import EMPTY, Json
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed
from perdure.testing.world import World


def _asks(name: str, seed: str, test: str, given: Json, taken: str) -> Lowered:
    """A condition, and where it leads."""
    return Lowered(
        name=f"ports-{name}",
        seed=seed,
        workflow=workflow(
            name,
            step("gate", Condition(x(test)), on("true", "yes"), on("false", "no")),
            action("yes", "mark", obj(at="yes", saw=x("last.output"))),
            action("no", "mark", obj(at="no", saw=x("last.output"))),
        ),
        input=given,
        output={"at": taken, "saw": taken == "yes"},
        runs={"gate": 1, taken: 1},
    )


def _sealed(world: World) -> None:
    (scheduled,) = facts(world, f.StepScheduled)
    assert scheduled.input == {"url": "https://example.com", "headers": {"authorization": "***"}}
    assert list(scheduled.sealed) == ["/headers/authorization"]


DATA = (
    Lowered(
        name="ports-bare-names",
        seed="semantics §1 Lookup: step-local → root → config → input → lastOutput.data; config wins over input at the root",
        workflow=workflow(
            "names",
            action("first", "first", EMPTY, on("success", "probe"), assign=obj(set=x("output.set"))),
            action(
                "probe",
                "probe",
                obj(**{name: bare(name) for name in ("own", "set", "configured", "given", "last", "none")}),
                locals=obj(own=x("input.own + 1")),
            ),
            initial=obj(own=0, set="config", configured="config"),
        ),
        input={"own": 1, "configured": "input", "given": "input", "last": None},
        script=Fixed({"first": answer({"set": "set", "given": "last", "last": "last", "none": "last"})}),
        # A null is a value: it is found where it stands, and ends the search.
        output={"own": 2, "set": "set", "configured": "config", "given": "input", "last": None, "none": "last"},
        runs={"first": 1, "probe": 1},
        check=variables(own=0, set="set", configured="config"),
    ),
    Lowered(
        name="ports-mappings",
        seed="seed 001 §3 inputMapping, outputMapping; semantics §1: step-local names, variables over the result",
        workflow=workflow(
            "mappings",
            action(
                "order",
                "order",
                obj(sku=x("local.sku")),
                on("success", "report"),
                locals=obj(sku=x("input.items[0].sku"), tag=text("t-", x("input.n"))),
                # {orderId: "{{data.id}}", whole: "result", via: "{{output.data.lines[1]}}", tag: "{{tag}}"}
                assign=obj(
                    orderId=x("output.id"),
                    whole=x("output"),
                    via=x("output.lines[1]"),
                    tag=x("local.tag"),
                    gone=x("output.nothing"),
                ),
            ),
            action("report", "report", obj(id=x("vars.orderId"), tag=bare("tag"), sku=x("local.sku"))),
        ),
        input={"items": [{"sku": "A"}], "n": 3},
        script=Fixed({"order": answer({"id": 17, "lines": ["a", "b"]})}),
        output={"id": 17, "tag": "t-3"},
        runs={"order": 1, "report": 1},
        check=every(
            calls("order", {"sku": "A"}),
            variables(orderId=17, whole={"id": 17, "lines": ["a", "b"]}, via="b", tag="t-3"),
        ),
    ),
    Lowered(
        name="ports-set-variables",
        seed="semantics §1 Action: set_variables is sequential, later entries see earlier ones",
        workflow=workflow(
            "set",
            step(
                "compute",
                SetVariables(
                    (
                        ("total", x("input.a + input.b")),
                        ("double", x("vars.total * 2")),
                        ("total", x("vars.total + vars.base")),
                        ("copy", x("vars.total")),
                    )
                ),
                on("success", "report"),
            ),
            action("report", "report", obj(total=x("vars.total"), double=x("vars.double"))),
            initial=obj(base=100),
        ),
        input={"a": 3, "b": 4},
        output={"total": 107, "double": 14},
        runs={"compute": 1, "report": 1},
        check=variables(base=100, total=107, double=14, copy=107),
    ),
    Lowered(
        name="ports-output-step",
        seed="semantics §1 Output: an output step's mapping if there is one; variables are kept apart",
        workflow=workflow(
            "output",
            action("count", "count", EMPTY, on("success", "result"), assign=obj(n=x("output.n"))),
            step("result", Compute(obj(total=x("vars.n"), who=x("input.who"))), on("success", "bye")),
            action("bye", "log", obj(message="done"), on(None)),
            output=x("steps.result.output"),
        ),
        input={"who": "ann"},
        script=Fixed({"count": answer({"n": 2})}),
        output={"total": 2, "who": "ann"},
        runs={"count": 1, "result": 1, "bye": 1},
        check=variables(n=2),
    ),
    Lowered(
        name="ports-no-steps",
        seed="semantics §1 Start: no steps, completed at once",
        workflow=Workflow("nothing"),
        input={"a": 1},
        output=None,
        runs={},
        check=every(ended_after(0), announced("started", "completed")),
    ),
    _asks(
        "condition-undefined-is-false",
        "semantics §1 Condition: null and undefined coerce",
        "input.missing",
        {"name": "ann"},
        "no",
    ),
    # {{name}} || {{alias}}: the compiler makes a boolean of what `||` answers with.
    _asks(
        "condition-of-or-coerces",
        "semantics §1 Condition: results of && || ! coerce",
        "!!(input.name || input.alias)",
        {"alias": "ann"},
        "yes",
    ),
    Lowered(
        name="ports-condition-not-boolean",
        seed="seed 001 §5 condition must resolve to boolean; semantics §1 Condition: any other result fails the step",
        workflow=workflow(
            "not boolean",
            action("before", "before", EMPTY, on("success", "gate")),
            step("gate", Condition(x("input.status")), on("true", "yes"), on("false", "yes"), on(None, "yes")),
            action("yes", "yes"),
        ),
        input={"status": "active"},
        status="failed",
        error="'active'",
        runs={"before": 1, "gate": 1},
        check=failed_with("NOT_BOOLEAN", "gate"),
    ),
    Lowered(
        name="ports-secret-in-an-input",
        seed="semantics §0 Secrets: filled in only in memory for the call, *** everywhere else",
        workflow=workflow(
            "secret",
            action(
                "call",
                "http",
                obj(url="https://example.com", headers=obj(authorization=x("secrets.API_KEY"))),
                on(None),
            ),
        ),
        script=Fixed({"call": answer({"status": 200})}),
        output={"status": 200},
        runs={"call": 1},
        check=_sealed,
    ),
    Lowered(
        name="ports-organization",
        seed="seed 001 §4 {{organizationId}}; semantics §1 Variables: organizationId",
        workflow=workflow(
            "organization", action("send", "send", obj(organizationId=x("execution.organization")), on(None))
        ),
        output={"organizationId": "default"},
        runs={"send": 1},
    ),
)
