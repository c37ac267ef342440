"""Where a step leads: keys that name an outcome, then conditions in order, then `default`; and what ends a workflow."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import Holding
from run.orchestration.words import NO, YES, breaks, calls, decides, echo, flow, ways

ENDS = (YES, NO, echo("other", v="other"))


def _keyed(name: str, answer: dict[str, Any], leads: dict[str, Any], came: str) -> Case:
    return Case(f"outcome: {name}", flow(echo("a", leads, **answer), *ENDS), output={"v": came})


def _routed(name: str, *conditions: tuple[Any, Any], came: str = "yes", given: Any = None, default: Any = "no") -> Case:
    document = flow(echo("a", ways(*conditions, default=default), total=5, name="Ada", list=[1]), *ENDS)
    return Case(f"condition: {name}", document, {} if given is None else given, output={"v": came})


def _ends(name: str, leads: Any) -> Case:
    return Case(f"the end: {name}", flow(echo("a", leads, x=1), YES), output={"x": 1}, ran=("a",))


ROUTING: tuple[Case, ...] = (
    _keyed("by `outcome`", {"outcome": "approved"}, {"default": "no", "approved": "yes"}, "yes"),
    _keyed("by `status`", {"status": "PAID"}, {"default": "no", "PAID": "yes"}, "yes"),
    _keyed("`outcome` before `status`", {"outcome": "a1", "status": "s1"}, {"s1": "no", "a1": "yes"}, "yes"),
    _keyed("`status` where no key is called like the outcome", {"outcome": "x", "status": "s1"}, {"s1": "yes"}, "yes"),
    _keyed("none that fits", {"outcome": "x"}, {"default": "yes", "y": "no"}, "yes"),
    _keyed("exactly, in its case", {"outcome": "Paid"}, {"default": "yes", "paid": "no"}, "yes"),
    _keyed("before conditions", {"outcome": "x"}, ways(("true", "no"), default="no", x="yes"), "yes"),
    _keyed("conditions where no key fits", {"outcome": "x"}, ways(("true", "yes"), default="no", y="no"), "yes"),
    _keyed("that is no text", {"outcome": {"a": 1}}, {"default": "yes", "a": "no"}, "yes"),
    _keyed("of an answer that is no object", {}, {"default": "yes", "a": "no"}, "yes"),
    Case(
        "outcome: by the code of an error",
        flow(breaks("pay", {"default": "yes", "DECLINED": "no"}), YES, NO),
        output={"v": "no"},
        view={"status": "COMPLETED", "state.steps.pay.status": "FAILED", "state.steps.pay.error.code": "DECLINED"},
    ),
    Case(
        "outcome: of a time that was over",
        flow(calls("hangs", "a", {"default": "yes", "TIMEOUT": "no"}, timeout=20), YES, NO),
        output={"v": "no"},
    ),
    Case(
        "outcome: after the retries",
        flow(
            calls(
                *("flaky", "a", {"default": "yes", "BUSY": "no"}),
                input={"until": 9, "code": "BUSY"},
                retryPolicy={"maxAttempts": 2, "delay": 1},
            ),
            YES,
            NO,
        ),
        output={"v": "no"},
    ),
    Case(
        "outcome: a key is no error's that has another code",
        flow(breaks("pay", {"default": "yes", "BUSY": "no"}), YES, NO),
        exit=1,
        error={"code": "DECLINED"},
    ),
    Case(
        "outcome: a port of a task's own choice",
        flow(calls("leave", "a", {"default": "no", "vip": "yes"}, input={"port": "vip", "data": {}}), YES, NO),
        output={"v": "yes"},
    ),
    _routed("the first that is true", ("output.total > 9", "no"), ("output.total > 4", "yes"), ("true", "other")),
    _routed("none, so the default", ("output.total > 9", "no"), default="yes"),
    _routed("with ${ } around it", ("${output.total > 4}", "yes")),
    _routed("with ${ } around its parts", ("${output.total} > 4 && '${output.name}' == 'Ada'", "yes")),
    _routed("over the input", ("workflow.input.vip", "yes"), given={"vip": True}),
    _routed("over a step by its name", ("steps.a.output.total == 5", "yes")),
    _routed("that throws is false", ("output.name.map(x => x) == 1", "no"), came="other", default="other"),
    _routed("a text that is not empty", ("output.name", "yes")),
    _routed("a text that is empty", ("output.name.slice(0, 0)", "no"), default="yes"),
    _routed("a number", ("output.total", "yes")),
    _routed("zero", ("output.total - 5", "no"), default="yes"),
    _routed("a list", ("output.list", "yes")),
    _routed("what is not there", ("output.nothing", "no"), default="yes"),
    _routed("of what is not there", ("output.nothing.at.all == 3", "no"), default="yes"),
    _routed("loosely equal", ("output.total == '5'", "yes")),
    _routed("strictly equal", ("output.total === '5'", "no"), default="yes"),
    _routed("a member of a list", ("'Ada' in ['Ada', 'Bob']", "yes")),
    _routed("true as such", (True, "yes")),
    _routed("false as such", (False, "no"), default="yes"),
    Case(
        "a condition that throws is logged",
        flow(echo("a", ways(("output.name.map(x => x)", "no"), default="yes"), name="Ada"), *ENDS),
        output={"v": "yes"},
        view={"status": "COMPLETED"},
    ),
    Case(
        "no condition is true, and there is no default",
        flow(echo("a", ways(("output.x > 1", "no")), x=1), NO),
        output={"x": 1},
        ran=("a",),
    ),
    _ends("no transitions", None),
    _ends("empty transitions", {}),
    _ends("null", {"default": None}),
    _ends("an empty text", {"default": ""}),
    _ends("END", {"default": "END"}),
    _ends("end", {"default": "end"}),
    _ends("by a condition", ways(("true", "END"), default="yes")),
    _ends("by a condition to null", ways(("true", None), default="yes")),
    Case("the end: by an outcome", flow(echo("a", {"default": "yes", "done": None}, outcome="done"), YES), ran=("a",)),
    Case("a step called end is a step", flow(echo("a", "end"), echo("end", x="end")), output={"x": "end"}),
    Case("a step called END is a step", flow(echo("a", "END"), echo("END", x="end")), output={"x": "end"}),
    Case("a step called end is not END", flow(echo("a", "END", x=1), echo("end", x="end")), output={"x": 1}),
    Case(
        "a decision: `output` is what was there before it",
        flow(
            echo("a", "gate", total=5),
            decides(("output.total > 4", "b"), default="END"),
            echo("b", v="${steps.gate.output}"),
        ),
        output={"v": {"total": 5}},
        view={"state.steps.gate.output": {"total": 5}, "state.steps.gate.status": "COMPLETED"},
    ),
    Case(
        "a decision: an input of its own",
        flow(
            {**decides(("output.big", "yes"), default="no"), "input": {"big": "${workflow.input.n > 3}"}},
            YES,
            NO,
        ),
        {"n": 5},
        output={"v": "yes"},
    ),
    Case(
        "a decision: one after the other",
        flow(
            echo("a", "one", n=5),
            decides(("output.n > 4", "two"), id_="one", default="no"),
            decides(("output.n < 6", "yes"), id_="two", default="no"),
            *(YES, NO),
        ),
        output={"v": "yes"},
    ),
    Case(
        "a decision: no match and no default fails",
        flow(echo("a", "gate", n=1), decides(("output.n > 4", "yes"), ("output.n > 9", "yes")), YES),
        exit=1,
        error={"message": Holding("gate")},
        view={"status": "FAILED", "state.steps.gate.status": "FAILED"},
        says=("gate",),
    ),
    Case(
        "a decision: no match goes where `onFailure` says",
        flow({**decides(("false", "yes")), "onFailure": "no"}, YES, NO),
        output={"v": "no"},
    ),
    Case(
        "a choice",
        flow(
            {
                "stepId": "gate",
                "type": "CHOICE",
                "choices": [
                    {"condition": "workflow.input.n > 9", "nextStep": "no"},
                    {"condition": "${workflow.input.n > 4}", "nextStep": "yes"},
                ],
                "default": "no",
            },
            *(YES, NO),
        ),
        {"n": 5},
        output={"v": "yes"},
    ),
    Case(
        "a choice: the default beside the choices",
        flow(
            {
                "stepId": "gate",
                "type": "CHOICE",
                "choices": [{"condition": "false", "nextStep": "no"}],
                "default": "yes",
            },
            *(YES, NO),
        ),
        output={"v": "yes"},
    ),
    Case(
        "a choice: none fits, and there is no default",
        flow({"stepId": "gate", "type": "CHOICE", "choices": [{"condition": "false", "nextStep": "yes"}]}, YES),
        exit=1,
        error={"message": Holding("gate")},
    ),
)
