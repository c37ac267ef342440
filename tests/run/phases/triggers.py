"""Triggers: what an execution starts once it has completed, and what becomes of each."""

from __future__ import annotations

from typing import Any

from perdure.model.values import Json
from run.case import Case
from run.expected import ABSENT, TEXT, Holding
from run.orchestration import words as orchestration
from run.phases.words import CHILD, breaks, calls, echo, fires, flow, gives, sleeps
from run.ports import words as ports
from run.stories import Act, File, Story, runs, saves, shows, stand, story, works
from run.typed import TASKS


def _fires(name: str, of: Any, trigger: Json, status: str, /, **view: Any) -> Case:
    """One trigger of an execution that comes to this, and `child` is there."""
    return Case(
        f"trigger: {name}",
        flow(gives("a", of), triggers=[trigger]),
        {"who": "Eve"},
        output=of,
        view={"triggerResults.0.status": status, **view},
        beside=(CHILD,),
    )


def _started(
    name: str, of: Any, trigger: Json, *given: Any, phases: tuple[Any, ...] = (), others: tuple[Json, ...] = (CHILD,)
) -> Story:
    """What was started completes with its input, which `child` comes to."""
    count = len(given)
    return story(
        f"started: {name}",
        *map(saves, others),
        runs(
            flow(*(phases or (gives("a", of),)), triggers=[trigger]), {"who": "Eve"}, exit=0, triggerStatus="triggered"
        ),
        works(),
        stand(*["completed"] * (1 + count)),
        *(shows(1 + number, output=each, parentExecutionId=TEXT, triggerDepth=1) for number, each in enumerate(given)),
    )


def _skipped(name: str, of: Any, *undefined: str, over: str | None = None, **inputs: Any) -> Case:
    return _fires(
        f"skipped, {name}",
        of,
        fires("child", over=over, **inputs),
        "skipped",
        **{
            "triggerResults.0.reason": Holding(*undefined),
            "triggerResults.0.executionIds": [],
            "triggerStatus": "triggered",
            "triggeredExecutionIds": [],
        },
    )


TRIGGERS: tuple[Case, ...] = (
    _fires(
        "fired",
        {"id": 7},
        fires("child", id="@output.id"),
        "triggered",
        **{
            "triggerStatus": "triggered",
            "triggeredExecutionIds.0": TEXT,
            "triggeredExecutionIds.1": ABSENT,
            "triggerResults.0.triggerId": "trigger-0",
            "triggerResults.0.workflowId": "child",
            "triggerResults.0.executionIds.0": TEXT,
            "triggerResults.0.error": ABSENT,
            "triggerResults.0.reason": ABSENT,
        },
    ),
    Case(
        "trigger: absent without triggers",
        flow(gives("a", 1)),
        view={"triggerStatus": ABSENT, "triggerResults": ABSENT},
    ),
    Case("trigger: an empty list is none", flow(gives("a", 1), triggers=[]), view={"triggerStatus": ABSENT}),
    _skipped("an undefined ref", {"id": 7}, "@output.email", x="@output.id", y="@output.email"),
    _skipped("an undefined ref, deep", {"id": 7}, "@output.email", x={"y": [{"z": "@output.email"}]}),
    _skipped("an undefined ref in a text", {"id": 7}, "@output.email", x="to @output.email!"),
    _skipped("an undefined ref of a step", {"id": 7}, "@a.output.email", x="@a.output.email"),
    _skipped("an undefined ref of the input", {}, "@input.nobody", x="@input.nobody"),
    _skipped("an undefined ref in a key", {}, "@output.key", x={"@output.key": 1}),
    _skipped("an undefined forEach", {}, "undefined", over="@output.items", x="@item"),
    _skipped(
        "an undefined ref beside items",
        {"items": [1]},
        "@output.batch",
        over="@output.items",
        x="@item",
        b="@output.batch",
    ),
    _fires("null resolves", {"email": None}, fires("child", x="@output.email"), "triggered"),
    _fires("e-mail addresses are no refs", {}, fires("child", x="ops@example.com", y="ask @nobody"), "triggered"),
    _fires("nothing to resolve", 1, fires("child"), "triggered"),
    _fires(
        "for each item",
        [1, 2, 3],
        fires("child", over="@output", n="@item"),
        "triggered",
        **{"triggeredExecutionIds.2": TEXT, "triggeredExecutionIds.3": ABSENT},
    ),
    _fires(
        "for no item",
        {"items": []},
        fires("child", over="@output.items", n="@item"),
        "triggered",
        triggerStatus="triggered",
        triggeredExecutionIds=[],
    ),
    _fires(
        "for each item that resolves",
        [{"id": 1}, {}, {"id": None}],
        fires("child", over="@output", n="@item.id"),
        "triggered",
        **{"triggerResults.0.skippedItems": [1], "triggeredExecutionIds.1": TEXT, "triggeredExecutionIds.2": ABSENT},
    ),
    *(
        _fires(
            f"a forEach over {what}",
            {"items": items},
            fires("child", over="@output.items", n="@item"),
            "failed",
            **{
                "triggerStatus": "failed",
                "triggerResults.0.error": Holding("an array", f"not of {what}"),
                "status": "completed",
            },
        )
        for what, items in (("an object", {"a": 1}), ("a text", "abc"), ("null", None), ("a number", 5))
    ),
    Case(
        "trigger: an unknown workflow",
        flow(gives("a", 1), triggers=[fires("nobody-knows"), fires("child")]),
        output=1,
        view={
            "status": "completed",
            "triggerStatus": "failed",
            "triggerResults.0.status": "failed",
            "triggerResults.0.error": Holding("nobody-knows"),
            "triggerResults.1.status": "triggered",
            "triggeredExecutionIds.0": TEXT,
        },
        beside=(CHILD,),
    ),
    Case(
        "trigger: one is skipped and one is fired",
        flow(gives("a", {"ok": True}), triggers=[fires("child", x="@output.bad"), fires("child", x="@output.ok")]),
        view={
            "triggerStatus": "triggered",
            "triggerResults.0.status": "skipped",
            "triggerResults.1.status": "triggered",
        },
        beside=(CHILD,),
    ),
    Case(
        "trigger: not of what failed",
        flow(breaks("a"), triggers=[fires("child")]),
        exit=1,
        view={"triggerStatus": ABSENT},
        beside=(CHILD,),
    ),
    Case(
        "trigger: a workflow of another dialect",
        flow(gives("a", {"id": 7}), triggers=[fires("booking", id="@output.id")]),
        view={"triggerStatus": "triggered", "triggeredExecutionIds.0": TEXT},
        beside=(orchestration.flow(orchestration.echo("a", got="${workflow.input.id}"), name="booking"),),
    ),
    Case(
        "trigger: without steps",
        flow(dialect="phases", triggers=[fires("child", x="@input.x", y="@output")]),
        {"x": 1},
        view={"triggerStatus": "triggered"},
        beside=(CHILD,),
    ),
)

CIRCLE = flow(echo("turn", n="@input.n"), name="circle", triggers=[fires("circle", n="@output.n")])
THERE = flow(gives("a", 1), name="there", triggers=[fires("back")])
BACK = flow(gives("a", 1), name="back", triggers=[fires("there")])
MISSING = flow(gives("a", [1, 2]), triggers=[fires("late", over="@output", n="@item"), fires("child", n=1)])


def _tells(document: Json, *says: str) -> Act:
    return Act(("workflows", "save", File(document), "--tasks", TASKS), says=says)


STORIES: tuple[Story, ...] = (
    _started(
        "by refs of every kind",
        {"id": 7, "name": "Ann"},
        fires(
            "child",
            id="@output.id",
            a="@a.name",
            who="@input.who",
            all="@output",
            text="of @output.name",
            n=1,
            deep=[{"x": "@a.id"}],
        ),
        {
            "id": 7,
            "a": "Ann",
            "who": "Eve",
            "all": {"id": 7, "name": "Ann"},
            "text": "of Ann",
            "n": 1,
            "deep": [{"x": 7}],
        },
    ),
    _started("null is given on", {"x": None}, fires("child", x="@output.x"), {"x": None}),
    _started(
        "one for each item",
        [{"id": "a"}, {"id": "b"}],
        fires("child", over="@output", item="@item.id", at="@index", who="@input.who"),
        {"item": "a", "at": 0, "who": "Eve"},
        {"item": "b", "at": 1, "who": "Eve"},
    ),
    _started("none for no item", [], fires("child", over="@output", item="@item")),
    _started(
        "by a step's name, of several",
        None,
        fires("child", both="@output.b", key="@output.only", last="@output.same", all="@output"),
        {"both": {"same": 2}, "key": 1, "last": 2, "all": {"a": {"only": 1, "same": 1}, "b": {"same": 2}}},
        phases=([gives("a", {"only": 1, "same": 1}), gives("b", {"same": 2})],),
    ),
    _started(
        "by a step of an earlier phase",
        None,
        fires("child", x="@one.x", y="@output"),
        {"x": 1, "y": 2},
        phases=(gives("one", {"x": 1}), gives("two", 2)),
    ),
    story(
        "started: workflows of other dialects",
        saves(orchestration.flow(orchestration.echo("a", got="${workflow.input.id}"), name="booking")),
        saves(ports.flow(ports.echo("a", got="{{input.id}}"), name="routing")),
        saves(
            {
                "name": "joining",
                "nodes": [
                    {"id": "s", "type": "MANUAL_TRIGGER"},
                    {"id": "set", "type": "SET", "data": {"values": {"got": "{{id}}"}}},
                ],
                "connections": [{"fromNodeId": "s", "toNodeId": "set"}],
            }
        ),
        runs(
            flow(
                gives("a", {"id": 7}),
                triggers=[
                    fires("booking", id="@output.id"),
                    fires("routing", id="@output.id"),
                    fires("joining", id="@output.id"),
                ],
            ),
            exit=0,
            triggerStatus="triggered",
        ),
        works(),
        stand("completed", "completed", "completed", "completed"),
        Act(("executions", "show", "$1"), told={"output": {"got": 7}, "dialect": "orchestration"}),
        Act(("executions", "show", "$2"), told={"output": {"got": 7}, "dialect": "ports"}),
        Act(("executions", "show", "$3"), told={"output.got": 7, "dialect": "graph"}),
    ),
    story(
        "a trigger is fired again once there is what it starts",
        saves(CHILD),
        runs(MISSING, exit=0, triggerStatus="failed"),
        works(),
        stand("completed", "completed"),
        Act(("executions", "refire", "$0"), told={"triggers.0.status": "pending"}),
        saves(flow(calls("echo", "works"), name="late")),
        Act(("executions", "refire", "$0", "--trigger", "trigger-0")),
        works(),
        stand("completed", "completed", "completed", "completed"),
        shows(0, triggerStatus="triggered", triggerResults__0__status="triggered"),
        shows(2, output={"n": 1}),
        shows(3, output={"n": 2}),
        Act(("executions", "refire", "$0"), 2, says=("no trigger", "has failed")),
        stand("completed", "completed", "completed", "completed"),
    ),
    story(
        "only what has failed is fired again",
        saves(CHILD),
        runs(flow(gives("a", 1), triggers=[fires("child", n=1)]), exit=0),
        works(),
        Act(("executions", "refire", "$0"), 2, says=("no trigger", "has failed")),
        Act(("executions", "refire", "$0", "--trigger", "trigger-0"), 2, says=("trigger-0", "failed")),
        Act(("executions", "refire", "$0", "--trigger", "trigger-7"), 2, says=("trigger-7", "it has trigger-0")),
        stand("completed", "completed"),
    ),
    story(
        "max_retries: what says that it does not help is not tried again",
        saves(flow(calls("echo", "first"), breaks("second"), name="worker")),
        runs(flow(gives("a", 1), triggers=[fires("worker", settings={"max_retries": 2}, n=1)]), exit=0),
        works(),
        shows(
            1, status="failed", error="second: the card was declined", steps__first__status="completed", triggerDepth=1
        ),
    ),
    story(
        "max_retries: none, if nobody says otherwise",
        saves(flow(breaks("a"), name="worker")),
        runs(flow(gives("a", 1), triggers=[fires("worker", n=1)]), exit=0),
        works(),
        stand("completed", "failed"),
        shows(0, status="completed", triggerStatus="triggered"),
    ),
    story(
        "workflow_timeout_ms: the child fails when it is over",
        saves(flow(sleeps(ms=3_600_000), name="worker")),
        runs(flow(gives("a", 1), triggers=[fires("worker", settings={"workflow_timeout_ms": 30}, n=1)]), exit=0),
        works(5),
        stand("completed", "failed"),
        Act(("executions", "show", "$1"), told={"error.code": "TIMEOUT"}),
    ),
    story(
        "the depth of chains ends a circle: ten after the first",
        _tells(CIRCLE, "workflow_cycle", "circle → circle"),
        runs(CIRCLE, {"n": 1}, exit=0, triggerStatus="triggered"),
        works(),
        stand(*["completed"] * 11),
        shows(
            10,
            triggerDepth=10,
            triggerStatus="triggered",
            triggerResults__0__status="skipped",
            triggerResults__0__reason=Holding("10", "depth"),
        ),
    ),
    story(
        "maxDepth: another limit",
        saves({**CIRCLE, "maxDepth": 2}),
        runs({**CIRCLE, "maxDepth": 2}, {"n": 1}, exit=0),
        works(),
        stand(*["completed"] * 3),
        shows(2, triggerDepth=2, triggerResults__0__status="skipped"),
    ),
    story(
        "a circle of two workflows is told when it is closed",
        Act(("workflows", "save", File(THERE), "--tasks", TASKS), told={"warnings.1": ABSENT}),
        _tells(BACK, "workflow_cycle", "back → there → back"),
    ),
    story(
        "the correlation goes on to what is started",
        saves(CHILD),
        runs(
            flow(gives("a", 1), triggers=[fires("child", id="@ctx.execution_id", by="@ctx.workflow_id")]),
            exit=0,
            correlationId=None,
        ),
        works(),
        Act(
            ("executions", "show", "$1", "--view"),
            told={
                "view.parentExecutionId": TEXT,
                "view.output.id": TEXT,
                "view.output.by": Holding("wf_"),
                "view.correlationId": None,
            },
        ),
    ),
    story(
        "a retry of what failed fires its triggers when it completes",
        saves(CHILD),
        runs(
            flow(calls("flaky", "a", input={"until": 2}), triggers=[fires("child", x=1)]),
            exit=1,
            triggerStatus=ABSENT,
        ),
        Act(("executions", "retry", "$0")),
        works(),
        shows(0, status="completed", triggerStatus="triggered", steps__a__attempts=2),
        stand("completed", "completed"),
    ),
    story(
        "cancelled: a sleep, and nothing is fired",
        saves(CHILD),
        Act(
            (
                *runs(
                    flow(gives("a", 1), [sleeps(ms=3_600_000), gives("b", 2)], echo("c"), triggers=[fires("child")])
                ).words,
                "--timeout",
                "0",
            ),
            3,
        ),
        works(),
        shows(
            0,
            status="running",
            triggerStatus="pending",
            triggeredExecutionIds=[],
            triggerResults__0__status="pending",
        ),
        Act(("executions", "cancel", "$0", "--reason", "no more")),
        works(),
        shows(
            0,
            status="cancelled",
            steps__a__status="completed",
            steps__nap__status="cancelled",
            steps__b__status="completed",
            steps__c=ABSENT,
            output=None,
            triggerStatus=ABSENT,
        ),
        stand("cancelled"),
    ),
    story(
        "retried: only what failed runs again",
        runs(
            flow([calls("flaky", "a", input={"until": 2}), echo("b", x=1)], echo("c", n="@a.attempts")),
            exit=1,
            error="a: attempt 1 fails",
            steps__b__status="completed",
        ),
        Act(("executions", "retry", "$0")),
        works(),
        shows(0, output={"n": 2}, status="completed", steps__a__error=ABSENT, error=None),
    ),
    story(
        "retried: only the item that failed runs again",
        runs(
            flow({**calls("flaky", "a", input={"until": "@item"}), "forEach": "@input"}),
            [1, 2, 1],
            exit=1,
            steps__a__iterations__1__status="failed",
        ),
        Act(("executions", "retry", "$0")),
        works(),
        shows(0, output=[{"attempts": 1}, {"attempts": 2}, {"attempts": 1}]),
    ),
    story(
        "_schemas are kept with the workflow",
        saves(
            flow(
                calls("api/list-users", "fetch"),
                calls("email/send-batch", "send", input={"recipients": []}),
                sleeps("nap", ms=1),
                name="mailing",
            )
        ),
        Act(
            ("workflows", "show", "mailing"),
            told={
                "dialect": "phases",
                "document._schemas.fetch.output.properties.users.type": "array",
                "document._schemas.send.input.required": ["recipients"],
                "document._schemas.nap.output.properties.ms": {"type": "integer"},
            },
        ),
    ),
    story(
        "_schemas are in the view",
        runs(
            flow(calls("email/send-batch", "send", input={"recipients": []})),
            exit=0,
            _schemas__send__output__required=["sent"],
            _schemas__send__input__properties__recipients__type="array",
        ),
    ),
    story(
        "saved: by its name, and again without a change",
        Act(
            ("workflows", "save", File(CHILD), "--tasks", TASKS),
            told={"name": "child", "version": "1", "status": "active", "dialect": "phases", "created": True},
        ),
        Act(("workflows", "save", File(CHILD), "--tasks", TASKS), told={"version": "1", "created": False}),
        Act(
            ("workflows", "save", File({**CHILD, "description": "x"}), "--tasks", TASKS),
            told={"version": "2", "created": True},
        ),
    ),
    story(
        "saved: a document with problems is refused",
        Act(
            ("workflows", "save", File(flow(calls("api/nothing", "a"))), "--tasks", TASKS),
            2,
            told={"problems.0.type": "missing_schema", "problems.0.step": "a", "problems.0.field": "tool"},
        ),
    ),
    story(
        "forked: with another output, and another input",
        runs(flow(gives("a", 1), echo("b", x="@a"), echo("c", y="@b.x", z="@input.z")), {"z": 1}, exit=0),
        Act(("executions", "fork", "$0", "--at-step", "c", "--output", 'b={"x": 5}', "--input", {"z": 2})),
        works(),
        shows(1, output={"y": 5, "z": 2}, input={"z": 2}, steps__b__output={"x": 5}, steps__a__output=1),
    ),
    story(
        "rerun from a step: what came before is taken over",
        runs(flow(gives("a", 1), echo("b", x="@a"), echo("c", y="@b.x")), exit=0),
        Act(("executions", "rerun", "$0", "--from-step", "c")),
        works(),
        shows(1, output={"y": 1}, steps__b__status="completed"),
    ),
)
