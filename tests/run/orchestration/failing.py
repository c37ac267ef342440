"""What follows from a failure: retries, then the key for its code, then `onFailure`, then FAILED."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT, Holding
from run.orchestration.words import NO, YES, breaks, calls, echo, flow

TELLS = echo("tell", why="${error.message}", code="${steps.pay.error.code}")
ISO = Holding("T", "Z")


def _handled(
    name: str, on_failure: Any, output: Any, *more: dict[str, Any], leads: Any = "yes", code: str = "DECLINED"
) -> Case:
    document = flow(breaks("pay", leads, code=code, onFailure=on_failure), *more, YES, NO)
    return Case(f"onFailure: {name}", document, {"order": 17}, output=output, view={"status": "COMPLETED"})


def _fails(name: str, on_failure: Any, *says: str, code: str = "DECLINED") -> Case:
    document = flow(breaks("pay", "yes", code=code, onFailure=on_failure), YES, NO)
    return Case(f"onFailure: {name}", document, exit=1, error={"code": code}, says=says, view={"status": "FAILED"})


TOLD = {"why": "the card was declined", "code": "DECLINED"}
BY_CODE = {"conditions": [{"errorCode": "BUSY", "nextStepId": "no"}, {"errorType": "DECLINED", "nextStepId": "yes"}]}

FAILING: tuple[Case, ...] = (
    Case(
        "a failure that nobody handles",
        flow(breaks("pay", "yes"), YES),
        exit=1,
        error={"code": "DECLINED", "category": "PERMANENT", "retriable": False},
        ran=("pay",),
        view={
            "status": "FAILED",
            "output": None,
            "error.code": "DECLINED",
            "error.message": Holding("the card was declined"),
            "error.timestamp": ISO,
            "completedAt": ISO,
            "compensationState": None,
            "state.currentStepId": None,
            "state.steps.pay.status": "FAILED",
            "state.steps.pay.output": ABSENT,
            "state.steps.pay.completedAt": ISO,
            "state.steps.pay.error": {
                "message": "the card was declined",
                "category": "PERMANENT",
                "code": "DECLINED",
                "retriable": False,
                "timestamp": ISO,
                "stackTrace": Holding("tasks.py"),
            },
        },
    ),
    _handled("a step", "tell", TOLD, TELLS),
    _handled("a handler", {"handlerStepId": "tell"}, TOLD, TELLS),
    _handled("nextStepId says the same", {"action": "continue", "nextStepId": "tell"}, TOLD, TELLS),
    _handled("to the end", "END", None),
    _handled("continue", "continue", {"v": "yes"}),
    _handled("continue, by its action", {"action": "continue"}, {"v": "yes"}),
    _handled("continue without a default ends", "continue", None, leads=None),
    _handled("a key for the code is before it", "no", {"v": "yes"}, leads={"default": "no", "DECLINED": "yes"}),
    _handled("a key for another code is not", "yes", {"v": "yes"}, leads={"default": "no", "BUSY": "no"}),
    _handled("by the code of the error", {"errorHandler": BY_CODE}, {"v": "yes"}),
    _handled(
        "by its category",
        {"errorHandler": {"conditions": [{"errorType": "PERMANENT", "nextStepId": "yes"}]}},
        {"v": "yes"},
    ),
    _handled(
        "a handler for the other codes",
        {"errorHandler": BY_CODE, "handlerStepId": "tell"},
        {"why": "the card was declined", "code": "LOST"},
        TELLS,
        code="LOST",
    ),
    _handled(
        "inputMapping",
        {"handlerStepId": "tell", "inputMapping": {"order": "${workflow.input.order}", "why": "error.message", "n": 3}},
        {"order": 17, "why": "the card was declined", "n": 3},
        calls("echo", "tell"),
    ),
    _handled(
        "inputMapping over the handler's own input",
        {"handlerStepId": "tell", "inputMapping": {"why": "${error.code}"}},
        {"why": "DECLINED", "kept": 17},
        calls("echo", "tell", input={"why": "none", "kept": "workflow.input.order"}),
    ),
    _handled(
        "inputMapping over an input that is computed",
        {"handlerStepId": "tell", "inputMapping": {"why": "${error.code}"}},
        {"why": "DECLINED", "order": 17},
        calls("echo", "tell", input="${workflow.input}"),
    ),
    Case(
        "onFailure: a handler that is also reached otherwise keeps its own input",
        flow(
            echo("a", {"default": "tell", "skip": "pay"}, outcome="go"),
            breaks("pay", onFailure={"handlerStepId": "tell", "inputMapping": {"why": "${error.code}"}}),
            calls("echo", "tell", input={"why": "none", "kept": 1}),
        ),
        output={"why": "none", "kept": 1},
    ),
    Case(
        "onFailure: a handler goes on to where it leads",
        flow(breaks("pay", "no", onFailure="mend"), echo("mend", "yes"), YES, NO),
        output={"v": "yes"},
        ran=("pay", "mend", "yes"),
    ),
    Case(
        "onFailure: a handler may lead back",
        flow(
            {**calls("picky", "pay", "yes", input={"item": "${steps.mend.output.item ?? 'bad'}"}), "onFailure": "mend"},
            echo("mend", "pay", item="good"),
            YES,
        ),
        output={"v": "yes"},
        view={"state.steps.pay.status": "COMPLETED", "state.steps.pay.error": ABSENT, "state.steps.pay.output": "good"},
    ),
    Case(
        "onFailure: a handler that fails, too",
        flow(breaks("pay", onFailure="mend"), breaks("mend", code="WORSE")),
        exit=1,
        error={"code": "WORSE"},
        ran=("pay", "mend"),
    ),
    Case(
        "onFailure: after the retries",
        flow(
            calls(
                *("flaky", "pay", "no"),
                input={"until": 9},
                retryPolicy={"maxAttempts": 2, "delay": 1},
                onFailure="tell",
            ),
            echo("tell", why="${error.message}"),
            NO,
        ),
        output={"why": "attempt 2 fails"},
    ),
    Case(
        "onFailure: of a time that was over",
        flow(calls("hangs", "pay", timeout=20, onFailure="tell"), TELLS),
        output={"why": Holding("20"), "code": "TIMEOUT"},
    ),
    _fails("stop", "stop"),
    _fails("stop, by its action", {"action": "stop"}),
    _fails("by codes, none of which it has", {"errorHandler": BY_CODE}, code="LOST"),
    Case(
        "what cannot be computed fails the step",
        flow(echo("a", "b", name="Ada"), echo("b", v="${steps.a.output.name.map(x => x)}")),
        exit=1,
        view={"state.steps.b.status": "FAILED"},
        says=("map",),
    ),
)
