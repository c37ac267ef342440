"""How a triggered execution is run."""

from __future__ import annotations

from lowered.base import Happening, Lowered, obj, x
from lowered.checks import attempts, facts, the_other
from lowered.outside import answer, failure
from lowered.phases.words import dispatcher, phases, ran, tool
from perdure.core import facts as f
from perdure.model.workflow import Chain
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.summary import account
from perdure.testing.world import World

RETRYING = phases("worker", (tool("first"),), (tool("second"), tool("third")))


def _back_in_service(world: World) -> None:
    world.script = Fixed({"second": answer("2")})


def _retried_by_itself(world: World) -> None:
    worker = the_other(world, "worker")
    assert (worker.status, worker.output) == ("completed", {"second": "2", "third": {"n": 1}})
    assert account(world, worker.id).runs == ran("first", "second", "third", barriers=2)
    assert facts(world, f.ExecutionFailed, execution=worker.id) == []
    for step, times in {"first": 1, "second": 3, "third": 1}.items():
        attempts(step, times, worker.id)(world)
    delays = [fact.retry_at - fact.at for fact in facts(world, f.ExecutionRetrying, execution=worker.id)]
    if not world.crashes:
        assert delays == [5_000, 10_000]


MAX_RETRIES = Lowered(
    name="phases-trigger-max-retries",
    seed="seed 003 §2 max_retries, semantics §3: retries of the child from its checkpoints [58]",
    workflow=dispatcher(Chain("worker", obj(n=x("output.n")), retries_max=2)),
    input={"n": 1},
    others=(RETRYING,),
    script=Fixed({"second": failure("down")}),
    # It fails at once, tries again 5 s later, and 10 s after that (seeds-origin C.2).
    happenings=(Happening(12_000, _back_in_service),),
    check=_retried_by_itself,
)


def _gave_up_after_its_retries(world: World) -> None:
    worker = the_other(world, "worker")
    assert worker.status == "failed"
    assert worker.error is not None
    assert worker.error.message == "second: down"
    assert len(facts(world, f.ExecutionRetried, execution=worker.id)) == 2
    attempts("second", 3, worker.id)(world)


MAX_RETRIES_EXHAUSTED = Lowered(
    name="phases-trigger-max-retries-exhausted",
    seed="seed 003 §2 max_retries: n retries are n + 1 attempts (semantics §0 Retry); the parent stays completed",
    workflow=MAX_RETRIES.workflow,
    input={"n": 1},
    others=(RETRYING,),
    script=Fixed({"second": failure("down")}),
    output={"n": 1},
    check=_gave_up_after_its_retries,
)


def _timed_out(world: World) -> None:
    worker = the_other(world, "worker")
    assert worker.status == "failed"
    assert worker.error is not None
    assert worker.error.code == "TIMEOUT"
    (failed,) = facts(world, f.ExecutionFailed, execution=worker.id)
    assert failed.at == worker.started_at + 60_000


def _timeout(name: str, seed: str, retries_max: int) -> Lowered:
    return Lowered(
        name=f"phases-{name}",
        seed=seed,
        workflow=dispatcher(Chain("worker", obj(n=x("output.n")), deadline_ms=60_000, retries_max=retries_max)),
        input={"n": 1},
        others=(RETRYING,),
        script=Fixed({"second": TaskAnswer(silent=True)}),
        output={"n": 1},
        check=_timed_out,
    )


TIMEOUT = _timeout(
    "trigger-workflow-timeout",
    "seed 003 §2 workflow_timeout_ms, semantics §3: its deadline [58]; §0 Timeouts",
    retries_max=0,
)

TIMEOUT_ENDS_RETRIES = _timeout(
    "trigger-workflow-timeout-ends-retries",
    "seed 003 §4 handle-failure (max_retries 5 and workflow_timeout_ms 60000), semantics §0 Timeouts",
    retries_max=5,
)

TRIGGERED = (MAX_RETRIES, MAX_RETRIES_EXHAUSTED, TIMEOUT, TIMEOUT_ENDS_RETRIES)
