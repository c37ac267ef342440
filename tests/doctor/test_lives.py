"""Executions in the middle of their lives: after every commit of every fourth lowered workflow (every sixteenth on Postgres), and
when its worker has died.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.patients import KINDS, Patient
from lowered import ALL
from lowered.base import Lowered, play
from perdure.expressions.language import compile_value
from perdure.store.sql.doctor import Report
from perdure.testing import World
from perdure.testing.world import Crash, Point


class Visits:
    """A hook: the doctor comes after every commit. One worker dies right after its visit."""

    def __init__(self, patient: Patient, dies_after: int) -> None:
        self._patient, self.store = patient, patient.store(crashes_max=1_000)
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
        report = self._patient.examined(crashes_max=1_000, alive=lambda _: None)
        assert report.broken == ()
        # The clock of the doctor stands still, so what the world does later lies ahead of it.
        clock_dependent = {"overdue", "executions_ahead"}
        assert {one.complaint.check for one in report.attention} <= {"dead_owners", "unrouted"} | clock_dependent
        return report


LIVES = [("sqlite", lowered) for lowered in ALL[::4]] + [("postgres", lowered) for lowered in ALL[::16]]
"""A visit takes longer where the database is another process."""


@pytest.mark.parametrize(("kind", "lowered"), LIVES, ids=lambda given: getattr(given, "name", given))
def test_whoever_lives_is_healthy_at_every_moment(kind: str, lowered: Lowered, tmp_path: Path) -> None:
    blank: Patient = KINDS[kind][0](tmp_path)
    hook = Visits(blank, dies_after=2)
    world = World(compile_value, lowered.script, hook, store=hook.store)
    play(lowered, world)
    assert hook.visits > 0
    ended = hook.visit()
    assert ended.counts is not None
    assert ended.counts.executions == len(hook.store.rows)
    assert ended.counts.workers_alive == 1
    hook.store.close()
