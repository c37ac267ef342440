"""A bug in an expression function decides nothing: the step or the execution fails, and no way is taken by default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from core.drive import T0, Drive, flow
from perdure.core import events as e
from perdure.core import facts as f
from perdure.expressions import functions
from perdure.expressions.ready import remembered
from perdure.model.failure import Category, Failure
from perdure.model.records import EventRecord
from perdure.model.steps import Compute, EventWait, Loop, Route, Step, Task
from perdure.model.workflow import Compensation, Entry, EventCancel
from perdure.testing.words import k, x

BROKEN = x("Math.cbrt(input.n) > 1")
OTHER = Step("other", Compute(k("the wrong way")))


@pytest.fixture(autouse=True)
def _broken_function(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("a bug of ours")

    monkeypatch.setitem(functions.FUNCTIONS, "Math.cbrt", broken)
    remembered.cache_clear()
    yield
    remembered.cache_clear()


def failure(drive: Drive) -> Failure:
    """Of an execution that never came to the other step."""
    assert drive.state.status == "failed"
    assert not any(isinstance(fact, f.StepCompleted) and fact.step == 1 for fact in drive.history)
    error: Failure = drive.fact(f.ExecutionFailed).error
    assert "internal error in an expression function (ZeroDivisionError: a bug of ours)" in error.message
    return error


def test_in_the_condition_of_a_route() -> None:
    first = Step("first", Compute(k(1)), (Route(("first",), when=BROKEN), Route(("other",))))
    assert failure(Drive(flow(first, OTHER), {"n": 8})).code == "EXPRESSION"


def test_in_the_condition_of_a_route_with_text_of_its_author() -> None:
    first = Step("first", Compute(k(1)), (Route(("other",), when=BROKEN),), unrouted="end")
    assert failure(Drive(flow(first, OTHER, written=((BROKEN.source, "cbrt of n"),)), {"n": 8})).message.count(
        "cbrt of n"
    )


def test_in_the_condition_of_an_entry() -> None:
    entries = (Entry("first", when=BROKEN), Entry("other", when=k(True)))
    drive = Drive(flow(Step("first", Compute(k(1))), OTHER, entries=entries), {"n": 8})
    assert failure(drive).message.startswith("the condition of an entry could not be computed")
    assert not drive.state.runs


def test_in_the_condition_of_a_route_for_errors() -> None:
    routes = (Route(("other",), when=BROKEN), Route(("other",)))
    drive = Drive(flow(Step("first", Task("t"), on_error=routes), OTHER), {"n": 8})
    drive.send(e.TaskFailed(T0, 2, 1, Failure("refused", Category.PERMANENT, "NO", retriable=False)))
    assert drive.state.status == "failed"
    assert drive.fact(f.ExecutionFailed).error.code == "NO"
    assert "internal error" in drive.fact(f.Warned).message
    assert not any(isinstance(fact, f.StepCompleted) for fact in drive.history)


def test_in_the_condition_of_a_tick() -> None:
    loop = Step("loop", Loop(k([1, 2])), (Route(("other",), port="loop", when=BROKEN),))
    assert failure(Drive(flow(loop, OTHER), {"n": 8})).code == "EXPRESSION"


def test_in_the_condition_of_a_wait() -> None:
    wait = Step("wait", EventWait(k("paid"), condition=x("Math.cbrt(event.payload) > 1")))
    drive = Drive(flow(wait), {"n": 8})
    drive.send(e.EventArrived(T0, EventRecord("e1", "paid", T0, 8)))
    assert failure(drive).code == "EXPRESSION"


def test_in_the_condition_of_a_cancellation_is_a_warning() -> None:
    """What cancels an execution by mistake is worse."""
    cancels = (EventCancel("stop", condition=x("Math.cbrt(event.payload) > 1")),)
    drive = Drive(flow(Step("wait", EventWait(k("paid"))), cancels=cancels), {"n": 8})
    drive.send(e.EventArrived(T0, EventRecord("e1", "stop", T0, 8)))
    assert drive.state.status == "running"
    assert "internal error" in drive.fact(f.Warned).message


def test_in_the_condition_of_a_compensation_fails_the_compensation() -> None:
    """Nobody knows whether the step has to be undone, and it is not left out silently."""
    steps = (Step("a", Task("t"), (Route(("b",)),)), Step("b", Task("t")), Step("undo", Task("u")))
    drive = Drive(flow(*steps, compensations=(Compensation("a", "undo", BROKEN),)), {"n": 8})
    drive.done("a", {}).send(e.CancelRequested(T0, "called off", "ann", "USER"))
    drive.send(e.TaskFailed(T0, 4, 1, Failure("no", retriable=False)))
    assert drive.fact(f.CompensationPlanned).plan == ((2, 0),)
    assert drive.fact(f.CompensationFinished).failed == (0,)
    failed = [fact for fact in drive.history if isinstance(fact, f.StepFailed) and fact.step == 2]
    assert "internal error in an expression function" in failed[0].error.message
    assert drive.state.status == "cancelled"
