"""PARALLEL: the branches, and a step where they meet, which is the PARALLEL's own output."""

from __future__ import annotations

from lowered.base import HOUR, MINUTE, T0, Happening, Lowered, arr, k, obj, x
from lowered.checks import Check, attempts, calls, ended, ended_after, every, facts, failed_with, is_running, warned
from lowered.orchestration.booking import cancelling, planned_after, undone
from lowered.orchestration.words import SHORT, decision, on_code, resumed_by, task, to, undo, wait, waits_for, workflow
from lowered.outside import answer, broken, publish, retry
from perdure.core import facts as f
from perdure.model.steps import Compute, Retry, Route, Step
from perdure.model.values import EMPTY
from perdure.model.workflow import Workflow
from perdure.testing.script import Fixed, TaskAnswer
from perdure.testing.world import World

PARALLEL = workflow(
    "parallel",
    Step("notify", Compute(), (to("mail", "draft", "wait"),)),
    task("mail", obj(by="mail"), to("notify.join")),
    task("draft", obj(by="draft"), to("sms")),
    task("sms", obj(by="sms", after=x("last.step")), to("notify.join")),
    wait("wait", "read", to("notify.join"), timeout_ms=k(MINUTE), on_error=(on_code("TIMEOUT", "remind"),)),
    task("remind", EMPTY, to("wait")),
    Step(
        "notify.join",
        Compute(obj(mail=x("steps.mail.output.by"), sms=x("steps.sms.output"), read=x("steps.wait.output.by"))),
        (to("close"),),
    ),
    task("close", x("last.output")),
)
BRANCHES = workflow(
    "branches",
    Step("both", Compute(), (to("left", "right"),)),
    task("left", EMPTY, to("both.join")),
    task("right", EMPTY, to("both.join")),
    Step("both.join", Compute(obj(left=x("steps.left.output"), right=x("steps.right.output"))), (to("wait"),)),
    wait("wait", "done"),
    task("undo_left", SHORT),
    task("undo_right", SHORT),
    compensations=(undo("left"), undo("right")),
    compensate_on_failure=True,
)


def _branches(left: TaskAnswer, right: TaskAnswer) -> Fixed:
    return Fixed({"left": left, "right": right}, events={"wait": None})


ONE_EACH = workflow(
    "one each",
    Step("both", Compute(), (to("first", "second"),)),
    wait("first", "paid", to("both.join")),
    wait("second", "paid", to("both.join")),
    Step("both.join", Compute(arr(x("steps.first.output"), x("steps.second.output")))),
)
RETRIED = workflow(
    "retried",
    Step("both", Compute(), (to("left", "right"),)),
    task("left", EMPTY, to("both.join"), retry=Retry(attempts_max=2, delay_ms=1_000, jitter=0)),
    task("right", EMPTY, to("both.join")),
    Step("both.join", Compute(arr(x("steps.left.output"), x("steps.right.output")))),
)


def _rounds(on_error: tuple[Route, ...], *again: Route) -> Workflow:
    """A PARALLEL of which one branch may mend itself, and which may be gone through again as a whole."""
    return workflow(
        "rounds",
        Step("both", Compute(), (to("left", "right"),)),
        task("left", EMPTY, to("both.join"), on_error=on_error),
        task("mend", obj(why=x("steps.left.error.code")), to("left")),
        task("right", EMPTY, to("both.join")),
        Step("both.join", Compute(obj(n=x("steps.left.output.n"))), (to("enough"),)),
        decision("enough", *again, to("close")),
        task("close", x("steps['both.join'].output")),
    )


MEND, AGAIN = (to("mend"),), to("both", when="last.output.n < 2")
TORN, ONE, TWO = broken("TORN"), answer({"n": 1}), answer({"n": 2})


def _right_completed_after_the_retry(world: World) -> None:
    (done,) = facts(world, f.StepCompleted, "right")
    assert done.at >= T0 + HOUR


def _joined_at(ms: int) -> Check:
    def check(world: World) -> None:
        assert ended(world, "notify.join") == [T0 + ms]

    return check


PARALLELS = (
    # Branches of different length, one of which goes round once while another runs: the join is entered once, at the end.
    Lowered(
        name="orchestration-parallel",
        seed="semantics §2: PARALLEL (`branches`) is accepted; the branches join",
        workflow=PARALLEL,
        script=Fixed({"mail": answer({"by": "mail"}, 2 * MINUTE)}, events={"wait": None}),
        happenings=(Happening(5, is_running), Happening(MINUTE + 5_000, publish("read", {"by": "ann"}))),
        output={"mail": "mail", "sms": {"by": "sms", "after": "draft"}, "read": "ann"},
        runs={"notify": 1, "mail": 1, "draft": 1, "sms": 1, "wait": 2, "remind": 1, "notify.join": 1, "close": 1},
        check=_joined_at(2 * MINUTE),
    ),
    cancelling(
        "parallel-undone-in-reverse-order-of-completion",
        "semantics §2 Compensation: in reverse order of completion, not of the document",
        BRANCHES,
        _branches(answer("l", 2_000), answer("r", 1_000)),
        undone("left", "right"),
        runs={"both": 1, "left": 1, "right": 1, "both.join": 1, "wait": 1},
    ),
    cancelling(
        "parallel-cancelled-with-both-in-flight",
        "semantics §2 Compensation: planned when all attempts in flight have settled; late successes are undone",
        BRANCHES,
        _branches(answer("l", 7_000), answer("r", 8_000)),
        planned_after(8_000),
        undone("right", "left"),
        runs={"both": 1, "left": 1, "right": 1},
    ),
    Lowered(
        name="orchestration-parallel-branch-fails",
        seed="semantics §2 Compensation on failure: FAILED at once; the other branch's late success is undone",
        workflow=BRANCHES,
        script=_branches(broken("DOWN", after_ms=1_000), answer("r", 3_000)),
        status="failed",
        error="DOWN came back",
        runs={"both": 1, "left": 1, "right": 1},
        check=every(failed_with("DOWN", "left"), ended_after(1_000), planned_after(3_000), undone("right")),
    ),
    # The right branch is done long before; the join waits for the left one, which goes back twice.
    Lowered(
        name="orchestration-parallel-handler-leads-back",
        seed="semantics §2 Task failure: onFailure may lead back to the step; PARALLEL: the branches join once",
        workflow=_rounds(MEND),
        script=Fixed({"left": [TORN, TORN, ONE]}),
        output={"n": 1},
        runs={"both": 1, "left": 3, "mend": 2, "right": 1, "both.join": 1, "enough": 1, "close": 1},
        check=every(calls("mend", {"why": "TORN"}, {"why": "TORN"}), warned()),
    ),
    Lowered(
        name="orchestration-parallel-again",
        seed="semantics §2 Next step: a condition may lead back to the PARALLEL; each round joins once",
        workflow=_rounds((), AGAIN),
        script=Fixed({"left": [ONE, TWO], "right": TaskAnswer(1_000)}),
        output={"n": 2},
        runs={"both": 2, "left": 2, "right": 2, "both.join": 2, "enough": 2, "close": 1},
        check=every(warned(), ended_after(2_010)),
    ),
    # One branch is done and stands at the join: that is not ready, and nothing runs.
    Lowered(
        name="orchestration-parallel-stands-waiting",
        seed="semantics §0 Status: waiting only if nothing runs or is ready; §2 EVENT_WAIT: WAITING_FOR_EVENT",
        workflow=ONE_EACH,
        script=Fixed(events={"first": None, "second": None}),
        happenings=(
            Happening(500, waits_for("first", "paid", 0)),
            Happening(1_000, publish("paid", 1, "e1")),
            Happening(1_500, waits_for("second", "paid", 0)),
        ),
        status="waiting",
        runs={"both": 1, "first": 1, "second": 1},
    ),
    Lowered(
        name="orchestration-parallel-waits-for-the-same",
        seed="semantics §2 Double events: an event id is consumed at most once per execution, by the wait that began first",
        workflow=ONE_EACH,
        script=Fixed(events={"first": None, "second": None}),
        happenings=(Happening(1_000, publish("paid", 1, "e1")), Happening(2_000, publish("paid", 2, "e2"))),
        output=[1, 2],
        runs={"both": 1, "first": 1, "second": 1, "both.join": 1},
        check=every(resumed_by("first", ("e1", 1_000)), resumed_by("second", ("e2", 2_000))),
    ),
    # The right branch would have answered after five seconds, but the execution failed after three: what it says then
    # is dropped, and it is called again under its key.
    Lowered(
        name="orchestration-parallel-retried",
        seed="semantics §0 Status: a retry continues from the failed step; what was given up with it goes on too",
        workflow=RETRIED,
        script=Fixed(
            {
                "left": [broken(after_ms=1_000), broken(after_ms=1_000), answer("l", 1_000)],
                "right": answer("r", 5_000),
            }
        ),
        happenings=(Happening(HOUR, retry),),
        output=["l", "r"],
        runs={"both": 1, "left": 1, "right": 1, "both.join": 1},
        check=every(attempts("left", 4), attempts("right", 2), _right_completed_after_the_retry),
    ),
    # A cycle inside a cycle: `mend` reaches the join only by an edge that closes the inner one, and still holds it up.
    Lowered(
        name="orchestration-parallel-in-rounds",
        seed="semantics §2: PARALLEL: the branches join once a round, whatever happens inside a branch",
        workflow=_rounds(MEND, AGAIN),
        script=Fixed({"left": [TORN, ONE, TWO]}),
        output={"n": 2},
        runs={"both": 2, "left": 3, "mend": 1, "right": 2, "both.join": 2, "enough": 2, "close": 1},
        check=every(calls("mend", {"why": "TORN"}), warned()),
    ),
)
