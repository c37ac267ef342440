"""Whether what a step is given fits what it takes, as `perdure validate` tells it."""

from __future__ import annotations

from typing import Any

from run.case import Judged, Warned
from run.expected import ABSENT, NUMBER, Holding
from run.phases.words import LISTS, Step, calls, each, echo, fires, flow, sleeps

TEXTS = {"type": "array", "items": {"type": "string"}}
FINDS = calls("crm/find", "find", input={"id": "17"})
SENT = calls("email/send-batch", "sent", input={"recipients": []})
TALLIES = calls("crm/tally", "tally", input={})


def _records(**given: Any) -> Step:
    return calls("crm/record", "it", input=given)


def _sends(**given: Any) -> Step:
    return calls("email/send-batch", "it", input=given)


def _mismatch(name: str, step: Step, field: str, message: Any, ref: str | None = None, **more: Any) -> Judged:
    """Of a step `it`, after `fetch-users`, `find`, `sent` and `tally`."""
    told = {"type": "type_mismatch", "step": "it", "field": field, "message": message, "line": NUMBER, **more}
    return Judged(
        f"mismatch: {name}",
        flow([LISTS, FINDS, SENT, TALLIES], step),
        ({**told, "ref": ABSENT if ref is None else ref},),
    )


def _fits(name: str, step: Step) -> Warned:
    """Nothing is said at all."""
    return Warned(f"fits: {name}", flow([LISTS, FINDS, SENT, TALLIES], step), silent=True)


def _doubt(name: str, step: Step, *says: str) -> Warned:
    return Warned(f"doubt: {name}", flow([LISTS, FINDS, SENT, TALLIES], step), says=says)


JUDGED: tuple[Judged, ...] = (
    _mismatch(
        "a number for texts, in the seed's words",
        _sends(recipients="@find.output.score"),
        "recipients",
        "Expected string[] but got number",
        "@find.output.score",
        path="/steps/1/0/input/recipients",
        expected=TEXTS,
        actual={"type": "number"},
    ),
    _mismatch(
        "a text for texts", _sends(recipients="@find.id"), "recipients", "Expected string[] but got string", "@find.id"
    ),
    _mismatch(
        "objects for texts",
        _sends(recipients="@fetch-users.users"),
        "recipients",
        Holding("Expected string[] but got { id: string; name: string; email: string; active: boolean }[]", "[]"),
        "@fetch-users.users",
    ),
    _mismatch(
        "an object for texts",
        _sends(recipients="@find.address"),
        "recipients",
        Holding("Expected string[] but got { city: string; zip?: "),
        "@find.address",
    ),
    _mismatch(
        "a text with refs in it for texts",
        _sends(recipients="to @find.id"),
        "recipients",
        "Expected string[] but got string",
    ),
    _mismatch(
        "one of a list that does not fit",
        _sends(recipients=["a", "@find.score"]),
        "recipients.1",
        "Expected string but got number",
        "@find.score",
        path="/steps/1/0/input/recipients/1",
    ),
    _mismatch(
        "what is written there",
        _sends(recipients="ann@example.com"),
        "recipients",
        "Expected string[] but got 'ann@example.com'",
    ),
    _mismatch(
        "a number that is written there",
        _sends(recipients=[], subject=5),
        "subject",
        "Expected string but got 5",
        expected={"type": "string"},
        actual={"const": 5},
    ),
    _mismatch(
        "null that is written there", _sends(recipients=[], subject=None), "subject", "Expected string but got null"
    ),
    _mismatch(
        "an object that is written there",
        _sends(recipients={"a": 1}),
        "recipients",
        Holding("Expected string[] but got"),
    ),
    _mismatch(
        "a list for a text", _sends(recipients=[], subject=["x"]), "subject", Holding("Expected string but got ['x']")
    ),
    _mismatch(
        "a key that is required",
        _sends(subject="x"),
        "recipients",
        Holding("Expected string[] but got nothing", "'recipients' is required"),
        path="/steps/1/0/input",
        expected=TEXTS,
    ),
    _mismatch("no key at all", calls("crm/record", "it", input={}), "id", Holding("Expected string but got nothing")),
    _mismatch(
        "a fraction for a whole number",
        _records(id="1", points="@find.score"),
        "points",
        Holding("Expected integer but got number"),
        "@find.score",
    ),
    _mismatch("a number that is not whole", _records(id="1", points=1.5), "points", "Expected integer but got 1.5"),
    _mismatch("another word than those", _records(id="1", level="middle"), "level", Holding("but got 'middle'")),
    _mismatch(
        "any text for some words", _records(id="1", level="@find.id"), "level", Holding("but got string"), "@find.id"
    ),
    _mismatch(
        "a key that nobody takes",
        _records(id="1", lvl="low"),
        "lvl",
        Holding("'lvl' is nothing that 'it' takes; did you mean 'level'?"),
        path="/steps/1/0/input/lvl",
    ),
    _mismatch(
        "what the phase before came to",
        calls("email/send-batch", "it"),
        "input",
        Holding("Expected { recipients: string[]", "'recipients' is required"),
        "@fetch-users.output and @find.output and @sent.output and @tally.output",
    ),
    _mismatch(
        "an object by one ref",
        {**calls("crm/record", "it"), "input": "@sent.output"},
        "input",
        Holding("Expected { id: string", "'id' is required"),
        "@sent.output",
    ),
    _mismatch(
        "a forEach over a number",
        each("@sent.sent", name="it"),
        "forEach",
        "Expected unknown[] but got integer",
        "@sent.sent",
        path="/steps/1/0/forEach",
    ),
    _mismatch(
        "an item",
        calls("crm/record", "it", forEach="@find.tags", input={"id": "1", "tags": "@item"}),
        "tags",
        "Expected string[] but got string",
        "@item",
    ),
    _mismatch(
        "the place of an item",
        calls("crm/record", "it", forEach="@find.tags", input={"id": "@index"}),
        "id",
        "Expected string but got integer",
        "@index",
    ),
    _mismatch(
        "a sleep until an object",
        sleeps("it", until="@find.address"),
        "until",
        Holding("but got { city: string"),
        "@find.address",
    ),
    _mismatch(
        "what may be null",
        _records(id="@find.address.zip"),
        "id",
        "Expected string but got string | null",
        "@find.address.zip",
    ),
    Judged(
        "mismatch: after one step",
        flow(SENT, calls("crm/record", "it")),
        (
            {
                "type": "type_mismatch",
                "step": "it",
                "field": "input",
                "ref": "@sent.output",
                "message": Holding("Expected { id: string", "but got { sent: integer }"),
            },
        ),
    ),
    Judged(
        "mismatch: of the workflow's own input",
        flow(_sends(recipients="@input.to"), inputSchema={"type": "object", "properties": {"to": {"type": "integer"}}}),
        ({"type": "type_mismatch", "ref": "@input.to", "message": "Expected string[] but got integer"},),
    ),
    Judged(
        "missing_ref: of the workflow's own input, which is closed",
        flow(
            echo("a", v="@input.too"),
            inputSchema={"type": "object", "properties": {"to": True}, "additionalProperties": False},
        ),
        (
            {
                "type": "missing_ref",
                "ref": "@input.too",
                "message": Holding("'too' is not in the input", "did you mean 'to'"),
            },
        ),
    ),
    Judged(
        "missing_ref: of a sleep, which has slept and ms",
        flow(sleeps("nap", ms=1), echo("b", v="@nap.output.time", w="@nap.ms")),
        ({"type": "missing_ref", "ref": "@nap.output.time", "message": Holding("there are slept, ms")},),
    ),
    Judged(
        "missing_ref: in a trigger, of an output that is closed",
        flow(SENT, triggers=[fires("child", n="@output.count", m="@output.sent")]),
        (
            {
                "type": "missing_ref",
                "step": "trigger-0",
                "ref": "@output.count",
                "field": "n",
                "message": Holding("'count' is not in the output of the execution"),
            },
        ),
    ),
    Judged(
        "missing_ref: in a trigger, of several",
        flow(
            [SENT, calls("crm/record", "rec", input={"id": "1"})],
            triggers=[fires("child", n="@output.count", m="@output.sent.sent", o="@output.ok", p="@output.sent")],
        ),
        (
            {
                "type": "missing_ref",
                "ref": "@output.count",
                "message": Holding(
                    "neither is it the name of one of its steps (sent, rec)", "nor has one of them such a key"
                ),
            },
        ),
    ),
    *(
        Judged(
            f"missing_schema: {name}",
            flow(calls(tool, "a", input={})),
            (
                {
                    "type": "missing_schema",
                    "step": "a",
                    "field": "tool",
                    "path": "/steps/0/0/tool",
                    "ref": tool.removeprefix("local/"),
                    "message": message,
                },
            ),
        )
        for name, tool, message in (
            (
                "an unknown connection",
                "nowhere/list",
                Holding("there is no connection 'nowhere' here", "@task('list', connection='nowhere')"),
            ),
            (
                "a connection that is misspelt",
                "emial/send-batch",
                Holding("there is no connection 'emial' here", "did you mean 'email'"),
            ),
            ("an unknown tool", "api/quantum", Holding("connection 'api' has no tool 'quantum'", "list-users")),
            (
                "a tool that is misspelt",
                "api/list-user",
                Holding("connection 'api' has no tool 'list-user'", "did you mean 'list-users'"),
            ),
            ("an unknown task", "quantum", Holding("there is no task 'quantum' here", "@task('quantum')")),
            (
                "a task that is called as what steps are made of",
                "transform",
                "there is no task 'transform' here; register it: @task('transform')",
            ),
            ("a task that is misspelt", "ecko", Holding("there is no task 'ecko' here", "did you mean 'echo'")),
        )
    ),
    Judged(
        "missing_schema: what reads of it is not told as well",
        flow(calls("api/quantum", "a", input={"x": 1}), _sends(recipients="@a.output.anything")),
        ({"type": "missing_schema", "step": "a"},),
    ),
)

WARNED: tuple[Warned, ...] = (
    _fits("texts", _sends(recipients="@find.output.tags", subject="@find.id")),
    _fits(
        "texts that are written there", _sends(recipients=["ann@example.com", "@find.id", "of @find.id"], subject="x")
    ),
    _fits(
        "a whole number for a number",
        each("@find.tags", "crm/record", name="it", input={"id": "@item", "points": "@index"}),
    ),
    _fits("words among those", _records(id="1", level="@find.level")),
    _fits("a word among those", _records(id="1", level="low", points=3.0)),
    _fits("what is in a list", _sends(recipients="@find.tags")),
    _fits("what no schema says", calls("crm/tally", "it", input={"x": "@sent.sent", "y": [{"z": "@find"}]})),
    _fits(
        "the input of the workflow, of which nothing is known", _sends(recipients="@input.to", subject="@input.about")
    ),
    _fits("what is open may have more keys", calls("crm/tally", "it", input={"x": "@tally.extra.deep[0]"})),
    _fits("a sleep until a text", sleeps("it", until="@find.id")),
    _fits(
        "an item of what the seed lists",
        calls("crm/record", "it", forEach="@fetch-users.users", input={"id": "@item.id"}),
    ),
    Warned("fits: what the phase before came to", flow(FINDS, calls("crm/tally", "it")), silent=True),
    Warned(
        "doubt: a tool that does not say what it answers with",
        flow(calls("crm/loose", "a", input={}), triggers=[fires("child", x="@output.x")]),
        says=(
            "unchecked",
            "/steps/0/0/tool",
            "the tool 'loose' of 'crm' does not say what it answers with",
            "crm/loose",
        ),
    ),
    Warned(
        "doubt: a task that does not say so",
        flow(echo("a"), {**sleeps(), "sleep": {"until": "@a.at"}}),
        says=("unchecked", "the task 'echo' does not say"),
    ),
    Warned(
        "doubt: a tool that does not say so, and what it answers with is given on",
        flow([calls("crm/loose", "a", input={}), FINDS], calls("email/send-batch", "it", input="@a")),
        says=("unchecked", "the tool 'loose' of 'crm' does not say"),
    ),
    Warned("fits: a tool that does not say so, and of which nothing is read", flow(echo("a"), echo("b")), silent=True),
    Warned(
        "doubt: what is read of it is not checked",
        flow(calls("crm/loose", "a"), _sends(recipients="@a.whatever.it.is")),
        says=("unchecked",),
    ),
    _doubt(
        "what may be missing for what is required",
        _records(id="@find.note"),
        "may_be_missing",
        "'id' is required, and @find.note may be missing",
    ),
    _doubt(
        "a key that an open output does not name, but one like it",
        calls("crm/tally", "it", input={"x": "@fetch-users.user", "y": "of @find.adress.city"}),
        "unknown_ref",
        "'user' is not named in the output of step 'fetch-users'",
        "did you mean 'users'",
        "'adress'",
    ),
    _doubt(
        "a key that an open tool does not name",
        _sends(recipients=[], sbject="x"),
        "unknown_key",
        "/steps/1/0/input/sbject",
        "did you mean 'subject'",
    ),
    _doubt("a forEach that gives each the same", calls("crm/tally", "it", forEach="@find.tags"), "no_item", "'@item'"),
    _doubt(
        "keys of a forEach without one",
        {**calls("crm/tally", "it", input={}), "maxIterations": 3, "concurrency": 2, "as": "x"},
        "'maxIterations' has an effect only beside 'forEach'",
        "'concurrency'",
        "'as'",
    ),
    _doubt(
        "what has no effect on a sleep",
        {**sleeps("it", ms=1), "input": {}, "timeout": 5},
        "'input' has no effect on a sleep",
        "'timeout' has no effect on a sleep",
    ),
    _doubt(
        "a key of a step that is misspelt",
        {**calls("crm/tally", "it", input={}), "foreach": "@find.tags"},
        "/steps/1/0/foreach",
        "did you mean 'forEach'",
    ),
    _doubt(
        "a key of a sleep that means nothing", sleeps("it", ms=1, seconds=5), "/steps/1/0/sleep/seconds", "ms, until"
    ),
    _doubt(
        "a key of a tool that means nothing",
        {"name": "it", "tool": {"connectionId": "crm", "toolName": "tally", "tool": "x"}},
        "/steps/1/0/tool/tool",
    ),
    _doubt(
        "a key of a retry that means nothing",
        calls("crm/tally", "it", input={}, retry={"maxAttempts": 2, "backofMs": 5}),
        "/steps/1/0/retry/backofMs",
        "did you mean 'backoffMs'",
    ),
    Warned("doubt: no steps", {"dialect": "phases", "steps": []}, says=("there are no steps", "completes at once")),
    Warned("doubt: an empty phase", flow(FINDS, []), says=("/steps/1", "this phase has no steps")),
    Warned(
        "doubt: a name that no ref can have",
        flow(calls("crm/tally", "step one", input={})),
        says=("/steps/0/0/name", "no ref can lead to"),
    ),
    Warned(
        "doubt: a key of the document that is misspelt",
        {**flow(FINDS), "trigers": []},
        says=("/trigers", "did you mean 'triggers'"),
    ),
    Warned(
        "doubt: a key of a trigger that means nothing",
        flow(FINDS, triggers=[fires("child", settings={"if": "@output.ok"})]),
        says=("/triggers/0/if", "means nothing here"),
    ),
    Warned(
        "doubt: an input that may be missing",
        flow(_sends(recipients="@input.to"), inputSchema={"type": "object", "properties": {"to": TEXTS}}),
        says=("may_be_missing", "@input.to"),
    ),
)
