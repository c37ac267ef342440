"""How the steps of an execution stand, as its history tells."""

from __future__ import annotations

import pytest

from perdure.core import facts as f
from perdure.model.failure import Failure
from perdure.model.steps import Retry, Step, Task
from perdure.service.engine import Engine
from perdure.service.errors import ExecutionFailed
from perdure.service.progress import Progress, StepProgress
from service.words import begun, breaking, one, running

DECLINED = Failure("declined")
BEGUN = (None, f.ExecutionStarted(1_000, "e1", "d1"))


def after(*told: tuple[str | None, f.Fact]) -> Progress:
    progress = Progress(0)
    for step, fact in told:
        progress.take(step, fact)
    return progress


def test_a_task_is_entered_tried_again_and_done() -> None:
    progress = after(
        BEGUN,
        ("pay", f.StepScheduled(1_100, 0)),
        ("pay", f.StepRetrying(1_200, 2, 2, 5_000, DECLINED)),
    )
    assert progress.steps["pay"] == StepProgress(
        "pay", "retrying", 1_100, attempt=2, until=5_000, note="declined", error=DECLINED
    )
    progress.take("pay", f.StepAttempted(5_000, 2, 2))
    assert (progress.steps["pay"].status, progress.steps["pay"].error) == ("running", None)
    progress.take("pay", f.StepCompleted(5_500, 0, 2))
    assert progress.steps["pay"] == StepProgress("pay", "completed", 1_100, 5_500, attempt=2)


def test_coming_back_to_a_step_is_a_new_run_of_it() -> None:
    progress = after(
        BEGUN,
        ("poll", f.StepScheduled(1_100, 0)),
        ("poll", f.StepCompleted(1_200, 0, 2)),
        ("poll", f.StepScheduled(1_300, 0)),
        ("poll", f.StepCompleted(1_400, 0, 4)),
        ("check", f.StepCompleted(1_500, 1)),
        ("check", f.StepCompleted(1_600, 1)),
    )
    assert progress.steps["poll"] == StepProgress("poll", "completed", 1_300, 1_400, attempt=1, runs=2)
    assert progress.steps["check"] == StepProgress("check", "completed", 1_600, 1_600, runs=2)


def test_items_count_towards_the_step_and_are_no_runs_of_it() -> None:
    items = [("pack", f.StepScheduled(1_200 + item, 0, scope=2, item=item)) for item in range(3)]
    progress = after(BEGUN, ("pack", f.ForEachOpened(1_100, 0, ["a", "b", "c"])), *items)
    pack = progress.steps["pack"]
    assert (pack.total, pack.done, pack.runs, pack.started_at) == (3, 0, 1, 1_100)
    progress.take("pack", f.ItemCompleted(1_300, 0, 2, 0))
    progress.take("pack", f.ItemFailed(1_400, 0, 2, 1, Failure("torn")))
    assert (progress.steps["pack"].done, progress.steps["pack"].note) == (2, "item 1: torn")
    progress.take("pack", f.StepCompleted(1_500, 0, scope=2))
    assert (progress.steps["pack"].status, progress.steps["pack"].done) == ("completed", 3)


def test_a_loop_counts_its_batches() -> None:
    loop = ("loop", f.LoopOpened(1_100, 0, list(range(5)), 2))
    ticked = ("loop", f.LoopTicked(1_200, 0, 2, 0))
    step = after(BEGUN, loop, ticked).steps["loop"]
    assert (step.status, step.done, step.total) == ("running", 1, 3)


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        (f.TimerOpened(1_100, 0, 9_000), "timer"),
        (f.WaitOpened(1_100, 0, "order.paid", 9_000), "event order.paid"),
        (f.ApprovalOpened(1_100, 0, {}, 9_000), "approval"),
    ],
)
def test_what_waits_says_for_what_and_until_when(fact: f.Fact, note: str) -> None:
    step = after(BEGUN, ("wait", fact)).steps["wait"]
    assert (step.status, step.until, step.note, step.attempt) == ("waiting", 9_000, note, 0)


def test_a_pause_after_a_step_is_part_of_it() -> None:
    progress = after(BEGUN, ("nap", f.StepCompleted(1_100, 0, hold_until=9_000, label="rest")))
    nap = progress.steps["nap"]
    assert (nap.status, nap.until, nap.note, nap.ended_at) == ("waiting", 9_000, "rest", None)
    progress.take("nap", f.PauseEnded(9_000, 2))
    assert (progress.steps["nap"].status, progress.steps["nap"].ended_at) == ("completed", 9_000)


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        (f.StepCheckpointed(1_200, 2, "charge", 0, 1), "checkpoint charge"),
        (f.ApprovalOverdue(1_200, 2), "approval, overdue"),
        (f.Warned(1_200, 0, "two wrote the same key"), "two wrote the same key"),
    ],
)
def test_what_is_told_meanwhile_is_noted(fact: f.Fact, note: str) -> None:
    step = after(BEGUN, ("pay", f.StepScheduled(1_100, 0)), ("pay", fact)).steps["pay"]
    assert (step.status, step.note) == ("running", note)


@pytest.mark.parametrize(("final", "attempt"), [(False, 2), (True, 1)])
def test_an_attempt_that_was_lost_with_its_worker_is_made_again(*, final: bool, attempt: int) -> None:
    step = after(BEGUN, ("pay", f.StepScheduled(1_100, 0)), ("pay", f.StepLost(1_200, 2, 1, final))).steps["pay"]
    assert (step.attempt, step.note) == (attempt, "its worker died")


def test_what_is_open_when_it_fails_is_open_no_more() -> None:
    progress = after(
        BEGUN,
        ("slow", f.StepScheduled(1_100, 0)),
        ("fast", f.StepFailed(1_200, 1, Failure("no"))),
        (None, f.ExecutionFailed(1_300, Failure("step 'fast': no"))),
    )
    assert (progress.status, progress.note, progress.ended_at) == ("failed", "", 1_300), "the step tells it"
    assert (progress.steps["slow"].status, progress.steps["fast"].status) == ("cancelled", "failed")


def test_a_retry_takes_up_again_what_had_failed_and_not_what_was_seen_to() -> None:
    progress = after(
        BEGUN,
        ("seen to", f.StepFailed(1_100, 0, Failure("no"), handled=True)),
        ("pay", f.StepScheduled(1_100, 1)),
        ("pay", f.StepFailed(1_200, 1, DECLINED, op=3)),
        (None, f.ExecutionFailed(1_300, DECLINED)),
        (None, f.ExecutionRetried(2_000, "ann")),
    )
    assert (progress.status, progress.note, progress.ended_at) == ("running", "", None)
    assert progress.steps["pay"] == StepProgress("pay", "running", 1_100, attempt=2)
    assert progress.steps["seen to"].status == "failed"


def test_what_was_open_where_a_fork_begins_is_to_be_entered_anew() -> None:
    progress = after(
        BEGUN,
        ("beside", f.StepScheduled(1_100, 0)),
        ("done", f.StepCompleted(1_200, 1)),
        (None, f.ExecutionForked(5_000, "e2", "e1")),
    )
    assert (progress.started_at, progress.steps["beside"].status) == (5_000, "pending")
    assert progress.steps["done"].status == "completed"


def test_what_a_task_publishes_is_noted_as_long_as_it_runs() -> None:
    progress = after(BEGUN, ("pay", f.StepScheduled(1_100, 0)))
    assert progress.published("nobody", "half") is None
    progress.published("pay", "half of it")
    assert progress.steps["pay"].note == "half of it"
    progress.take("pay", f.StepCompleted(1_200, 0, 2))
    assert progress.published("pay", "late") is None


def test_the_steps_of_an_execution_are_told_and_agree_with_each_of_them_alone(url: str) -> None:
    flaky = one(Step("try", Task("break", retry=Retry(2, delay_ms=1))), "flaky")

    async def scenario() -> None:
        async with breaking(Engine(url)) as engine:
            execution = await begun(engine, flaky)
            with pytest.raises(ExecutionFailed):
                await execution.result()
            progress = await execution.progress()
            (told,) = progress.steps.values()
            step = await execution.step("try")
            assert (told.step, told.status, told.attempt) == ("try", "failed", 2)
            assert (told.status, told.error, told.started_at, told.ended_at, told.runs) == (
                *(step.status, step.error, step.started_at, step.ended_at, step.runs),
            )
            assert len(step.attempts) == told.attempt

    running(scenario)
