"""`onError: continue` on a step without forEach: its output is null, its error is recorded, and the phase goes on."""

from __future__ import annotations

from typing import Any, Literal

from run.case import Case, Judged
from run.expected import ABSENT, Holding
from run.phases.words import CHILD, breaks, calls, echo, fires, flow, gives, sleeps
from run.stories import Act, Story, runs, shows, story, works

_LENIENT = breaks("a", "no disk", onError="continue")
_OPEN = calls("flaky", "a", input={"until": 9}, onError="continue")
"""What it gives is not known."""
_CLOSED = (
    "interface Input {}\ninterface Output { email: string }\nexport default (input: Input): Output => ({ email: '' })"
)
_THROWS = "export default (input) => { throw new Error('odd') }"

CONTINUING: tuple[Case, ...] = (
    Case(
        "continue: the output is null, and the error is recorded",
        flow(_LENIENT, echo("b", a="@a", x=1)),
        output={"a": None, "x": 1},
        view={
            "status": "completed",
            "error": None,
            "steps.a.status": "failed",
            "steps.a.error": "no disk",
            "steps.a.output": None,
            "steps.b.output": {"a": None, "x": 1},
        },
    ),
    Case(
        "continue: beside others, the phase goes on",
        flow([_LENIENT, gives("b", 2)], echo("c", a="@a.output", b="@b")),
        output={"a": None, "b": 2},
        ran=("a", "b", "c"),
    ),
    Case(
        "continue: one that succeeds",
        flow({**gives("a", 1), "onError": "continue"}, echo("b", a="@a")),
        output={"a": 1},
        view={"steps.a.status": "completed", "steps.a.error": ABSENT},
    ),
    Case(
        "continue: after the last retry",
        flow(
            calls("flaky", "a", input={"until": 9}, retry={"maxAttempts": 2, "backoffMs": 1}, onError="continue"),
            echo("b", a="@a"),
        ),
        output={"a": None},
        view={"steps.a.attempts": 2, "steps.a.error": "attempt 2 fails"},
    ),
    Case("continue: the last of all", flow(gives("z", 1), _LENIENT), output=None, view={"status": "completed"}),
    Case(
        "continue: among the last",
        flow([_LENIENT, gives("b", 2)]),
        output={"a": None, "b": 2},
    ),
    Case(
        "continue: a part of what is null is undefined",
        flow(_OPEN, echo("b", part="@a.x.y", text="got @a, @a.x")),
        output={"text": Holding("got ,")},
    ),
    Case(
        "continue: what follows without an input is given null",
        flow(_LENIENT, calls("echo", "b")),
        output=None,
    ),
    Case(
        "continue: another that fails fails the execution",
        flow([_LENIENT, breaks("b", "no net")], gives("c", 1)),
        exit=1,
        view={"error": "b: no net", "steps.a.error": "no disk", "steps.a.output": None, "steps.b.output": ABSENT},
    ),
    Case(
        "continue: a transform",
        flow({"name": "a", "transform": _THROWS, "onError": "continue"}, echo("b", a="@a")),
        output={"a": None},
        view={"steps.a.error": Holding("odd")},
    ),
    Case(
        "continue: a sleep until nothing",
        flow(gives("z", "soon"), {**sleeps("a", until="@z"), "onError": "continue"}, echo("b", a="@a")),
        output={"a": None},
    ),
    Case(
        "continue: a timeout",
        flow(calls("hangs", "a", input={}, timeout=20, onError="continue"), echo("b", a="@a")),
        output={"a": None},
    ),
    Case(
        "continue: null leads somewhere in a trigger",
        flow(_OPEN, triggers=[fires("child", a="@a"), fires("child", a="@a.x")]),
        beside=(CHILD,),
        output=None,
        view={"triggerResults.0.status": "triggered", "triggerResults.1.status": "skipped"},
    ),
    Case(
        "refused: another way with errors, without a forEach",
        flow(breaks("a", onError="skip")),
        exit=2,
        says=("/steps/0/0/onError", "fail, continue"),
    ),
)


def _foreign(key: str, value: Any, *says: str, of: Literal["document", "step", "trigger"] = "step") -> Judged:
    """A key of other engines that changes what runs."""
    given = {key: value}
    path = {"document": f"/{key}", "step": f"/steps/0/0/{key}", "trigger": f"/triggers/0/{key}"}[of]
    more = given if of == "document" else {"triggers": [fires("child", settings=given)]} if of == "trigger" else {}
    return Judged(
        f"a key of other engines: {key} {value} at {path}",
        flow({**gives("a", 1), **(given if of == "step" else {})}, gives("b", 2), **more),
        problems=({"type": "invalid_document", "path": path, "field": key, "message": Holding(*says)},),
    )


def _held(key: str, *says: str, by: str, of: Literal["document", "step", "trigger"]) -> Judged:
    """Such a key in an object that settings stand in."""
    holder: dict[str, Any] = {key: 1}
    if by == "tool":
        holder |= {"connectionId": "local", "toolName": "value"}
    given = {by: holder}
    place = {"document": "", "step": "/steps/0/0", "trigger": "/triggers/0"}[of]
    more = given if of == "document" else {"triggers": [fires("child", settings=given)]} if of == "trigger" else {}
    return Judged(
        f"a key of other engines: {key} in {by} of the {of}",
        flow({**gives("a", 1), **(given if of == "step" else {})}, gives("b", 2), **more),
        problems=(
            {"type": "invalid_document", "path": f"{place}/{by}/{key}", "field": key, "message": Holding(*says)},
        ),
    )


FOREIGN: tuple[Judged, ...] = (
    *(
        _held(key, says, by=by, of="step")
        for by in ("tool", "retry", "execution")
        for key, says in (("bail", "cannot end early"), ("maxSteps", "no limit of steps"), ("max_steps", "no limit"))
    ),
    *(
        _held(key, says, by=by, of="document")
        for by in ("config", "settings", "options", "Config")
        for key, says in (("bail", "cannot end early"), ("maxSteps", "no limit of steps"))
    ),
    _held("bail", "cannot end early", by="config", of="step"),
    Judged(
        "a key of other engines: bail in a sleep",
        flow({"name": "a", "sleep": {"ms": 1, "bail": True}}),
        problems=(
            {
                "type": "invalid_document",
                "path": "/steps/0/0/sleep/bail",
                "field": "bail",
                "message": Holding("cannot end early"),
            },
        ),
    ),
    _held("maxSteps", "no limit of steps", by="options", of="trigger"),
    _foreign("bail", True, "cannot end early", "transform"),
    _foreign("bail", {"ref": "@a.x", "eq": 1}, "cannot end early"),
    _foreign("bail", True, "cannot end early", of="document"),
    _foreign("maxSteps", 5, "no limit of steps"),
    _foreign("maxSteps", 5, "no limit of steps", of="document"),
    _foreign("bail", True, "cannot end early", of="trigger"),
    _foreign("maxSteps", 5, "no limit of steps", of="trigger"),
    _foreign("Bail", True, "cannot end early", of="document"),
    *(
        _foreign(key, 5, "no limit of steps", of=of)
        for key in ("max_steps", "max-steps", "MaxSteps")
        for of in ("document", "step", "trigger")
    ),
    *(_foreign(key, "@a.x", "unconditional") for key in ("when", "if", "unless", "condition")),
    _foreign("transformCode", "x", "a step of its own"),
)

JUDGED: tuple[Judged, ...] = (
    Judged(
        "what an input holds is no setting",
        flow(calls("echo", "a", input={"bail": 1, "config": {"bail": 1}}), config={"theme": {"bail": 1}}),
    ),
    Judged("continue: nothing is said of it", flow(_LENIENT, echo("b", a="@a"))),
    Judged(
        "continue: what cannot be null is not given it",
        flow(
            calls("api/list-users", "a", onError="continue"),
            calls("email/send-batch", "b", input={"recipients": "@a.users"}),
        ),
        problems=({"type": "type_mismatch", "path": "/steps/1/0/input/recipients"},),
    ),
    *FOREIGN,
    Judged(
        "a key that a closed Output lacks",
        flow(
            {
                "name": "a",
                "transform": _CLOSED,
                "input": {},
            },
            echo("b", x="@a.phone"),
        ),
        problems=(
            {"type": "missing_ref", "path": "/steps/1/0/input/x", "message": Holding("declare it optional", "phone?:")},
        ),
    ),
    Judged(
        "a key that a closed Output lacks, and that has to be quoted",
        flow({"name": "a", "transform": _CLOSED, "input": {}}, echo("b", x="@a.first-name")),
        problems=({"type": "missing_ref", "message": Holding("declare it optional, as 'first-name'?: …")},),
    ),
    Judged(
        "a key that a closed Output lacks, and one is like it",
        flow(
            {
                "name": "a",
                "transform": _CLOSED,
                "input": {},
            },
            echo("b", x="@a.emial"),
        ),
        problems=(
            {"type": "missing_ref", "message": Holding("did you mean 'email'?", "declare it optional", "emial?:")},
        ),
    ),
)

RETRIED: tuple[Story, ...] = (
    story(
        "continue: a retry of the execution leaves what was passed over",
        runs(flow([_LENIENT, breaks("b", "no net")], gives("c", 1)), exit=1),
        Act(("executions", "retry", "$0")),
        works(),
        shows(status="failed", steps__a__status="failed", steps__a__error="no disk", steps__a__output=None),
    ),
)
