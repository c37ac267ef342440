"""How the steps of an execution stand, as its history tells."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from msgspec import Struct
from rich.console import Console

from perdure.cli.lines import PlainLines, said
from perdure.cli.live import LiveTree
from perdure.cli.tree import Line, Tree


class Told(Struct, frozen=True):
    """An entry of a history."""

    at: int
    kind: str
    step: str | None = None
    data: Any = {}


def after(*entries: Told) -> Tree:
    tree = Tree("order", 0)
    for entry in entries:
        tree.take(entry)
    return tree


BEGUN = Told(1_000, "execution.started")


def test_a_task_is_entered_tried_again_and_done() -> None:
    entries = [
        BEGUN,
        Told(1_100, "step.scheduled", "pay"),
        Told(1_200, "step.retrying", "pay", {"attempt": 2, "due_at": 5_000, "error": {"message": "declined"}}),
    ]
    tree = after(*entries)
    assert tree.lines["pay"] == Line("pay", "retrying", 1_100, attempt=2, until=5_000, note="declined")
    tree.take(Told(5_000, "step.attempted", "pay", {"attempt": 2}))
    assert tree.lines["pay"].state == "running"
    tree.take(Told(5_500, "step.completed", "pay", {"op": 2}))
    assert tree.lines["pay"] == Line("pay", "completed", 1_100, 5_500, attempt=2)


def test_coming_back_to_a_step_is_a_new_run_of_it() -> None:
    tree = after(
        BEGUN,
        Told(1_100, "step.scheduled", "poll"),
        Told(1_200, "step.completed", "poll", {"op": 2}),
        Told(1_300, "step.scheduled", "poll"),
        Told(1_400, "step.completed", "poll", {"op": 4}),
        Told(1_500, "step.completed", "check"),
        Told(1_600, "step.completed", "check"),
    )
    assert tree.lines["poll"] == Line("poll", "completed", 1_300, 1_400, runs=2)
    assert tree.lines["check"].runs == 2


def test_items_count_towards_the_step_and_are_no_runs_of_it() -> None:
    items = [Told(1_200 + item, "step.scheduled", "pack", {"item": item, "scope": 2}) for item in range(3)]
    tree = after(BEGUN, Told(1_100, "foreach.opened", "pack", {"items": ["a", "b", "c"]}), *items)
    assert (tree.lines["pack"].total, tree.lines["pack"].done, tree.lines["pack"].runs) == (3, 0, 1)
    tree.take(Told(1_300, "item.completed", "pack", {"item": 0}))
    tree.take(Told(1_400, "item.failed", "pack", {"item": 1, "error": {"message": "torn"}}))
    assert (tree.lines["pack"].done, tree.lines["pack"].note) == (2, "item 1: torn")
    tree.take(Told(1_500, "step.completed", "pack", {"scope": 2}))
    assert (tree.lines["pack"].state, tree.lines["pack"].done) == ("completed", 3)


@pytest.mark.parametrize(
    ("kind", "data", "note"),
    [
        ("timer.opened", {"due_at": 9_000}, "timer"),
        ("wait.opened", {"pattern": "order.paid", "due_at": 9_000}, "event order.paid"),
        ("approval.opened", {"due_at": 9_000}, "approval"),
    ],
)
def test_what_waits_says_for_what_and_until_when(kind: str, data: dict[str, Any], note: str) -> None:
    line = after(BEGUN, Told(1_100, kind, "wait", data)).lines["wait"]
    assert (line.state, line.until, line.note) == ("waiting", 9_000, note)


def test_a_pause_after_a_step_is_part_of_it() -> None:
    tree = after(BEGUN, Told(1_100, "step.completed", "nap", {"hold_until": 9_000, "label": "rest"}))
    assert (tree.lines["nap"].state, tree.lines["nap"].until, tree.lines["nap"].note) == ("waiting", 9_000, "rest")
    tree.take(Told(9_000, "pause.ended", "nap", {"op": 2}))
    assert (tree.lines["nap"].state, tree.lines["nap"].ended_at) == ("completed", 9_000)


def test_what_is_open_when_it_fails_is_open_no_more() -> None:
    tree = after(
        BEGUN,
        Told(1_100, "step.scheduled", "slow"),
        Told(1_200, "step.failed", "fast", {"error": {"message": "no"}}),
        Told(1_300, "execution.failed", None, {"error": {"message": "step 'fast': no"}}),
    )
    assert (tree.state, tree.note, tree.ended_at) == ("failed", "", 1_300), "the step tells it"
    assert (tree.lines["slow"].state, tree.lines["fast"].state) == ("cancelled", "failed")


def test_a_retry_takes_the_execution_up_again() -> None:
    tree = after(
        BEGUN, Told(1_300, "execution.failed", None, {"error": {"message": "no"}}), Told(2_000, "execution.retried")
    )
    assert (tree.state, tree.note, tree.ended_at) == ("running", "", 0)


def test_a_line_tells_what_is_worth_telling() -> None:
    assert said(Line("pay", "retrying", 0, attempt=3, until=3_000, note="declined"), 1_000) == (
        "failed, attempt 3 follows  for 2.0 s  declined"
    )
    assert said(Line("pack", "completed", 0, 65_000, runs=2, attempt=2, done=3, total=3), 0) == (
        "completed  3/3  attempt 2  run 2  1:05"
    )


def test_plain_lines_tell_changes_and_not_every_item(capsys: pytest.CaptureFixture[str]) -> None:
    with PlainLines(Tree("order", 0)) as lines:
        lines.take(BEGUN)
        lines.take(Told(1_100, "foreach.opened", "pack", {"items": list(range(1_000))}))
        for item in range(1_000):
            lines.take(Told(1_200, "item.completed", "pack", {"item": item}))
        lines.take(Told(1_300, "step.completed", "pack", {"scope": 2}))
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1 + 10 + 1
    assert shown[-1].endswith("pack  completed  1000/1000  200 ms")


def test_the_whole_tree_stays_on_the_screen_also_where_it_is_longer() -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=80, height=12, no_color=True, highlight=False)
    with LiveTree(Tree("order", 0), console) as live:
        live.take(BEGUN)
        for step in range(30):
            live.take(Told(1_100, "step.completed", f"step{step}"))
        live.take(Told(1_200, "step.completed", "ship"))
    told = re.sub("\x1b\\[[^a-zA-Z]*[a-zA-Z]", "", shown.getvalue())
    assert "└─ ✓ ship" in told
    assert all(f"step{step}" in told for step in range(30))


def test_while_it_goes_on_what_is_open_is_shown_and_the_rest_is_counted() -> None:
    tree = after(BEGUN, Told(1_050, "step.scheduled", "slow"))
    for step in range(30):
        tree.take(Told(1_100, "step.completed", f"step{step}"))
    shown = io.StringIO()
    console = Console(file=shown, width=80, height=12, no_color=True, highlight=False)
    console.print(LiveTree(tree, console).drawn(8))
    told = shown.getvalue()
    assert "slow" in told
    assert "… 23 more" in told
    assert len(told.splitlines()) == 1 + 1 + 8
