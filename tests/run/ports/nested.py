"""Loops in loops, one after the other, and entered again."""

from __future__ import annotations

from typing import Any

from run.case import Case
from run.expected import ABSENT
from run.ports.words import action, condition, echo, flow, loop, sets

OUTER = loop("{{input}}", {"loop": "inner", "done": "after"}, "outer")
INNER = loop("{{loop.item}}", {"loop": "work", "done": "outer"}, "inner")


def _ticks(name: str, template: str, ticks: list[Any]) -> Case:
    """What a template comes to in the inner body, over [[1, 2], [3]]."""
    document = flow(
        OUTER,
        INNER,
        sets("work", "inner", ticks="{{ticks.concat([" + template + "])}}"),
        echo("after", ticks="{{ticks}}"),
        variables={"ticks": []},
    )
    return Case(f"nested: {name}", document, [[1, 2], [3]], output={"ticks": ticks})


NESTED: tuple[Case, ...] = (
    _ticks("the inner items", "loop.item", [1, 2, 3]),
    _ticks("the inner index", "loop.index", [0, 1, 0]),
    _ticks("the outer item", "loop.parent.item", [[1, 2], [1, 2], [3]]),
    _ticks("the outer index", "loop.parent.index", [0, 0, 1]),
    _ticks("the outer state", "loop.parent.state.iterations", [0, 0, 1]),
    _ticks("whose it is", "loop.ownerStepSlug", ["inner", "inner", "inner"]),
    _ticks("whose the one around it is", "loop.parent.ownerStepSlug", ["outer", "outer", "outer"]),
    _ticks("the inner state begins anew", "loop.state.totalItems", [2, 2, 1]),
    Case(
        "nested: after the inner one it is the outer again",
        flow(
            OUTER,
            loop("{{loop.item}}", {"done": "between"}, "inner"),
            sets(
                "between",
                "outer",
                seen="{{seen.concat([loop.item])}}",
                owners="{{owners.concat([loop.ownerStepSlug])}}",
            ),
            echo("after", seen="{{seen}}", owners="{{owners}}"),
            variables={"seen": [], "owners": []},
        ),
        [[1, 2], [3]],
        output={"seen": [[1, 2], [3]], "owners": ["outer", "outer"]},
    ),
    Case(
        "nested: the outermost stays",
        flow(OUTER, INNER, echo("work", "inner"), echo("after")),
        [[1, 2], [3]],
        view={
            "variables.loop.state.totalItems": 2,
            "variables.loop.state.isComplete": True,
            "variables.loop.items": [[1, 2], [3]],
            "variables.loop.parent": ABSENT,
        },
    ),
    Case(
        "nested: an empty one inside",
        flow(OUTER, INNER, sets("work", "inner", n="{{n + 1}}"), echo("after", n="{{n}}"), variables={"n": 0}),
        [[], [1], []],
        output={"n": 1},
    ),
    Case(
        "nested: three deep",
        flow(
            OUTER,
            loop("{{loop.item}}", {"loop": "innermost", "done": "outer"}, "inner"),
            loop("{{loop.item}}", {"loop": "work", "done": "inner"}, "innermost"),
            sets(
                "work", "innermost", seen="{{seen.concat([[loop.item, loop.parent.index, loop.parent.parent.index]])}}"
            ),
            echo("after", seen="{{seen}}"),
            variables={"seen": []},
        ),
        [[["a"]], [["b"], ["c"]]],
        output={"seen": [["a", 0, 0], ["b", 0, 1], ["c", 1, 1]]},
    ),
    Case(
        "loops one after the other are not nested",
        flow(
            loop([1], {"done": "second"}, "first"),
            loop([2, 3], {"loop": "work", "done": "after"}, "second"),
            sets("work", "second", parents="{{parents.concat([loop.parent ?? 'none'])}}"),
            echo("after", parents="{{parents}}"),
            variables={"parents": []},
        ),
        output={"parents": ["none", "none"]},
        view={"variables.loop.items": [2, 3], "variables.loop.parent": ABSENT},
    ),
    Case(
        "a loop that is entered again starts anew",
        flow(
            action("fetch", "page", {"number": "{{number}}"}, "each", outputMapping={"more": "data.next"}),
            loop("{{steps.fetch.output.data.items}}", {"loop": "work", "done": "gate"}),
            sets("work", "each", seen="{{seen.concat([loop.item])}}"),
            condition("{{steps.fetch.output.data.next}} != null", leads={"true": "turn", "false": "after"}),
            sets("turn", "fetch", number="{{steps.fetch.output.data.next}}"),
            echo("after", seen="{{seen}}", ticks="{{loop.state.iterations}}"),
            variables={"number": 1, "seen": []},
        ),
        output={"seen": [1, 2, 3], "ticks": 1},
    ),
    Case(
        "a longer way back to the loop is a way back",
        flow(
            loop([1, 2], {"loop": "work", "done": "after"}),
            condition("{{n}} < 1", "work", {"true": "count", "false": "each"}),
            sets("count", "each", n="{{n + 1}}"),
            echo("after", n="{{n}}"),
            variables={"n": 0},
        ),
        output={"n": 1},
    ),
)
