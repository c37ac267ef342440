"""The tables of seed 002, as views in SQL: at every moment they tell what the dialect's own view tells, and what is looked for
in them is found by an index.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from perdure.core import events as e
from perdure.core.advance import Start
from perdure.model import codec
from perdure.model.failure import Category, Failure
from perdure.model.values import Json
from perdure.runtime.writes import pending
from perdure.service.forking import Edits, forked
from perdure.store import port as p
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from perdure.testing.script import ApprovalAnswer, EventAnswer, Fixed, TaskAnswer
from postgres import empty_schema
from store.instances import Instances, compare, row

DOWN = TaskAnswer(error=Failure("it is down", Category.TRANSIENT, "DOWN", details={"a": None}, stack="line 1"))
BROKEN = TaskAnswer(error=Failure("no such order"))
SILENT = TaskAnswer(silent=True)
MINUTE = 60_000


def opened(kind: str, folder: Path, **more: Any) -> Any:
    if kind == "sqlite":
        return InspectedSqlite(str(folder / "flows.db"), **more)
    return InspectedPostgres(empty_schema(), lease_ms=None, **more)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = opened(request.param, tmp_path)
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def fragile(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """The first worker that an execution kills is the last."""
    made = opened(request.param, tmp_path, crashes_max=1)
    yield made
    made.close()


def task(step: str, to: str | None = None, **more: Json) -> dict[str, Json]:
    ways: dict[str, Json] = {} if to is None else {"transitions": {"default": to}}
    return {"stepId": step, "type": "TASK", "taskId": step, **ways, **more}


def wait(step: str, pattern: str, to: str | None = None, **more: Json) -> dict[str, Json]:
    ways: dict[str, Json] = {} if to is None else {"transitions": {"default": to}}
    return {"stepId": step, "type": "EVENT_WAIT", "eventPattern": pattern, **ways, **more}


def undo(step: str, **more: Json) -> dict[str, Json]:
    return {"stepId": f"undo_{step}", "compensationFor": step, "type": "TASK", "taskId": f"undo_{step}", **more}


def document(*steps: Json, **more: Json) -> dict[str, Json]:
    return {"id": "orders", "name": "orders", "version": "1.0.0", "steps": list(steps), **more}


ORDER = document(
    task("reserve", "charge", input={"sku": "${workflow.input.sku}"}),
    task("charge", "paid"),
    wait("paid", "order.paid", "ship", eventCondition="event.payload.id === workflow.input.id", eventPayloadMapping={"sum": "sum"}),
    task("ship"),
    variables={"limit": 5, 'a "name"': None},
    cancellationTriggers=[{"eventPattern": "order.stopped", "reason": "it's \"off\"", "shouldCompensate": True}],
    compensationSteps=[undo("reserve"), undo("charge")],
    compensateOnFailure=False,
)  # fmt: skip
PAID = EventAnswer(1_000, {"id": 7, "sum": 12.5})


def test_an_order_that_is_paid(store: Any) -> None:
    instances = Instances(store, Fixed(events={"paid": PAID}))
    instances.start(ORDER, {"sku": "x", "id": 7}, correlation_id="c1")
    instances.run()
    found = row(store, "main")
    assert (found["status"], found["correlation_id"]) == ("COMPLETED", "c1")
    assert found["state"]["variables"] == {"limit": 5, 'a "name"': None, "sum": 12.5}


def test_it_tells_what_it_waits_for_as_its_author_wrote_it(store: Any) -> None:
    instances = Instances(store, Fixed(events={"paid": None}))
    instances.start(ORDER, {"sku": "x", "id": 7})
    instances.run()
    found = row(store, "main")
    assert (found["status"], found["waiting_for_pattern"]) == ("WAITING_FOR_EVENT", "order.paid")
    assert found["state"]["waitingForEvent"]["eventCondition"] == "event.payload.id === workflow.input.id"


def test_one_that_is_cancelled_by_an_event_is_undone_and_one_step_of_that_fails(store: Any) -> None:
    instances = Instances(store, Fixed({"undo_charge": DOWN}, events={"paid": None}))
    instances.start(ORDER, {"sku": "x"})
    instances.after(MINUTE, lambda: instances.world.publish("order.stopped"))
    instances.run()
    found = row(store, "main")
    assert (found["status"], found["cancellation"]["source"]) == ("CANCELLED", "EVENT")
    assert found["compensation_state"]["status"] == "COMPLETED_WITH_ERRORS"
    assert [each["stepId"] for each in found["compensation_state"]["failed"]] == ["undo_charge"]


@pytest.mark.parametrize("compensate", [True, False])
@pytest.mark.parametrize(
    "charge", [TaskAnswer(2_000, {"payment": 1}), TaskAnswer(2_000, error=DOWN.error), SILENT], ids=["late", "down", "silent"]
)  # fmt: skip
def test_one_that_is_cancelled_while_a_call_is_in_flight(store: Any, charge: TaskAnswer, compensate: bool) -> None:
    instances = Instances(store, Fixed({"charge": charge}))
    instances.start(ORDER, {"sku": "x"})
    instances.after(1_000, lambda: instances.world.cancel("main", compensate=compensate))
    instances.run()
    assert row(store, "main")["status"] == "CANCELLED"


def test_a_call_whose_end_nobody_knows(store: Any) -> None:
    instances = Instances(store, Fixed({"charge": SILENT}))
    world = instances.world
    instances.start(ORDER, {"sku": "x"})

    def lost() -> None:
        world.cancel("main")
        world.kill(world.workers[0])

    instances.after(1_000, lost)
    instances.run()
    found = row(store, "main")
    assert found["compensation_state"]["unknown"] == ["charge"]
    assert found["state"]["steps"]["charge"]["error"]["code"] == "UNKNOWN_OUTCOME"


def test_one_that_fails_and_is_retried_again_and_again(store: Any) -> None:
    found = row(_mended(store).store, "main")
    assert (found["status"], found["state"]["steps"]["charge"]["status"]) == ("COMPLETED", "COMPLETED")


def _mended(store: Any) -> Instances:
    """It was down when it was called and when it was retried for the first time."""
    tasks: dict[str, Any] = {"charge": DOWN}
    instances = Instances(store, Fixed(tasks, events={"paid": PAID}))
    world = instances.world
    instances.start(ORDER, {"sku": "x", "id": 7})

    def mend() -> None:
        tasks["charge"] = TaskAnswer(output=1)
        world.retry("main")

    instances.after(MINUTE, lambda: world.retry("main"))
    instances.after(2 * MINUTE, mend)
    instances.run()
    return instances


def test_a_failure_that_undoes_and_one_that_is_handled(store: Any) -> None:
    failing = document(
        task("reserve", "charge"),
        task("charge", "ship", retryPolicy={"maxAttempts": 2, "delay": 1_000}, onFailure={"handlerStepId": "tell", "inputMapping": {"why": "${error.code}"}}),
        task("tell", "ship"),
        task("ship", onFailure="stop"),
        compensationSteps=[undo("reserve"), undo("tell", condition="output.why == 'DOWN'"), undo("ship")],
        compensateOnFailure=True,
    )  # fmt: skip
    instances = Instances(store, Fixed({"charge": DOWN, "ship": BROKEN, "undo_reserve": BROKEN}))
    instances.start(failing)
    instances.run()
    found = row(store, "main")
    assert (found["status"], found["compensation_state"]["plan"]) == ("FAILED", ["undo_tell", "undo_reserve"])
    assert found["state"]["steps"]["charge"]["status"] == "FAILED"


BESIDE = document(
    {
        "stepId": "both",
        "type": "PARALLEL",
        "branches": [
            {"name": "one", "steps": [task("a"), task("b")]},
            {"name": "two", "steps": [wait("w", "it.came"), {"stepId": "ask", "type": "HUMAN_TASK", "input": {"sum": 5}}]},
        ],
        "transitions": {"default": "decide"},
    },
    {"stepId": "decide", "type": "DECISION", "transitions": {"conditions": [{"condition": "output.one.n > 1", "nextStep": "END"}], "default": "last"}},
    task("last"),
)  # fmt: skip


@pytest.mark.parametrize(
    "a", [TaskAnswer(5_000, {"n": 1}), TaskAnswer(output={"n": 2}), DOWN], ids=["slow", "quick", "down"]
)
@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_branches_beside_one_another_and_people(store: Any, a: TaskAnswer, decision: Any) -> None:
    instances = Instances(store, Fixed({"a": a}, {"ask": ApprovalAnswer(10_000, decision)}))
    instances.start(BESIDE)
    instances.after(MINUTE, lambda: instances.world.retry("main"))
    instances.run()


@pytest.mark.parametrize("at", [500, 2_000])
@pytest.mark.parametrize("failing", [None, "b"])
def test_branches_that_are_cut_off(store: Any, at: int, failing: str | None) -> None:
    """What is given up is told as given up; taken up again, as running."""
    tasks: dict[str, Any] = {
        "b": TaskAnswer(5_000) if failing is None else [TaskAnswer(at, error=DOWN.error), TaskAnswer(1)]
    }
    instances = Instances(store, Fixed(tasks, {"ask": None}))
    instances.start(BESIDE)
    if failing is None:
        instances.after(at, lambda: instances.world.cancel("main"))
    else:
        instances.after(MINUTE, lambda: instances.world.retry("main"))
    instances.run()


def test_a_wait_that_times_out_and_leads_back(store: Any) -> None:
    reminding = document(
        wait("w", "it.*", "remind", eventTimeout={"duration": "PT1H", "timeoutHandlerStepId": "remind"}),
        {"stepId": "remind", "type": "DECISION", "transitions": {"conditions": [{"condition": "steps.w.status == 'COMPLETED'", "nextStep": "END"}], "default": "w"}},
    )  # fmt: skip
    instances = Instances(store, Fixed(events={"w": None}))
    instances.start(reminding)
    instances.after(150 * MINUTE, lambda: instances.world.publish("it.came"))
    instances.run()
    assert row(store, "main")["status"] == "COMPLETED"


FORKS: dict[str, Edits] = {
    "as it was": Edits(),
    "another output": Edits(outputs={"reserve": {"a": None}}),
    "an output of nothing": Edits(outputs={"reserve": None}),
    "of a step that comes after": Edits(outputs={"ship": [1]}),
    "other variables": Edits(variables={"limit": 6, "new": [1.5]}),
    "another input": Edits(input=({"sku": "y", "id": 7},)),
    "no input": Edits(input=(None,)),
}


@pytest.mark.parametrize("edits", FORKS)
def test_forks_and_forks_of_forks(store: Any, edits: str) -> None:
    instances = Instances(store, Fixed(events={"paid": PAID}))
    instances.start(ORDER, {"sku": "x", "id": 7})
    instances.run()
    for origin, new, step in (("main", "fork", "charge"), ("fork", "again", "charge"), ("fork", "last", "paid")):
        reader = store.reader()
        fork = forked(reader, store.rows[origin].record, new, instances.world.now, step, FORKS[edits])
        reader.close()
        store.commit([fork])
        instances.run()
    assert len(store.rows) == 4


def test_a_fork_of_what_was_retried_keeps_what_was_before(store: Any) -> None:
    instances = _mended(store)
    for new, outputs in (("fork", {"charge": 2}), ("other", {"reserve": 2})):
        reader = store.reader()
        fork = forked(reader, store.rows["main"].record, new, instances.world.now, "ship", Edits(outputs=outputs))
        reader.close()
        store.commit([fork])
        instances.run()
    assert row(store, "fork")["state"]["steps"]["charge"]["output"] == 2


def test_what_is_long_and_what_has_odd_names(store: Any) -> None:
    odd = 'it\'s a "step" $.x [0] ü'
    strange = document(
        task(odd, "w", input={"text": "${workflow.input.text}", odd: True}),
        wait("w", "a.'b'.\"c\"", eventPayloadMapping={odd: "text", "n": "n"}),
        name='it\'s "odd"',
        id='it\'s "odd"',
    )
    long = "x" * 70_000
    answers: dict[str, Any] = {
        odd: TaskAnswer(output={odd: long, "n": [0.1 + 0.2, 10 / 3, 12345678901234567, -0.0, True, None]})
    }
    instances = Instances(store, Fixed(answers, events={"w": EventAnswer(1, {"text": long, "n": 1e300})}))
    instances.start(strange, {"text": long}, execution="it's")
    instances.run()
    found = row(store, "it's")
    assert found["state"]["steps"][odd]["output"][odd] == long
    assert found["state"]["variables"][odd] == long


def test_one_that_is_to_begin(store: Any) -> None:
    instances = Instances(store, Fixed())
    workflow = instances.save(ORDER)
    start = Start(instances.world.now, "new", {"sku": "x"}, correlation_id="c")
    store.commit([p.Create(pending(start, workflow.name, codec.digest(workflow)))])
    found = compare(store, "new")
    assert (found["status"], found["version"], found["correlation_id"]) == ("CREATED", 0, "c")
    instances.run()


def test_one_that_has_killed_its_worker(fragile: Any) -> None:
    instances = Instances(fragile, Fixed({"charge": SILENT}))
    world = instances.world
    instances.start(ORDER, {"sku": "x"})
    while "main" not in fragile.rows:
        world.step()
    while "charge" not in compare(fragile, "main")["state"]["steps"]:
        world.step()
    world.kill(world.workers[0])
    while fragile.rows["main"].owner is not None:
        world.step()
    waiting = fragile.rows["main"].record.waiting
    assert waiting.kind == "operator"
    found = compare(fragile, "main")
    assert (found["status"], found["state"]["currentStepId"], found["status_at"]) == (
        "RUNNING",
        "charge",
        waiting.since,
    )


def test_what_was_started_by_an_event_says_by_which(store: Any) -> None:
    instances = Instances(store, Fixed())
    instances.save(document(task("a"), triggers=[{"eventPattern": "order.placed", "correlationKey": "id"}]))
    instances.world.publish("order.placed", {"id": "k7"}, "ev1")
    instances.run()
    (execution,) = store.rows
    found = compare(store, execution)
    assert (found["trigger_event_id"], found["correlation_id"]) == ("ev1", "k7")


def test_what_a_person_cancels_says_who(store: Any) -> None:
    instances = Instances(store, Fixed(events={"paid": None}))
    instances.start(ORDER, {"sku": "x"})
    cancel = e.CancelRequested(0, "no longer wanted", "ann", "USER", compensate=False)
    instances.after(MINUTE, lambda: instances.world.deliver("main", cancel, "c"))
    instances.run()
    assert row(store, "main")["cancellation"]["requestedBy"] == "ann"
