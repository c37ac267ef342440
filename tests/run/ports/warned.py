"""Documents that can run, and what is said about them all the same."""

from __future__ import annotations

from run.case import Warned
from run.ports.words import action, approval, breaks, echo, flow, leaves, sets, step, trigger

WARNED: tuple[Warned, ...] = (
    Warned("nothing to say", flow(trigger("a"), echo("a", x="{{input.x}}")), silent=True),
    Warned("nothing to say of an end", flow(echo("a", {"default": "end"})), silent=True),
    Warned(
        "a target that is nowhere", flow(echo("notify", "notfy"), echo("other", "notify")), says=("notfy", "notify")
    ),
    Warned(
        "a target that is nowhere, and all there are",
        flow(echo("fetch", "zzz"), echo("send")),
        says=("zzz", "/steps/0/nextSteps/success"),
    ),
    Warned("an action that nobody has", flow(step("a", "action", {"type": "quantum"})), says=("quantum",)),
    Warned("an action that is misspelt", flow(step("a", "action", {"type": "ecko"})), says=("ecko", "echo")),
    Warned(
        "an approval that nobody is named for",
        flow(step("review", "approval", {"resourceType": "x"})),
        says=("review",),
    ),
    Warned(
        "a schedule that never comes round", flow(step("start", "trigger", {"type": "schedule"})), says=("schedule",)
    ),
    Warned("a key that is misspelt", flow({**echo("a"), "nextStep": {"success": "a"}}), says=("nextStep", "nextSteps")),
    Warned("a setting that is misspelt", flow(echo("a"), strictPort=True), says=("strictPort", "strictPorts")),
    Warned("a step that nobody reaches", flow(echo("a"), echo("b")), says=("b",)),
    Warned("a step that is not there", flow(echo("a", "b"), echo("b", x="{{steps.aa.output.data}}")), says=("aa", "a")),
    Warned(
        "a root that is misspelt",
        flow(echo("a", "b"), echo("b", x="{{lastOuput.data}}")),
        says=("lastOuput", "lastOutput"),
    ),
    Warned(
        "a key of an approval that is misspelt",
        flow(step("review", "approval", {"approverRol": "x"})),
        says=("approverRol", "approverRole"),
    ),
    Warned("reserved names among the variables", flow(echo("a"), variables={"steps": 1}), says=("steps",)),
    Warned("an error port is no fault", flow(breaks(leads={"error": "b", "success": None}), echo("b")), silent=True),
    Warned(
        "ports of a task's own are no fault",
        flow(leaves("a", "vip", {"vip": "b", "default": "end"}), echo("b")),
        silent=True,
    ),
    *(
        Warned(
            f"an action without a way on: {', '.join(ports)}",
            flow(leaves("a", "vip", dict.fromkeys(ports, "b")), echo("b")),
            says=("/steps/0/nextSteps", "if this step answers on 'success'", "neither a port 'success' nor 'default'"),
        )
        for ports in (("error",), ("vip",), ("vip", "onError"))
    ),
    *(
        Warned(
            f"an action with a way on: {port}",
            flow(leaves("a", "vip", {"vip": "b", port: "b"}), echo("b")),
            silent=True,
        )
        for port in ("success", "onSuccess", "default")
    ),
    Warned("an action that leads nowhere is an end", flow(echo("a", {})), silent=True),
    Warned(
        "a slug alone",
        flow(echo("fetch", "a", n=1), echo("a", v="{{fetch}}")),
        says=("'fetch' is a step", "did you mean steps.fetch.output.data?"),
    ),
    Warned(
        "a slug alone in a condition",
        flow(echo("fetch", "gate", n=1), step("gate", "condition", {"expr": "fetch > 1"})),
        says=("did you mean steps.fetch.output.data?",),
    ),
    *(
        Warned(
            f"a slug with a hyphen alone: {template}",
            flow(echo("fetch-all-2", "a", n=1), echo("a", v=template)),
            says=("/steps/1/config/parameters/v", message, "did you mean steps['fetch-all-2'].output.data?"),
        )
        for message in ("'fetch-all-2' is a step, and is read as a subtraction here, 'fetch - all - 2'",)
        for template in (
            "{{fetch-all-2}}",
            "for {{ fetch-all-2 }}",
            "{{1 + fetch-all-2 - x}}",
            "{{fetch-all-2-x-y}}",
            "{{`${fetch-all-2}`}}",
            "{{ {x: fetch-all-2} }}",
        )
    ),
    Warned(
        "a slug with a hyphen, and a part of it",
        flow(echo("fetch-all", "a", n=1), echo("a", v="{{fetch-all.n|upper}}")),
        says=("did you mean steps['fetch-all'].output.data?",),
        never=("'fetch' is",),
    ),
    Warned(
        "a slug with a hyphen, and its beginning, which is a slug too",
        flow(echo("fetch", "fetch-all"), echo("fetch-all", "a"), echo("a", v="{{fetch-all}} {{fetch-all + fetch}}")),
        says=("did you mean steps['fetch-all'].output.data?", "did you mean steps.fetch.output.data?"),
    ),
    *(
        Warned(
            f"a subtraction that only looks like a slug: {template}",
            flow(sets("s", "fetch-all", total=5, all=1), echo("fetch-all", "total-1"), echo("total-1", "a"), reads),
            silent=True,
        )
        for template in (
            "{{total-1}}",
            "{{total-all}}",
            "{{x.fetch-all}}",
            "{{fetch - all}}",
            "{{(fetch)-all}}",
            "{{'fetch-all'}}",
            "{{xs.map(fetch => fetch-all)}}",
            "{{fetch-alls}}",
        )
        for reads in (echo("a", v=template),)
    ),
    Warned(
        "a slug in a condition, beside braces and in them",
        flow(
            echo("fetch-all", "fetch"),
            echo("fetch", "gate"),
            step("gate", "condition", {"expr": "{{fetch-all.n}} == 1 && fetch"}),
        ),
        says=(
            "/steps/2/config/expr",
            "did you mean steps['fetch-all'].output.data?",
            "did you mean steps.fetch.output.data?",
        ),
    ),
    Warned(
        "a slug that is a variable too",
        flow(sets("fetch", "a", fetch=1), echo("a", v="{{fetch}} {{fetch.x}}")),
        silent=True,
    ),
    Warned("variables.x is no fault", flow(sets("s", "a", n=1), echo("a", v="{{variables.n}}")), silent=True),
    Warned("the engine's ids are no fault", flow(echo("a", v="{{userId}}{{executionId}}")), silent=True),
    Warned("vars.x", flow(sets("s", "a", n=1), echo("a", v="{{vars.n}}")), says=("did you mean variables?",)),
    Warned("variables.secrets", flow(echo("a", v="{{variables.secrets.KEY}}")), says=("write secrets.NAME",)),
    Warned(
        "a step that is not there, by variables",
        flow(echo("fetch", "b"), echo("b", x="{{variables.steps.fetc.output.data}}")),
        says=("there is no step 'fetc'", "did you mean 'fetch'?"),
    ),
    Warned(
        "variables that a step sets are known",
        flow(sets("s", "a", inputs={"x": 1}), echo("a", x="{{inputs.x}}")),
        silent=True,
    ),
    Warned(
        "a sealed variable is visible where it comes from",
        flow(
            action("s", "set_variables", {"variables": [{"name": "t", "value": "{{t}}", "secure": True}]}, "a"),
            echo("a", v="{{secrets.t}}"),
        ),
        says=("/steps/0/config/parameters/variables/0/value", "stays readable in the output or input"),
    ),
    Warned(
        "a sealed variable with its value in the document",
        flow(action("s", "set_variables", {"variables": [{"name": "t", "value": "x", "secure": True}]})),
        says=("stands in this document", "perdure secrets set t"),
    ),
    *(
        Warned(
            f"a sealed variable read as {template}",
            flow(
                action("s", "set_variables", {"variables": [{"name": "t", "value": "{{x}}", "secure": True}]}, "a"),
                echo("a", v=template),
            ),
            says=("/steps/1/config/parameters/v", "write secrets.t"),
        )
        for template in ("{{t}}", "{{variables.t}}")
    ),
    Warned(
        "secure beside variables",
        flow(sets("s", t="{{x}}", secure=True)),
        says=("nothing is sealed here", "/steps/0/config/parameters/variables/secure"),
    ),
    Warned(
        "a sealed name that is a name of the step itself",
        flow(
            action("s", "set_variables", {"variables": [{"name": "t", "value": "x", "secure": True}]}, "a"),
            {**echo("a", v="{{t}}"), "inputMapping": {"t": "input.x"}},
        ),
        says=("stands in this document",),
        never=("reads as '***'",),
    ),
    Warned(
        "an output step with another key than mapping",
        flow(echo("a", "out"), step("out", "output", {"name": "Result", "value": "{{lastOutput.data}}"})),
        says=("/steps/1/config/value", "'value' means nothing here", "mapping"),
        never=("'name'",),
    ),
    Warned(
        "a key beside the mapping of an output step is no fault",
        flow(echo("a", "out"), step("out", "output", {"mapping": {"a": 1}, "value": 1})),
        silent=True,
    ),
    Warned(
        "a slug alone in an outputMapping",
        flow(echo("fetch", "a"), {**echo("a"), "outputMapping": {"d": "{{fetch}}", "e": "{{data}} {{output}}"}}),
        says=("/steps/1/outputMapping/d", "did you mean steps.fetch.output.data?"),
        never=("outputMapping/e",),
    ),
    Warned(
        "a slug alone that the input has by its schema",
        flow(
            echo("fetch", "a"),
            echo("a", v="{{fetch}}"),
            beside={"inputSchema": {"properties": {"fetch": {"type": "string"}}}},
        ),
        silent=True,
    ),
    Warned(
        "success misspelt",
        flow(echo("a", {"succes": "b", "default": "b"}), echo("b")),
        says=("/steps/0/nextSteps/succes", "did you mean 'success'?"),
    ),
    Warned(
        "an action without a way on, with strictPorts",
        flow(leaves("a", "vip", {"vip": "b"}), echo("b"), strictPorts=True),
        says=("if this step answers on 'success', the execution fails, because of strictPorts",),
    ),
    Warned("an approval by a role", flow(approval({"approved": "end"})), silent=True),
    Warned(
        "a name that config gives, misspelt",
        flow(step("gate", "condition", {"expr": "{{ input.n }} > {{ limitt }}"}), variables={"limit": 3}),
        says=("limitt", "did you mean 'limit'"),
    ),
    Warned(
        "a branch that ends in the middle of a loop",
        flow(
            step("each", "loop", {"items": [1, 2]}, {"loop": "gate", "done": "after"}),
            step("gate", "condition", {"expr": "loop.item > 1"}, {"true": "flag", "false": "each"}),
            echo("flag"),
            echo("after"),
        ),
        says=("flag", "in the middle of the loop 'each'"),
    ),
    Warned(
        "an end in the middle of a loop that is meant",
        flow(
            step("each", "loop", {"items": [1, 2]}, {"loop": "gate", "done": "after"}),
            step("gate", "condition", {"expr": "loop.item > 1"}, {"true": "end", "false": "each"}),
            echo("after"),
        ),
        silent=True,
    ),
)
