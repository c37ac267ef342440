"""Phases: what each step is given, and what comes of them."""

from __future__ import annotations

from msgspec.structs import replace

from lowered.base import Lowered, k, obj, text, x
from lowered.checks import begun, ended, facts, given
from lowered.outside import answer
from lowered.phases.words import Tools, phases, ran, tool, transform
from perdure.core import facts as f
from perdure.model.values import Json
from perdure.testing.script import Fixed, Place, TaskAnswer
from perdure.testing.world import World


def _each_was_given_what_the_one_before_came_to(world: World) -> None:
    assert given(world, "fetch") == [{"query": "new"}]
    assert given(world, "process") == [{"rows": [1, 2]}]
    assert given(world, "save") == [{"sum": 3}]


SIMPLE_PIPELINE = Lowered(
    name="phases-simple-pipeline",
    seed="seed 003 §4 Simple Sequential Workflow, semantics §3 Step input",
    workflow=phases(
        "simple-pipeline",
        (tool("fetch", task="api/get-data"),),
        (tool("process", task="processor/run"),),
        (tool("save", task="db/insert"),),
    ),
    input={"query": "new"},
    script=Fixed({"fetch": answer({"rows": [1, 2]}), "process": answer({"sum": 3}), "save": answer({"id": 9})}),
    output={"id": 9},
    runs=ran("fetch", "process", "save", barriers=3),
    check=_each_was_given_what_the_one_before_came_to,
)


def _the_middle_phase_ran_at_once_and_the_last_after_all_of_it(world: World) -> None:
    (began,) = ended(world, "A")
    ends = [began + after for after in (40, 30, 20, 50)]
    assert [begun(world, step)[0] for step in "BCDE"] == [began] * 4
    assert [ended(world, step)[0] for step in "BCDE"] == ends
    assert begun(world, "F") == [max(ends)]
    assert [given(world, step) for step in "BCDE"] == [[{"data": "raw"}]] * 4
    assert given(world, "F") == [{"fromB": "b", "fromC": "c", "original": "raw"}]


PARALLEL_PIPELINE = Lowered(
    name="phases-parallel-pipeline",
    seed="seed 003 §3 Phase-Based Parallelism, §4 Parallel Processing",
    workflow=phases(
        "parallel-pipeline",
        (tool("A"),),
        tuple(tool(name, obj(data=x("steps.A.output.data"))) for name in "BCDE"),
        (
            tool(
                "F",
                obj(
                    fromB=x("steps.B.output.xpto"),
                    fromC=x("steps.C.output.xpto"),
                    original=x("steps.A.output.data"),
                ),
            ),
        ),
    ),
    script=Fixed(
        {
            "A": answer({"data": "raw"}),
            "B": answer({"xpto": "b"}, 40),
            "C": answer({"xpto": "c"}, 30),
            "D": answer({"xpto": "d"}, 20),
            "E": answer({"xpto": "e"}, 50),
            "F": answer("all"),
        }
    ),
    output="all",
    runs=ran(*"ABCDEF", barriers=3),
    check=_the_middle_phase_ran_at_once_and_the_last_after_all_of_it,
)


def _absent_is_the_phase_before_and_empty_stays_empty(world: World) -> None:
    assert given(world, "left") == given(world, "right") == [{"n": 1}]
    assert given(world, "both") == [{"left": [1], "right": {"r": 2}}]
    assert given(world, "none") == [{}]


SEVERAL_STEPS = Lowered(
    name="phases-input-and-output-of-several-steps",
    seed="semantics §3 Step input, Output [51, 53]",
    workflow=phases("several", (tool("left"), tool("right")), (tool("both"), tool("none", k({})))),
    input={"n": 1},
    script=Fixed({"left": answer([1], 30), "right": answer({"r": 2}), "both": answer("b", 20), "none": answer(None)}),
    output={"both": "b", "none": None},
    runs={"start": 1, **ran("left", "right", "both", "none", barriers=2)},
    check=_absent_is_the_phase_before_and_empty_stays_empty,
)


def _emails(place: Place, given: Json) -> TaskAnswer:
    return answer({"emails": [user["email"] for user in given["users"] if user["active"]]})


TRANSFORM = Lowered(
    name="phases-transform",
    seed="seed 003 §4 Transform Step",
    workflow=phases(
        "emails",
        (tool("fetch", task="api/list-users"),),
        (transform("extract-emails", obj(users=x("steps.fetch.output.users"))),),
        (tool("send-batch", obj(recipients=x('steps["extract-emails"].output.emails')), task="email/send"),),
    ),
    script=Tools(
        **{
            "fetch": lambda _, __: answer(
                {"users": [{"email": "a@x.org", "active": True}, {"email": "b@x.org", "active": False}]}
            ),
            "extract-emails": _emails,
            "send-batch": lambda _, given: answer({"sent": len(given["recipients"]), "to": given["recipients"]}),
        }
    ),
    output={"sent": 1, "to": ["a@x.org"]},
    runs=ran("fetch", "extract-emails", "send-batch", barriers=3),
)


def _text_keeps_what_does_not_resolve(world: World) -> None:
    assert given(world, "send") == [
        {
            "to": "ops@example.com",
            "whole": {"n": 2},
            "greeting": 'Dear Ann, {"n":2} by @fetch.output.nobody, .',
            "first": "x",
        }
    ]


REFS_IN_TEXT = Lowered(
    name="phases-refs-in-text",
    seed="semantics §3 Refs [61, 62]; seeds-origin C.1",
    workflow=phases(
        "refs",
        (tool("fetch"),),
        (
            tool(
                "send",
                obj(
                    to="ops@example.com",
                    whole=x("steps.fetch.output.data"),
                    gone=x("steps.fetch.output.gone"),
                    greeting=text(
                        "Dear ",
                        x("input.name"),
                        ", ",
                        x("steps.fetch.output.data"),
                        " by ",
                        x(
                            "steps.fetch.output.nobody === undefined ? '@fetch.output.nobody' : steps.fetch.output.nobody"
                        ),
                        ", ",
                        x("steps.fetch.output.empty === undefined ? '@fetch.output.empty' : steps.fetch.output.empty"),
                        ".",
                    ),
                    first=x("steps.fetch.output.list[0]"),
                ),
            ),
        ),
    ),
    input={"name": "Ann"},
    script=Fixed({"fetch": answer({"data": {"n": 2}, "empty": None, "list": ["x"]}), "send": answer(True)}),
    output=True,
    check=_text_keeps_what_does_not_resolve,
)


def _warned_of_the_ref(world: World) -> None:
    assert given(world, "send") == [{"to": "ann"}]
    assert ["steps.fetch.output.gone" in fact.message for fact in facts(world, f.Warned, "send")] == [True]


UNRESOLVED = Lowered(
    name="phases-unresolved-ref-warns",
    seed="semantics §3 Refs: a whole-string unresolved ref is undefined, with a warning",
    workflow=phases(
        "unresolved",
        (tool("fetch"),),
        (
            replace(
                tool("send", obj(to=x("steps.fetch.output.to"), cc=x("steps.fetch.output.gone"))), warn_undefined=True
            ),
        ),
    ),
    script=Fixed({"fetch": answer({"to": "ann"})}),
    output={"to": "ann"},
    check=_warned_of_the_ref,
)

PIPELINES = (SIMPLE_PIPELINE, PARALLEL_PIPELINE, SEVERAL_STEPS, TRANSFORM, REFS_IN_TEXT, UNRESOLVED)
