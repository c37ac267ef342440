"""Executions in the middle of their lives: after every commit of every fourth lowered workflow, and when its worker has died."""

from __future__ import annotations

from pathlib import Path

import pytest

from lowered import ALL
from lowered.base import Lowered, play
from perdure.expressions.language import compile_value
from perdure.store.sqlite.doctor import Report, examine
from perdure.testing import World
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.world import Crash, Point


class Visits:
    """A hook: the doctor comes after every commit. One worker dies right after its visit."""

    def __init__(self, path: Path, dies_after: int) -> None:
        self.path = path
        self.store = InspectedSqlite(str(path), crashes_max=1_000)
        self.store.connection.pragma("synchronous", "OFF")  # nobody pulls the plug here
        self.now = 0
        self.visits = 0
        self._dies_after = dies_after

    def __call__(self, point: Point) -> None:
        if point == "after claim":
            self.visit()
        if point == "after commit":
            self.visit()
            self.visits += 1
            if self.visits == self._dies_after:
                raise Crash

    def visit(self) -> Report:
        report = examine(str(self.path), now=self.now, crashes_max=1_000, alive=lambda _: None)
        assert report.broken == ()
        assert {one.complaint.check for one in report.attention} <= {"dead_owners", "overdue", "unrouted"}
        return report


@pytest.mark.parametrize("lowered", ALL[::4], ids=lambda lowered: lowered.name)
def test_whoever_lives_is_healthy_at_every_moment(lowered: Lowered, tmp_path: Path) -> None:
    hook = Visits(tmp_path / "flows.db", dies_after=2)
    world = World(compile_value, lowered.script, hook, store=hook.store)
    play(lowered, world)
    assert hook.visits > 0
    ended = hook.visit()
    assert ended.counts is not None
    assert ended.counts.executions == len(hook.store.rows)
    assert ended.counts.workers_alive == 1
    hook.store.close()
