"""The diagrams in core/README.md are what the code does: drawn from the facts of every lowered workflow.

`PERDURE_DRAW=1 pytest tests/test_diagrams.py` draws them anew.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lowered import ALL
from lowered.base import run
from perdure.core.apply import apply
from perdure.core.facts import Fact
from perdure.core.state import BLANK, State, TaskOp
from perdure.testing.faults import EVERYWHERE, CrashAt

README = Path(__file__).parent.parent / "src" / "perdure" / "core" / "README.md"
Edges = dict[tuple[str, str], set[str]]


def histories() -> Iterator[list[Fact]]:
    """Of every lowered workflow, undisturbed and with a worker that dies after its first calls."""
    for lowered in ALL:
        for hook in (CrashAt(), CrashAt(2, 6, points=EVERYWHERE)):
            yield from (row.facts for row in run(lowered, hook).store.rows.values())


def execution_label(state: State) -> str:
    if state is BLANK:
        return "[*]"
    if state.status == "running":
        return "draining" if state.failing else "retrying" if state.retry_at is not None else "running"
    if state.undoing is not None and state.undoing.phase != "done":
        return "settling" if state.undoing.phase == "settling" else "undoing"
    firing = any(not chain.failed for chain in state.chains.values())
    return "firing" if firing else state.status


def task_labels(state: State) -> dict[int, str]:
    found = dict.fromkeys(state.stopped, "stopped")
    for op in state.ops.values():
        if isinstance(op, TaskOp):
            settling = state.status != "running" and op.undoes is None
            found[op.op] = "settling" if settling else "under_way" if op.due_at is None else "backing_off"
    return found


def moves(label: Callable[[State], dict[int, str]]) -> Edges:
    edges: Edges = {}
    for facts in histories():
        state = BLANK
        for fact in facts:
            after = apply(state, fact)
            before_labels, after_labels = label(state), label(after)
            for key in before_labels.keys() | after_labels.keys():
                edge = before_labels.get(key, "[*]"), after_labels.get(key, "[*]")
                if edge[0] != edge[1]:
                    edges.setdefault(edge, set()).add(str(fact.__struct_config__.tag))
            state = after
    return edges


def drawn(edges: Edges) -> str:
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f"    {one} --> {other}: {', '.join(sorted(kinds))}" for (one, other), kinds in sorted(edges.items())]
    return "\n".join([*lines, "```"])


@pytest.mark.simulation
@pytest.mark.parametrize(
    ("name", "label"),
    [("execution", lambda state: {0: execution_label(state)}), ("task", task_labels)],
)
def test_a_diagram_is_what_the_code_does(name: str, label: Callable[[State], dict[int, str]]) -> None:
    text = README.read_text()
    start = text.index(f"<!-- {name} -->") + len(f"<!-- {name} -->")
    end = text.index("<!-- end -->", start)
    diagram = f"\n{drawn(moves(label))}\n"
    if os.environ.get("PERDURE_DRAW"):
        README.write_text(text[:start] + diagram + text[end:])
        return
    assert text[start:end] == diagram, "draw it anew: PERDURE_DRAW=1 pytest tests/test_diagrams.py"
