"""Workflows of the graph dialect (seed 004), lowered by hand.

The context is the variables of a path: they flow with control and merge where paths meet. A node executor is a task. It is
given the context and answers with the difference it made, on the output that `_branch` named, and with the waits it asked
for. Edges are written "from.output > to to", the output "main" left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from lowered.base import Happening, Lowered, k, main, obj, x
from lowered.phases import LATER, T0, called, facts, given, history, inputs, started, stood
from perdure.core import commands as c
from perdure.core import events as e
from perdure.core import facts as f
from perdure.core.advance import advance
from perdure.core.apply import fold
from perdure.core.draft import Transition
from perdure.core.program import Program
from perdure.core.values import Ref
from perdure.model import codec
from perdure.model.failure import Failure
from perdure.model.steps import Approval, Child, Compute, Condition, Retry, Route, SetVariables, Step, Task, Timer, Work
from perdure.model.values import Constant, Json, Object, Value
from perdure.model.workflow import Entry, EventStart, Workflow
from perdure.testing.script import ApprovalAnswer, Fixed, Place, TaskAnswer
from perdure.testing.world import World

Context: TypeAlias = dict[str, Any]
Executor: TypeAlias = Callable[[Context], Context | Failure]

HOUR = 3_600_000

WAIT = x("now + output.wait * 1000 if now + output.wait * 1000 > output.until else output.until")
"""`_wait` in seconds, then `_waitUntil`; 0 where it is not set, and the past is no wait."""


# From a document to the model.


def node(name: str, *, data: Value | None = None, retry: Retry | None = None, **more: Any) -> Step:
    """A node with an executor."""
    sent: dict[str, Any] = {"context": x("vars")} if data is None else {"context": x("vars"), "data": data}
    sent |= more.pop("inputs", {})
    return Step(
        name,
        Task("executor", obj(**sent), retry or Retry()),
        assign=x("output.set"),
        unassign=x("output.unset"),
        pause_until=WAIT,
        keep_output=False,
        **more,
    )


def built_in(name: str, work: Work, **assigned: Value) -> Step:
    """A node that the engine itself executes; `assigned` is its `variableName`."""
    return Step(name, work, assign=obj(**assigned) if assigned else None)


def nodes(names: str) -> tuple[Step, ...]:
    """The trigger `start`, and nodes with executors."""
    return (built_in("start", Compute()), *(node(name) for name in names.split()))


def graph(name: str, steps: tuple[Step, ...], *edges: str, sequential: bool = False, **more: Any) -> Workflow:
    """Sequential: one by one over one context. Else paths carry their own."""
    leading: dict[str, dict[str, tuple[str, ...]]] = {}
    for edge in edges:
        source, _, targets = edge.partition(" > ")
        source, _, output = source.partition(".")
        leading.setdefault(source, {})[output or "main"] = tuple(targets.split())
    settings: dict[str, Any] = {
        "entries": (Entry(steps[0].id),),
        "variables": "shared" if sequential else "flowing",
        "parallel_max": 1 if sequential else None,
        "initial": x("input"),
        "output": x("vars"),
        "on_failure": "drain",
        "steps_max": 50,
        "depth_max": 3,
    }
    return Workflow(name, tuple(_with_edges(step, leading.get(step.id, {})) for step in steps), **settings | more)


def _with_edges(step: Step, outputs: dict[str, tuple[str, ...]]) -> Step:
    """A node that names no branch goes on by `main`, else `source-1`, else its only output."""
    routes = tuple(Route(to, port=output) for output, to in outputs.items())
    default = next((name for name in ("main", "source-1", *outputs) if name in outputs), "main")
    return replace(step, routes=routes, ports=step.ports or (x(f"port or {default!r}"),))


# What the world outside does, and what came of it.


class Nodes(Fixed):
    """Node executors, as seed 004 has them: the context in, the context out, control keys on it."""

    def __init__(
        self,
        executors: dict[str, Executor],
        after_ms: dict[str, int] | None = None,
        approvals: dict[str, ApprovalAnswer | None] | None = None,
    ) -> None:
        super().__init__(approvals=approvals)
        self._executors = executors
        self._after_ms = after_ms or {}

    def task(self, place: Place, given: Json) -> TaskAnswer:
        before: Context = given["context"]
        result = self._executors.get(place.step, sets())(dict(before))
        after_ms = self._after_ms.get(place.step, 10)
        return (
            TaskAnswer(after_ms, error=result) if isinstance(result, Failure) else _difference(before, result, after_ms)
        )


def _difference(before: Context, after: Context, after_ms: int) -> TaskAnswer:
    branch, wait, until = after.pop("_branch", None), after.pop("_wait", 0), after.pop("_waitUntil", 0)
    changed = {name: value for name, value in after.items() if name not in before or before[name] != value}
    dropped = [name for name in before if name not in after]
    output = {"set": changed, "unset": dropped, "wait": wait, "until": until}
    return TaskAnswer(after_ms, output, port=branch)


def sets(**values: Json) -> Executor:
    return lambda context: {**context, **values}


def drops(name: str) -> Executor:
    return lambda context: {other: value for other, value in context.items() if other != name}


def counts(name: str = "n") -> Executor:
    return lambda context: {**context, name: context.get(name, 0) + 1}


def breaks(message: str) -> Executor:
    return lambda _: Failure(message)


def seen(world: World, name: str) -> list[Context]:
    """The contexts that a node was given, run by run."""
    return [call["context"] for call in given(world, name)]


def begun(world: World, name: str) -> list[int]:
    return [fact.at for fact in facts(world, f.StepScheduled, name)]


def ended(world: World, name: str) -> list[int]:
    return [fact.at for fact in facts(world, f.StepCompleted, name)]


def walk(world: World) -> list[str]:
    """The nodes with executors, in the order in which they were entered."""
    steps = codec.decode(world.store.model(world.store.rows["main"].record.digest)).steps
    return [steps[fact.step].id for fact in facts(world, f.StepScheduled)]


def warnings(world: World) -> list[str]:
    return [fact.message for fact in facts(world, f.Warned)]


def once(names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), 1)


# Paths.


def _passed_on_as_differences(world: World) -> None:
    assert seen(world, "a") == [{"draft": True, "n": 1}]
    assert seen(world, "b") == [{"draft": True, "n": 1, "x": [2]}]
    assert [fact.assigned for fact in facts(world, f.StepCompleted, "a")] == [{"x": [2]}]
    (last,) = facts(world, f.StepCompleted, "b")
    assert (last.assigned, last.unassigned, last.output) == ({"n": 3}, ("draft",), None)


LINEAR = Lowered(
    name="graph-linear",
    seed="seed 004 Executor Contract, semantics §4 Context: a node's result is the difference",
    workflow=graph("linear", nodes("a b"), "start > a", "a > b"),
    input={"draft": True, "n": 1},
    script=Nodes({"a": sets(x=[2]), "b": lambda context: {"n": 3, "x": context["x"]}}),
    output={"n": 3, "x": [2]},
    runs=once("start a b"),
    check=_passed_on_as_differences,
)


def _merged_once_after_both(world: World) -> None:
    assert begun(world, "left") == begun(world, "right")
    assert begun(world, "merge") == [max(*ended(world, "left"), *ended(world, "right"))]
    assert seen(world, "merge") == [{"l": 1, "r": 2}]
    assert warnings(world) == []


DIAMOND = Lowered(
    name="graph-diamond",
    seed="seed 004 Current Known Limitation, semantics §4 Order: a diamond merges once [70]",
    workflow=graph("diamond", nodes("left right merge"), "start > left right", "left > merge", "right > merge"),
    input={},
    script=Nodes({"left": sets(l=1), "right": sets(r=2), "merge": sets(m=3)}, {"left": 50}),
    output={"l": 1, "r": 2, "m": 3},
    runs=once("start left right merge"),
    check=_merged_once_after_both,
)


def _waited_for_the_longer_arm(world: World) -> None:
    assert begun(world, "merge") == ended(world, "longer")
    assert ended(world, "short")[0] < begun(world, "longer")[0]
    assert seen(world, "merge") == [{"s": 1, "l": 2}]


UNEVEN = Lowered(
    name="graph-uneven-merge",
    seed="semantics §4 Order: an uneven merge waits for the longer arm [70]",
    workflow=graph(
        "uneven",
        nodes("short long longer merge"),
        "start > short long",
        "long > longer",
        "short > merge",
        "longer > merge",
    ),
    input={},
    script=Nodes({"short": sets(s=1), "longer": sets(l=2)}, {"long": 50}),
    output={"s": 1, "l": 2},
    runs=once("start short long longer merge"),
    check=_waited_for_the_longer_arm,
)


def _inner_before_outer(world: World) -> None:
    assert seen(world, "inner") == [{"a": 1, "a1": 1, "a2": 1}]
    assert seen(world, "outer") == [{"a": 1, "a1": 1, "a2": 1, "i": 1, "b": 1}]
    assert begun(world, "inner") == ended(world, "a1")
    assert begun(world, "outer") == ended(world, "b") > ended(world, "inner")


NESTED = Lowered(
    name="graph-nested-diamonds",
    seed="semantics §4 Order [70]",
    workflow=graph(
        "nested",
        nodes("a b a1 a2 inner outer"),
        "start > a b",
        "a > a1 a2",
        "a1 > inner",
        "a2 > inner",
        "inner > outer",
        "b > outer",
    ),
    input={},
    script=Nodes(
        {"a": sets(a=1), "b": sets(b=1), "a1": sets(a1=1), "a2": sets(a2=1), "inner": sets(i=1)},
        {"a1": 40, "b": 500},
    ),
    output={"a": 1, "b": 1, "a1": 1, "a2": 1, "i": 1},
    runs=once("start a b a1 a2 inner outer"),
    check=_inner_before_outer,
)

ENDS_APART = Lowered(
    name="graph-paths-that-end-apart",
    seed="semantics §4 Limit: output = final context, of all paths; Context: an absent key is deleted",
    workflow=graph("apart", nodes("a b"), "start > a b"),
    input={"draft": 1, "kept": 2},
    script=Nodes({"a": drops("draft"), "b": sets(b=3)}, {"b": 50}),
    output={"kept": 2, "b": 3},
    runs=once("start a b"),
)


# Branches.


def if_else(test: str) -> Step:
    return built_in("check", Condition(x(test)))


def _if_else(score: int, taken: str) -> Lowered:
    """The merge lies behind a branch that is not taken, whichever it is."""
    return Lowered(
        name=f"graph-if-else-{taken}",
        seed="seed 004 _branch, semantics §4 IF_ELSE; Order: a merge behind a branch not taken does not hang",
        workflow=graph(
            "if-else",
            (*nodes("true false"), if_else("vars.score >= 50"), node("merge")),
            "start > check",
            "check.true > true",
            "check.false > false",
            "true > merge",
            "false > merge",
        ),
        input={"score": score},
        script=Nodes({"true": sets(taken="true"), "false": sets(taken="false"), "merge": sets(merged=True)}),
        output={"score": score, "taken": taken, "merged": True},
        runs=once(f"start check {taken} merge"),
    )


def _switch(plan: str, taken: str) -> Lowered:
    """cases {gold: fast, silver: slow}, default: rest."""
    choice = Step(
        "switch",
        Compute(x("vars.plan")),
        ports=(x("'fast' if output == 'gold' else 'slow' if output == 'silver' else 'rest'"),),
    )
    return Lowered(
        name=f"graph-switch-{plan}",
        seed="semantics §4 SWITCH: branch = output of the case, else default",
        workflow=graph(
            "switch",
            (*nodes("fast slow rest"), choice),
            "start > switch",
            "switch.fast > fast",
            "switch.slow > slow",
            "switch.rest > rest",
        ),
        input={"plan": plan},
        script=Nodes({name: sets(way=name) for name in ("fast", "slow", "rest")}),
        output={"plan": plan, "way": taken},
        runs=once(f"start switch {taken}"),
    )


BRANCH_NOWHERE = Lowered(
    name="graph-branch-to-nowhere",
    seed="semantics §4 Branch: an output without edges ends the path, and the execution can still succeed [72]",
    workflow=graph("nowhere", nodes("a b"), "start > a", "a > b"),
    input={},
    script=Nodes({"a": sets(x=1, _branch="nowhere")}),
    output={"x": 1},
    runs=once("start a"),
)

DEFAULT_OUTPUT = Lowered(
    name="graph-default-output",
    seed="semantics §4 Branch: not set → main, else source-1, else the only output [72]",
    workflow=graph(
        "handles",
        nodes("both editor single end other"),
        "start > both",
        "both.error > other",
        "both.main > editor",
        "editor.error > other",
        "editor.source-1 > single",
        "single.out > end",
    ),
    input={},
    script=Nodes({}),
    output={},
    runs=once("start both editor single end"),
)

INPUTS = Lowered(
    name="graph-inputs-by-handle",
    seed="seed 004 toInput, semantics §4 Order: which input got which value",
    workflow=graph(
        "inputs",
        (
            built_in("start", Compute()),
            *(replace(node(name), keep_output=True) for name in ("a", "b", "c")),
            node(
                "join",
                inputs={
                    "inputs": obj(
                        left=x("steps.a.output.set if 'a' in came else undefined"),
                        right=x("steps.b.output.set if 'b' in came else undefined"),
                        other=x("steps.c.output.set if 'c' in came else undefined"),
                    )
                },
            ),
        ),
        "start > a b c",
        "a > join",
        "b > join",
        "c > join",
    ),
    input={},
    script=Nodes({"a": sets(a=1), "b": sets(b=2), "c": sets(c=3, _branch="nowhere")}, {"a": 30}),
    output={"a": 1, "b": 2, "c": 3},
    check=lambda world: _was_given(world, {"left": {"a": 1}, "right": {"b": 2}}),
)


def _was_given(world: World, expected: Json) -> None:
    assert [call["inputs"] for call in given(world, "join")] == [expected]


# Cycles and the limit.


def _cycle(limit: int, **expected: Any) -> Lowered:
    """Eight node executions: the trigger, three passes of two, and the exit."""
    return Lowered(
        name=f"graph-cycle-within-{limit}",
        seed="semantics §4 Cycles: they really loop, each pass counts toward the limit [71]; Limit: the trigger counts",
        workflow=graph(
            "cycle",
            (*nodes("work exit"), if_else("vars.n < 3")),
            "start > work",
            "work > check",
            "check.true > work",
            "check.false > exit",
            steps_max=limit,
        ),
        input={},
        script=Nodes({"work": counts(), "exit": sets(done=True)}),
        **expected,
    )


def _names_the_limit(limit: str, name: str) -> Callable[[World], None]:
    def check(world: World) -> None:
        message = main(world).error["message"]
        assert limit in message, message
        assert repr(name) in message, message
        assert sum(main(world).runs.values()) == int(limit)

    return check


ENDLESS = Lowered(
    name="graph-endless-cycle",
    seed="seed 004 Runtime Safety Limits, semantics §4 Limit: the 51st fails; §0 Limits name themselves [75]",
    workflow=graph("endless", nodes("spin"), "start > spin", "spin > spin"),
    input={},
    script=Nodes({"spin": counts()}),
    status="failed",
    runs={"start": 1, "spin": 49},
    check=_names_the_limit("50", "spin"),
)


def _line(length: int) -> Workflow:
    names = [f"n{number}" for number in range(2, length + 1)]
    edges = [f"{one} > {other}" for one, other in zip(["start", *names], names, strict=False)]
    return graph("line", tuple(built_in(name, Compute()) for name in ["start", *names]), *edges)


FIFTY = Lowered(
    name="graph-fifty-nodes",
    seed="seed 004 MAX_NODES_PER_EXECUTION = 50",
    workflow=_line(50),
    input={"x": 1},
    output={"x": 1},
    runs=dict.fromkeys(["start", *(f"n{number}" for number in range(2, 51))], 1),
)

FIFTY_ONE = Lowered(
    name="graph-fifty-first-node",
    seed="semantics §4 Limit: the 51st fails [75]",
    workflow=_line(51),
    input={},
    status="failed",
    check=_names_the_limit("50", "n51"),
)


def _went_round_twice(world: World) -> None:
    assert walk(world) == ["p", "q", "r", "p", "q", "r", "exit"]
    assert seen(world, "q") == [{"p": 1}, {"p": 2, "q": 1}]


BACK_EDGE = Lowered(
    name="graph-back-edge-holds-nothing-up",
    seed="semantics §4 Cycles: an edge that closes a cycle never holds up a join",
    # q is activated with p, and could still lead to p through r: who waited for that would wait for ever.
    workflow=graph(
        "two-ways-in",
        nodes("p q r exit"),
        "start > p q",
        "p > q",
        "q > r",
        "r.again > p",
        "r.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "p": counts("p"),
            "q": counts("q"),
            "r": lambda context: {**context, "_branch": "again" if context["p"] < 2 else "done"},
        },
    ),
    output={"p": 2, "q": 2},
    runs={"start": 1, "p": 2, "q": 2, "r": 2, "exit": 1},
    check=_went_round_twice,
)


def _merged_once_a_pass(world: World) -> None:
    assert seen(world, "merge") == [{"n": 1, "a": 10, "b": 100}, {"n": 2, "a": 20, "b": 200}]
    assert walk(world) == ["head", "a", "b", "merge", "head", "a", "b", "merge", "exit"]
    assert warnings(world) == []


def _again(context: Context) -> Context:
    return {**context, "_branch": "again" if context["n"] < 2 else "done"}


PARALLEL_BODY = Lowered(
    name="graph-cycle-with-parallel-body",
    seed="semantics §4 Cycles: the target of a back edge, and what follows, runs again",
    workflow=graph(
        "body",
        nodes("head a b merge exit"),
        "start > head",
        "head > a b",
        "a > merge",
        "b > merge",
        "merge.again > head",
        "merge.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "head": counts(),
            "a": lambda context: {**context, "a": 10 * context["n"]},
            "b": lambda context: {**context, "b": 100 * context["n"]},
            "merge": _again,
        },
        {"a": 70},
    ),
    output={"n": 2, "a": 20, "b": 200},
    check=_merged_once_a_pass,
)


def _logged_once_at_the_end(world: World) -> None:
    assert walk(world)[-2:] in (["log", "exit"], ["exit", "log"])
    assert seen(world, "log") == [{"n": 3}]
    assert warnings(world) == []


TWO_WAYS_BACK = Lowered(
    name="graph-two-ways-back",
    seed="architecture 11: a node activated by a back edge waits until its cycle is quiet; two activations are one",
    workflow=graph(
        "two-ways-back", nodes("head a b"), "start > head", "head > a b", "a.again > head", "b.again > head"
    ),
    input={},
    script=Nodes({"head": counts(), "a": _again, "b": _again}, {"b": 80}),
    output={"n": 2},
    runs={"start": 1, "head": 2, "a": 2, "b": 2},
)

BESIDE_A_CYCLE = Lowered(
    name="graph-path-beside-a-cycle",
    seed="semantics §4 Order: it runs when no live node can still reach it; two activations of a waiting node are one",
    workflow=graph(
        "beside",
        (*nodes("work log exit"), if_else("vars.n < 3")),
        "start > work",
        "work > check log",
        "check.true > work",
        "check.false > exit",
    ),
    input={},
    script=Nodes({"work": counts()}),
    output={"n": 3},
    runs={"start": 1, "work": 3, "check": 3, "log": 1, "exit": 1},
    check=_logged_once_at_the_end,
)

NO_ROOT = Lowered(
    name="graph-no-root",
    seed="seed 004 Entry Node Selection: if none, the first node in the list",
    workflow=graph("ring", (node("a"), node("b")), "a > b", "b > a"),
    input={},
    script=Nodes({"a": counts(), "b": lambda context: {**context, "_branch": "main" if context["n"] < 3 else "out"}}),
    output={"n": 3},
    runs={"a": 3, "b": 3},
)


# The context.


def _only_what_came_before_it(world: World) -> None:
    assert ended(world, "a")[0] < begun(world, "b2")[0], "or it proves nothing"
    assert seen(world, "b2") == [{"s": 0, "b": 2}]
    assert seen(world, "a2") == [{"s": 0, "a": 1}]
    assert seen(world, "merge") == [{"s": 0, "a": 1, "b": 2, "a2": 3, "b2": 4}]


ANCESTORS = Lowered(
    name="graph-branches-see-their-ancestors",
    seed="semantics §4 Order: branches see their ancestors' writes only",
    workflow=graph(
        "ancestors",
        nodes("s a a2 b b2 merge"),
        "start > s",
        "s > a b",
        "a > a2",
        "b > b2",
        "a2 > merge",
        "b2 > merge",
    ),
    input={},
    script=Nodes(
        {"s": sets(s=0), "a": sets(a=1), "b": sets(b=2), "a2": sets(a2=3), "b2": sets(b2=4)},
        {"a": 10, "b": 100, "a2": 500},
    ),
    output={"s": 0, "a": 1, "b": 2, "a2": 3, "b2": 4},
    check=_only_what_came_before_it,
)

BOTH_TIMINGS = ("left", "right")
"""Which arm of a diamond takes longer: what comes of it must not depend on that."""


def _diamond(name: str, slow: str, seed: str, executors: dict[str, Executor], **expected: Any) -> Lowered:
    return Lowered(
        name=f"graph-{name}-{slow}-slow",
        seed=seed,
        workflow=graph("diamond", nodes("left right merge"), "start > left right", "left > merge", "right > merge"),
        script=Nodes(executors, {slow: 80}),
        **expected,
    )


def _merge_saw(expected: Context) -> Callable[[World], None]:
    def check(world: World) -> None:
        assert seen(world, "merge") == [expected]
        assert warnings(world) == []

    return check


DELETION = tuple(
    _diamond(
        "deletion",
        slow,
        "semantics §4 Context: an absent key is deleted, and stays so when differences merge",
        {"left": drops("draft"), "right": sets(r=1)},
        input={"draft": True, "kept": 2},
        output={"kept": 2, "r": 1},
        check=_merge_saw({"kept": 2, "r": 1}),
    )
    for slow in BOTH_TIMINGS
)

NO_CONFLICT = tuple(
    _diamond(
        "newer-than-its-ancestor",
        slow,
        "semantics §4 Context: only what two branches wrote is a conflict",
        {"left": sets(x="left"), "right": sets(r=1)},
        input={"x": "input"},
        output={"x": "left", "r": 1},
        check=_merge_saw({"x": "left", "r": 1}),
    )
    for slow in BOTH_TIMINGS
)


def _the_later_in_the_graph_was_kept(world: World) -> None:
    assert seen(world, "merge") == [{"x": "far"}]
    (warning,) = warnings(world)
    assert all(repr(word) in warning for word in ("x", "near", "far")), warning


CONFLICT = tuple(
    Lowered(
        name=f"graph-conflict-{slow}-slow",
        seed="semantics §4 Context: last writer in topological order wins, and a real conflict is a warning",
        workflow=graph(
            "conflict",
            nodes("step near far merge"),
            "start > step near",
            "step > far",
            "far > merge",
            "near > merge",
        ),
        input={"x": "input"},
        script=Nodes({"near": sets(x="near"), "far": sets(x="far")}, {slow: 200}),
        output={"x": "far"},
        check=_the_later_in_the_graph_was_kept,
    )
    for slow in ("near", "far")
)


def _warned_of_the_lost_write(world: World) -> None:
    (warning,) = warnings(world)
    assert all(repr(word) in warning for word in ("x", "a", "b")), warning


def _conflict(name: str, executors: dict[str, Executor], slow: str, *edges: str) -> Lowered:
    """`a` and `b` begin together; neither sees what the other writes. `b` comes after `a`."""
    return Lowered(
        name=f"graph-conflict-{name}",
        seed="semantics §4 Context: last writer in topological order wins, and a real conflict is a warning",
        workflow=graph("conflict", nodes("a b merge"), "start > a b", *edges),
        input={"x": "input"},
        script=Nodes({"a": sets(x="a"), "b": sets(x="b"), **executors}, {slow: 80}),
        output={"x": "b"},
        check=_warned_of_the_lost_write,
    )


def _kept_the_later_each_time(world: World) -> None:
    assert [context["x"] for context in seen(world, "merge")] == ["far 1", "far 2"]
    assert len(warnings(world)) == 2


CONFLICT_IN_A_CYCLE = Lowered(
    name="graph-conflict-in-a-cycle",
    seed="semantics §4 Context: last writer in topological order wins, within a pass of a cycle too",
    workflow=graph(
        "conflict-in-a-cycle",
        nodes("head step near far merge exit"),
        "start > head",
        "head > step near",
        "step > far",
        "far > merge",
        "near > merge",
        "merge.again > head",
        "merge.done > exit",
    ),
    input={},
    script=Nodes(
        {
            "head": counts(),
            "near": lambda context: {**context, "x": f"near {context['n']}"},
            "far": lambda context: {**context, "x": f"far {context['n']}"},
            "merge": _again,
        },
        {"near": 200},
    ),
    output={"n": 2, "x": "far 2"},
    check=_kept_the_later_each_time,
)


CONFLICTS = (
    # Of two that begin together, the later in the document is the later, as in the seed's walk from one to the next.
    *(_conflict(f"of-equals-{slow}-slow", {}, slow, "a > merge", "b > merge") for slow in ("a", "b")),
    *(_conflict(f"at-the-end-{slow}-slow", {}, slow) for slow in ("a", "b")),
    _conflict("after-a-wait", {"a": sets(x="a", _wait=60)}, "b", "a > merge", "b > merge"),
)

EDGE_NOT_TAKEN = _conflict("beside-an-edge-not-taken", {}, "a", "a.other > b", "a > merge", "b > merge")

ONE_BY_ONE_IS_NO_CONFLICT = Lowered(
    name="graph-sequential-overwrites",
    seed="semantics §4 Order: one by one over one shared context",
    workflow=graph("overwrites", nodes("a b merge"), "start > a b", "a > merge", "b > merge", sequential=True),
    input={},
    script=Nodes({"a": sets(x="a"), "b": sets(x="b")}, {"a": 80}),
    output={"x": "b"},
    check=_merge_saw({"x": "b"}),
)


# Waits.


def _held_nobody_else_up(world: World) -> None:
    (pause,) = facts(world, f.PauseEnded)
    (waited,) = facts(world, f.StepCompleted, "a")
    assert pause.at == waited.at + 24 * HOUR
    assert begun(world, "a2") == [pause.at]
    assert begun(world, "b2") == ended(world, "b") < [waited.at + HOUR]
    assert begun(world, "merge") == ended(world, "a2")
    assert seen(world, "merge") == [{"a": 1, "b": 2}]


def waited(*waits: tuple[int, str]) -> Callable[[World], None]:
    """So many hours after the start the execution stood waiting, for this."""

    def check(world: World) -> None:
        for hours, what in waits:
            assert stood(world, T0 + hours * HOUR) == ("waiting", what)

    return check


def _one_branch_waits(check: Callable[[World], None]) -> dict[str, Any]:
    return {
        "workflow": graph(
            "wait", nodes("a a2 b b2 merge"), "start > a b", "a > a2", "a2 > merge", "b > b2", "b2 > merge"
        ),
        "input": {},
        "script": Nodes({"a": sets(a=1, _wait=24 * 3600), "b": sets(b=2)}),
        "output": {"a": 1, "b": 2},
        "check": check,
    }


WAIT_IN_ONE_BRANCH = Lowered(
    name="graph-wait-in-one-branch",
    seed="seed 004 _wait, semantics §4 Control keys: a wait in one branch does not hold up the others [73]",
    **_one_branch_waits(_held_nobody_else_up),
)

WAITING_BEFORE_A_JOIN = Lowered(
    name="graph-waiting-before-a-join",
    seed="seed 004 WAITING, semantics §0 Status: waiting if nothing runs or is ready",
    **_one_branch_waits(waited((1, "timer a"))),
)

WAIT_ALONE = Lowered(
    name="graph-wait",
    seed="seed 004 Execution Record Lifecycle: WAITING at the node, then RUNNING again",
    workflow=graph("wait", nodes("a b"), "start > a", "a > b"),
    input={},
    script=Nodes({"a": sets(x=1, _wait=24 * 3600)}),
    output={"x": 1},
    runs=once("start a b"),
    check=waited((1, "timer a")),
)


def _waited_until(instant: int | None) -> Callable[[World], None]:
    def check(world: World) -> None:
        pauses = [fact.at for fact in facts(world, f.PauseEnded)]
        assert pauses == ([] if instant is None else [instant])
        assert begun(world, "b") == (ended(world, "a") if instant is None else [instant])

    return check


def _wait_until(name: str, instant: int | None, **control: int) -> Lowered:
    return Lowered(
        name=f"graph-wait-until-{name}",
        seed="seed 004 _waitUntil, semantics §4 Control keys: _wait, then _waitUntil; past = no wait [73]",
        workflow=graph("wait-until", nodes("a b"), "start > a", "a > b"),
        input={},
        script=Nodes({"a": sets(x=1, **control)}),
        output={"x": 1},
        runs=once("start a b"),
        check=_waited_until(instant),
    )


TWO_WAITS = Lowered(
    name="graph-two-waits",
    seed="semantics §0 Status: with several waits the view names the one that wakes first",
    workflow=graph("two-waits", nodes("long short"), "start > long short"),
    input={},
    script=Nodes({"long": sets(_wait=48 * 3600), "short": sets(_wait=24 * 3600)}),
    output={},
    runs=once("start long short"),
    check=waited((1, "timer short"), (36, "timer long")),
)

WAIT_NODE = Lowered(
    name="graph-wait-node",
    seed="semantics §4 WAIT {amount: 2, unit: hours}: waits, and leaves the context alone",
    workflow=graph("wait-node", (*nodes("b"), built_in("wait", Timer(k(2 * HOUR)))), "start > wait", "wait > b"),
    input={"x": 1},
    script=Nodes({}),
    output={"x": 1},
    runs=once("start wait b"),
    check=waited((1, "timer wait")),
)


# Failure.


FAILING = graph(
    "failing", nodes("bad slow after merge"), "start > bad slow", "slow > after", "bad > merge", "after > merge"
)


def _drained(world: World) -> None:
    assert [fact.at for fact in facts(world, f.ExecutionFailed)] == ended(world, "slow")
    assert main(world).failed_steps == ("bad",)


FAILURE = Lowered(
    name="graph-failure-drains",
    seed="semantics §4 Failure: started siblings finish, nothing new starts, then FAILED",
    workflow=FAILING,
    input={},
    script=Nodes({"bad": breaks("boom"), "slow": sets(s=1)}, {"slow": 100}),
    status="failed",
    error="boom",
    runs=once("start bad slow"),
    check=_drained,
)


def _repair(world: World) -> None:
    world.script = Nodes({"bad": sets(b=2)})
    world.retry("main")


def _went_on_where_it_failed(world: World) -> None:
    assert seen(world, "after") == [{"s": 1}]
    assert seen(world, "merge") == [{"s": 1, "b": 2}]
    for name, times in {"bad": 2, "slow": 1, "after": 1, "merge": 1}.items():
        called(world, name, times)


RETRIED = Lowered(
    name="graph-failure-retried",
    seed="semantics §0 Status: a retry continues from the failed steps; §4 Failure: what was not started is started now",
    workflow=FAILING,
    input={},
    script=FAILURE.script,
    happenings=(Happening(LATER, _repair),),
    output={"s": 1, "b": 2},
    runs=once("start bad slow after merge"),
    check=_went_on_where_it_failed,
)


def _finished_before_the_limit_failed_it(world: World) -> None:
    assert main(world).outcomes.get("slow", {}).get("status") == "completed"
    assert [fact.at for fact in facts(world, f.ExecutionFailed)] == ended(world, "slow")


LIMIT_DRAINS = Lowered(
    name="graph-limit-drains",
    seed="semantics §4 Failure: started siblings finish; Limit: the 51st fails",
    workflow=graph("limit", nodes("spin slow"), "start > spin slow", "spin > spin"),
    input={},
    script=Nodes({"spin": counts(), "slow": sets(s=1)}, {"slow": 10_000}),
    status="failed",
    error="50",
    runs={"start": 1, "slow": 1, "spin": 48},
    check=_finished_before_the_limit_failed_it,
)


# Settings.


def _did_not_wait_for_the_slow_one(world: World) -> None:
    assert begun(world, "first") == ended(world, "fast") < ended(world, "slow")
    assert seen(world, "first") == [{"f": 1}]
    assert facts(world, f.ExecutionCompleted)[0].at == ended(world, "slow")[0]


JOIN_ANY = Lowered(
    name="graph-join-any",
    seed='semantics §4 Order: a node may say join: "any"',
    workflow=graph(
        "any",
        (*nodes("fast slow"), node("first", join="any")),
        "start > fast slow",
        "fast > first",
        "slow > first",
    ),
    input={},
    # The slow one never arrives, but could: who joined all would wait for it.
    script=Nodes({"fast": sets(f=1), "slow": sets(s=2, _branch="nowhere")}, {"slow": 100}),
    output={"f": 1, "s": 2},
    runs=once("start fast slow first"),
    check=_did_not_wait_for_the_slow_one,
)

SEQUENTIAL = ("start > a b", "a > c", "b > d", "c > merge", "d > merge")


def _one_by_one_over_one_context(world: World) -> None:
    assert walk(world) == ["a", "b", "c", "d", "merge"]
    for one, other in zip("abcd", ("b", "c", "d", "merge"), strict=True):
        assert begun(world, other) == ended(world, one)
    assert seen(world, "b") == [{"a": 1}]
    assert seen(world, "c") == [{"a": 1, "b": 2}]
    assert seen(world, "d") == [{"b": 2}]
    assert seen(world, "merge") == [{"b": 2, "d": 4}]


ONE_BY_ONE = Lowered(
    name="graph-sequential",
    seed="semantics §4 Order: settings.sequential gives the seed's one-by-one walk over one shared context",
    workflow=graph("sequential", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": sets(a=1), "b": sets(b=2), "c": drops("a"), "d": sets(d=4)}, {"a": 90, "c": 50}),
    output={"b": 2, "d": 4},
    runs=once("start a b c d merge"),
    check=_one_by_one_over_one_context,
)


SEQUENTIAL_FAILURE = Lowered(
    name="graph-sequential-failure",
    seed="semantics §4 Failure: nothing new starts, though it was activated before",
    workflow=graph("sequential-failure", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": breaks("no")}),
    status="failed",
    error="no",
    runs=once("start a"),
)


def _everybody_waited(world: World) -> None:
    (pause,) = facts(world, f.PauseEnded)
    assert begun(world, "b") == [pause.at] == [ended(world, "a")[0] + 24 * HOUR]


SEQUENTIAL_WAIT = Lowered(
    name="graph-sequential-wait",
    seed="seed 004 _wait: the one walker sleeps; seeds-origin D: waits block the whole execution",
    workflow=graph("sequential-wait", nodes("a b c d merge"), *SEQUENTIAL, sequential=True),
    input={},
    script=Nodes({"a": sets(_wait=24 * 3600)}),
    output={},
    runs=once("start a b c d merge"),
    check=_everybody_waited,
)

SEQUENTIAL_WAITING = Lowered(
    name="graph-sequential-waiting",
    seed="seed 004 WAITING, semantics §0 Status: waiting if nothing runs or is ready",
    workflow=SEQUENTIAL_WAIT.workflow,
    input={},
    script=SEQUENTIAL_WAIT.script,
    output={},
    check=waited((1, "timer a")),
)


def _entry(trigger: str, taken: str) -> Lowered:
    """Roots: two triggers, each with a subtree of its own, and a node that is no trigger."""
    roots = (built_in("manual", Compute()), built_in("hook", Compute()), node("orphan"))
    return Lowered(
        name=f"graph-entry-of-{trigger}",
        seed="seed 004 Entry Node Selection, semantics §4 Entry: the trigger's own root, else the first [74]",
        workflow=graph(
            "entries",
            (*roots, node("a"), node("b")),
            "manual > a",
            "hook > b",
            "orphan > b",
            entries=(Entry("manual", "manual"), Entry("hook", "webhook")),
        ),
        input={},
        script=Nodes({"a": sets(way="manual"), "b": sets(way="hook")}),
        start={"trigger": trigger},
        output={"way": taken},
        runs=once("manual a" if taken == "manual" else "hook b"),
    )


# Executors and built-in nodes.


def _second_attempt_was_given_the_checkpoints(world: World) -> None:
    """What the core commands at the end of the backoff, made again from the history before it."""
    facts_ = history(world)
    place = next(n for n, fact in enumerate(facts_) if isinstance(fact, f.StepAttempted))
    program = Program(codec.decode(world.store.model(world.store.rows["main"].record.digest)), world.compile)
    values: dict[Ref, Any] = dict(enumerate(facts_, start=1))
    again = advance(program, fold(facts_[:place]), e.TimeReached(facts_[place].at), values)
    assert isinstance(again, Transition)
    (command,) = [command for command in again.commands if isinstance(command, c.PerformTask)]
    assert command.checkpoints == (("page", 1, "one"), ("page", 2, "two"))
    assert [(fact.name, fact.n) for fact in facts(world, f.StepCheckpointed)] == [("page", 1), ("page", 2), ("save", 1)]


CHECKPOINTS = Lowered(
    name="graph-checkpoints",
    seed="semantics §4 Executors: step.run(name, fn) is checkpointed by (name, occurrence), kept across attempts",
    workflow=graph("checkpoints", (built_in("start", Compute()), node("work", retry=Retry(2))), "start > work"),
    input={},
    script=Fixed(
        {
            "work": [
                TaskAnswer(error=Failure("half way"), checkpoints=(("page", 1, "one"), ("page", 2, "two"))),
                TaskAnswer(
                    output={"set": {"pages": 2}, "unset": [], "wait": 0, "until": 0},
                    checkpoints=(("page", 1, "other"), ("page", 2, "other"), ("save", 1, True)),
                ),
            ]
        }
    ),
    output={"pages": 2},
    runs=once("start work"),
    check=_second_attempt_was_given_the_checkpoints,
)

BUILT_IN = Lowered(
    name="graph-built-in-nodes",
    seed="semantics §4, the table: SET, HTTP_REQUEST, CODE, MCP_TOOL, MERGE",
    workflow=graph(
        "built-in",
        (
            built_in("start", Compute()),
            built_in("set", SetVariables((("greeting", x("vars.name")), ("n", k(2))))),
            built_in("http", Task("http", obj(endpoint="https://x", method="GET")), api=obj(httpResponse=x("output"))),
            built_in("code", Task("transform", obj(context=x("vars"))), doubled=x("output")),
            built_in("tool", Task("crm/find", obj(id=x("vars.n"))), found=x("output.id")),
            built_in("merge", Compute()),
        ),
        "start > set",
        "set > http code tool",
        "http > merge",
        "code > merge",
        "tool > merge",
    ),
    input={"name": "Ann"},
    script=Fixed({"http": TaskAnswer(50, {"status": 200, "headers": {}, "data": [1]}), "code": TaskAnswer(output=4)}),
    output={
        "name": "Ann",
        "greeting": "Ann",
        "n": 2,
        "api": {"httpResponse": {"status": 200, "headers": {}, "data": [1]}},
        "doubled": 4,
        "found": 2,
    },
    runs=once("start set http code tool merge"),
)


def _approval(name: str, answer: ApprovalAnswer | None, **expected: Any) -> Lowered:
    ask = built_in("ask", Approval(obj(title="Ship it?")), verdict=x("output.decision"))
    return Lowered(
        name=f"graph-approval-{name}",
        seed="semantics §4 APPROVAL: branch approved / rejected, context[variableName]",
        workflow=graph("approval", (*nodes("ship"), ask), "start > ask", "ask.approved > ship"),
        input={},
        script=Nodes({"ship": sets(shipped=True)}, approvals={"ask": answer}),
        **expected,
    )


# Other workflows.


FIRED = Object(
    (
        (Constant("type"), x("trigger.type")),
        (Constant("depth"), x("execution.depth")),
        (Constant("firedAt"), x("execution.startedAt")),
    )
)
"""`_trigger` of a start that the engine makes itself."""

HELPER = graph("helper", (built_in("start", SetVariables((("_trigger", FIRED),))), node("help")), "start > help")


def _runs(workflow: str, *, wait: bool, depth: int = 0, **expected: Any) -> dict[str, Any]:
    call = Child(k(workflow), obj(n=x("vars.n")), wait=wait)
    return {
        "workflow": graph(
            "caller", (*nodes("after"), built_in("run", call, called=x("output"))), "start > run", "run > after"
        ),
        "input": {"n": 5},
        "others": (HELPER,),
        "start": {"depth": depth},
        **expected,
    }


def _waited_for_its_output(world: World) -> None:
    (record,) = started(world, "helper")
    assert (record.parent, record.depth) == ("main", 1)
    assert inputs(world, "helper") == [{"n": 5}]
    (first,) = facts(world, f.ExecutionStarted, execution=record.id)
    called = {"n": 5, "helped": True, "_trigger": {"type": first.trigger, "depth": 1, "firedAt": first.at}}
    assert main(world).output == {"n": 5, "called": called}
    assert begun(world, "after")[0] >= facts(world, f.ExecutionCompleted, execution=record.id)[0].at


RUN_AND_WAIT = Lowered(
    name="graph-run-workflow-and-wait",
    seed="semantics §4 RUN_WORKFLOW wait: its output; Start: _trigger is set by the engine on starts it makes itself",
    **_runs("helper", wait=True, script=Nodes({"help": sets(helped=True)}), check=_waited_for_its_output),
)


def _did_not_wait(world: World) -> None:
    (record,) = started(world, "helper")
    assert main(world).output == {"n": 5, "called": record.id}
    assert (record.parent, record.depth, record.status) == ("main", 1, "completed")
    assert facts(world, f.ExecutionCompleted)[0].at < facts(world, f.ExecutionCompleted, execution=record.id)[0].at


RUN = Lowered(
    name="graph-run-workflow",
    seed="semantics §4 RUN_WORKFLOW: wait false by default, the child's id",
    **_runs(
        "helper",
        wait=False,
        script=Nodes({"help": sets(helped=True)}, {"help": 60_000}),
        runs=once("start run after"),
        check=_did_not_wait,
    ),
)

RUN_FAILS = Lowered(
    name="graph-run-workflow-that-fails",
    seed="semantics §4 RUN_WORKFLOW wait, Failure",
    **_runs("helper", wait=True, script=Nodes({"help": breaks("no help")}), status="failed", error="no help"),
)

RUN_UNKNOWN = Lowered(
    name="graph-run-unknown-workflow-and-wait",
    seed="semantics §0 Errors: a message says what failed, with what",
    **_runs("nobody", wait=True, script=Nodes({}), status="failed", error="'nobody'", runs=once("start run")),
)

RUN_UNKNOWN_NO_WAIT = Lowered(
    name="graph-run-unknown-workflow",
    seed="semantics §4 RUN_WORKFLOW: the child's id; an id that no execution has is none",
    **_runs("nobody", wait=False, script=Nodes({}), status="failed", error="'nobody'", runs=once("start run")),
)


def _skipped_for_its_depth(world: World) -> None:
    (skipped,) = facts(world, f.ChainSkipped, "run")
    assert "3" in skipped.reason
    assert "depth" in skipped.reason
    assert list(world.store.rows) == ["main"]


TOO_DEEP = tuple(
    Lowered(
        name=f"graph-depth-3-skips{'-waiting' if wait else ''}",
        seed="seed 004 Trigger Depth Contract, semantics §4 Depth ≥ 3 skips; §0: recorded, does not fail the parent",
        **_runs(
            "helper", wait=wait, depth=3, script=Nodes({}), runs=once("start run after"), check=_skipped_for_its_depth
        ),
    )
    for wait in (False, True)
)


def _down_to_depth_three(world: World) -> None:
    assert [row.record.depth for row in world.store.rows.values()] == [0, 1, 2, 3]
    assert inputs(world, "circle") == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert all(row.record.status == "completed" for row in world.store.rows.values())


CIRCLE = Lowered(
    name="graph-runs-itself",
    seed="seed 004 Trigger Depth Contract: incremented with every start, skipped at 3",
    workflow=graph(
        "circle",
        (built_in("start", Compute()), built_in("again", Child(k("circle"), obj(n=x("vars.n + 1")), wait=False))),
        "start > again",
    ),
    input={"n": 0},
    check=_down_to_depth_three,
)


def _after(workflow: str) -> EventStart:
    """A WORKFLOW_TRIGGER."""
    condition = x(f"event.payload.name == {workflow!r}")
    return EventStart("workflow.completed", condition, input=x("event.payload.output"))


def _listener(name: str, workflow: str) -> Workflow:
    return graph(name, (built_in("start", Compute()),), starts=(_after(workflow),))


def _started_once_by_its_completion(world: World) -> None:
    assert [row.record.workflow for row in world.store.rows.values()] == ["source", "listener"]
    assert inputs(world, "listener") == [{"x": 1, "y": 2}]
    (record,) = started(world, "listener")
    assert (record.status, record.output) == ("completed", {"x": 1, "y": 2})
    assert (record.trigger, record.started_at) == ("event", facts(world, f.ExecutionCompleted)[0].at)


WORKFLOW_TRIGGER = Lowered(
    name="graph-workflow-trigger",
    seed="semantics §4 WORKFLOW_TRIGGER: its output is the context; §0: a workflow is never started by its own event",
    # `source` names itself too, and `deaf` a workflow that never ran.
    workflow=graph("source", nodes("a"), "start > a", starts=(_after("source"),)),
    input={"x": 1},
    others=(_listener("listener", "source"), _listener("deaf", "nobody")),
    script=Nodes({"a": sets(y=2)}),
    output={"x": 1, "y": 2},
    check=_started_once_by_its_completion,
)


def _alone(world: World) -> None:
    assert list(world.store.rows) == ["main"]


FAILED_SOURCE = Lowered(
    name="graph-workflow-trigger-of-a-failure",
    seed="semantics §4 WORKFLOW_TRIGGER: starts when that workflow completes",
    workflow=WORKFLOW_TRIGGER.workflow,
    input={"x": 1},
    others=WORKFLOW_TRIGGER.others,
    script=Nodes({"a": breaks("no")}),
    status="failed",
    check=_alone,
)


def _one_deeper_each_time(world: World) -> None:
    records = [row.record for row in world.store.rows.values()]
    assert [(record.workflow, record.depth) for record in records] == [("w0", 0), ("w1", 1), ("w2", 2), ("w3", 3)]
    assert [record.parent for record in records] == [None, *(record.id for record in records[:-1])]


TRIGGER_DEPTH = Lowered(
    name="graph-workflow-trigger-depth",
    seed="seed 004 Trigger Depth Contract, semantics §0: every started execution records parent and depth; ≥ 3 skips",
    workflow=graph("w0", (built_in("start", Compute()),)),
    input={},
    others=tuple(_listener(f"w{number}", f"w{number - 1}") for number in range(1, 6)),
    check=_one_deeper_each_time,
)


def _execute(world: World) -> None:
    world.publish("workflows/execute.workflow", {"workflowId": "seeded", "initialData": {"x": 2}}, "inngest-1")
    world.publish("workflows/execute.workflow", {"workflowId": "another", "initialData": {"x": 3}}, "inngest-2")


def _started_by_the_seeds_event(world: World) -> None:
    assert inputs(world, "seeded") == [{"x": 2}]
    (record,) = started(world, "seeded")
    assert record.output == {"x": 2, "a": 1}
    (first,) = facts(world, f.ExecutionStarted, execution=record.id)
    assert (first.event_id, first.trigger) == ("inngest-1", "event")


SEEDS_EVENT = Lowered(
    name="graph-started-by-the-seeds-event",
    seed="seed 004 Event Contract, semantics §4 Start: {workflowId, initialData} is accepted as an event that starts it",
    workflow=graph(
        "seeded",
        nodes("a"),
        "start > a",
        starts=(
            EventStart(
                "workflows/execute.workflow",
                x("event.payload.workflowId == 'seeded'"),
                input=x("event.payload.initialData"),
            ),
        ),
    ),
    input={"x": 1},
    script=Nodes({"a": sets(a=1)}),
    happenings=(Happening(LATER, _execute),),
    output={"x": 1, "a": 1},
    check=_started_by_the_seeds_event,
)

WORKFLOWS: tuple[Lowered, ...] = (
    LINEAR,
    DIAMOND,
    UNEVEN,
    NESTED,
    ENDS_APART,
    _if_else(70, "true"),
    _if_else(30, "false"),
    _switch("gold", "fast"),
    _switch("silver", "slow"),
    _switch("tin", "rest"),
    BRANCH_NOWHERE,
    DEFAULT_OUTPUT,
    INPUTS,
    _cycle(8, output={"n": 3, "done": True}, runs={"start": 1, "work": 3, "check": 3, "exit": 1}),
    _cycle(7, status="failed", runs={"start": 1, "work": 3, "check": 3}, check=_names_the_limit("7", "exit")),
    ENDLESS,
    FIFTY,
    FIFTY_ONE,
    BACK_EDGE,
    PARALLEL_BODY,
    TWO_WAYS_BACK,
    BESIDE_A_CYCLE,
    NO_ROOT,
    ANCESTORS,
    *DELETION,
    *NO_CONFLICT,
    *CONFLICT,
    *CONFLICTS,
    ONE_BY_ONE_IS_NO_CONFLICT,
    WAIT_IN_ONE_BRANCH,
    WAIT_ALONE,
    _wait_until("an-instant", T0 + HOUR, _waitUntil=T0 + HOUR),
    _wait_until("the-past", None, _waitUntil=T0 - 1),
    _wait_until("after-a-wait", T0 + HOUR, _wait=60, _waitUntil=T0 + HOUR),
    TWO_WAITS,
    WAIT_NODE,
    FAILURE,
    RETRIED,
    SEQUENTIAL_FAILURE,
    JOIN_ANY,
    ONE_BY_ONE,
    SEQUENTIAL_WAIT,
    _entry("manual", "manual"),
    _entry("webhook", "hook"),
    _entry("schedule", "manual"),
    CHECKPOINTS,
    BUILT_IN,
    _approval(
        "approved",
        ApprovalAnswer(HOUR, "approve"),
        output={"verdict": "approve", "shipped": True},
        runs=once("start ask ship"),
    ),
    _approval("rejected", ApprovalAnswer(HOUR, "reject"), output={"verdict": "reject"}, runs=once("start ask")),
    _approval("open", None, status="waiting", runs=once("start ask"), check=waited((48, "approval ask"))),
    RUN_AND_WAIT,
    RUN,
    RUN_FAILS,
    RUN_UNKNOWN,
    RUN_UNKNOWN_NO_WAIT,
    *TOO_DEEP,
    CIRCLE,
    WORKFLOW_TRIGGER,
    FAILED_SOURCE,
    SEEDS_EVENT,
    CONFLICT_IN_A_CYCLE,
    EDGE_NOT_TAKEN,
    WAITING_BEFORE_A_JOIN,
    SEQUENTIAL_WAITING,
    LIMIT_DRAINS,
    TRIGGER_DEPTH,
)
