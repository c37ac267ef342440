"""What a step is given, what an execution comes to, and with what it is not started at all."""

from __future__ import annotations

from run.case import Case
from run.expected import Holding
from run.phases.words import LISTS, breaks, calls, each, echo, flow, gives, sleeps

TAKES_TO = calls("email/send-batch", "send", input={"recipients": "@input.to", "subject": "@input.about"})

INPUTS: tuple[Case, ...] = (
    Case(
        "input: absent, in the first phase, is that of the workflow",
        flow(calls("echo", "a")),
        {"x": 1},
        output={"x": 1},
    ),
    Case("input: absent, and nothing was given", flow(calls("echo", "a")), output={}),
    Case("input: absent, and what was given is a list", flow(calls("echo", "a")), [1, 2], output=[1, 2]),
    Case("input: absent, and what was given is null", flow(calls("echo", "a"), name="x"), None, output={}),
    Case("input: absent, after one step", flow(gives("a", [1]), calls("echo", "b")), output=[1]),
    Case(
        "input: absent, after one that came to nothing",
        flow(calls("nothing", "a", input={}), calls("echo", "b")),
        output=None,
    ),
    Case(
        "input: absent, after several",
        flow([gives("a", [1]), gives("b-2", {"r": 2})], calls("echo", "c")),
        output={"a": [1], "b-2": {"r": 2}},
    ),
    Case("input: absent, after a sleep", flow(sleeps(ms=0), calls("echo", "b")), output={"slept": True, "ms": 0}),
    Case("input: absent, after an empty phase", flow(gives("a", 1), [], calls("echo", "b")), output=1),
    Case(
        "input: absent, in several steps of the first phase",
        flow([calls("echo", "a"), calls("echo", "b")]),
        {"x": 1},
        output={"a": {"x": 1}, "b": {"x": 1}},
    ),
    Case(
        "input: absent, after a forEach",
        flow(each("@input"), calls("echo", "b")),
        [1, 2],
        output=[{"it": 1}, {"it": 2}],
    ),
    Case("input: null is as if it were absent", flow(gives("a", 7), {**calls("echo", "b"), "input": None}), output=7),
    Case("input: {} stays {}", flow(gives("a", 7), calls("echo", "b", input={})), {"x": 1}, output={}),
    Case(
        "input: constants of every kind",
        flow(echo("a", t="x", n=1, f=1.5, b=True, z=None, l=[], o={})),
        output={"t": "x", "n": 1, "f": 1.5, "b": True, "z": None, "l": [], "o": {}},
    ),
    Case(
        "input: of the view, with what was given",
        flow(echo("a", x="@input.x")),
        {"x": 3},
        view={"input": {"x": 3}, "steps.a.input": {"x": 3}},
    ),
    Case("output: of the last phase", flow(gives("a", 1), gives("b", 2)), output=2),
    Case(
        "output: of several, by their names",
        flow(gives("z", 1), [gives("b", 2), gives("a", None)]),
        output={"b": 2, "a": None},
    ),
    Case("output: of a step that came to null", flow(calls("nothing", "a", input={})), output=None),
    Case("output: none without steps", flow(dialect="phases"), {"x": 1}, output=None),
    Case(
        "output: none of what failed",
        flow(breaks()),
        exit=1,
        view={"output": None, "error": "pay: the card was declined"},
    ),
    Case("start: refused without what a tool requires", flow(TAKES_TO), {"about": "x"}, exit=2, says=("to",)),
    Case("start: refused without any input", flow(TAKES_TO), exit=2, says=("to",)),
    Case(
        "start: what a tool does not require may be left out", flow(TAKES_TO), {"to": ["a@b.org"]}, output={"sent": 1}
    ),
    Case(
        "start: a key deep inside is required, too",
        flow(calls("email/send-batch", "send", input={"recipients": "@input.mail.to"})),
        {"mail": {}},
        exit=2,
        says=("to", "mail"),
    ),
    Case(
        "start: what a later phase requires is required at once",
        flow(LISTS, calls("email/send-batch", "send", input={"recipients": "@input.to"})),
        {},
        exit=2,
        says=("to",),
    ),
    Case(
        "start: what a tool requires that is given all of it",
        flow(calls("email/send-batch", "send")),
        {"subject": "x"},
        exit=2,
        says=("recipients",),
    ),
    Case(
        "start: what a tool requires that is given @input",
        flow(calls("email/send-batch", "send", input="@input")),
        {"subject": "x"},
        exit=2,
        says=("recipients",),
    ),
    Case(
        "start: what the whole input has to be for a tool",
        flow(calls("email/send-batch", "send")),
        {"recipients": []},
        output={"sent": 0},
    ),
    Case(
        "start: a text with a ref in it requires nothing",
        flow(calls("email/send-batch", "send", input={"recipients": [], "subject": "of @input.x"})),
        {},
        output={"sent": 0},
    ),
    Case("start: what nobody requires may be missing", flow(echo("a", x="@input.x", y="@input.deep.z")), {}, output={}),
    Case("start: an input that is no object, where none is required", flow(echo("a", x="@input.x")), "text", output={}),
    Case("start: an input that is no object, where one is", flow(TAKES_TO), "text", exit=2, says=("object",)),
    Case(
        "start: inputSchema",
        flow(
            echo("a", x="@input.x"),
            inputSchema={"type": "object", "required": ["x"], "properties": {"x": {"type": "integer"}}},
        ),
        {"x": "three"},
        exit=2,
        says=("x", "integer"),
    ),
    Case(
        "start: inputSchema and what tools require, together",
        flow(TAKES_TO, inputSchema={"type": "object", "properties": {"about": {"type": "string"}}}),
        {"about": 3},
        exit=2,
        says=("to", "about"),
    ),
    Case(
        "start: inputSchema that fits",
        flow(
            TAKES_TO,
            inputSchema={"type": "object", "properties": {"to": {"type": "array", "items": {"type": "string"}}}},
        ),
        {"to": ["x"], "about": "y"},
        output={"sent": 1},
    ),
    Case(
        "start: a schema that only data can judge",
        flow(echo("a"), inputSchema={"type": "object", "properties": {"n": {"minimum": 5}}}),
        {"n": 3},
        exit=2,
        says=("5",),
    ),
    Case(
        "a tool that does not take what it is given",
        flow(gives("a", {"id": 5}), calls("crm/find", "b")),
        exit=1,
        view={"steps.b.status": "failed", "error": Holding("id")},
        says=("VALIDATION",),
    ),
)
