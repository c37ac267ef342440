"""What cancellations and compensations are tried on: a booking, and what is told of its undoing."""

from __future__ import annotations

from typing import Any

from run.expected import TEXT, Holding
from run.orchestration.words import echo, flow, undoes, waits

ISO = Holding("T", "Z")
BOTH = ("undo_charge", "undo_reserve")
CANCELLED = {"reason": "no longer wanted", "requestedBy": TEXT, "requestedAt": ISO, "source": "USER"}


def booking(*undoing: dict[str, Any], **definition: Any) -> Any:
    """reserve → charge → a wait. Both can be undone, unless other ways to undo them are told."""
    return flow(
        echo("reserve", "charge", seat="12A"),
        echo("charge", "w", payment="p1", seat="${steps.reserve.output.seat}"),
        waits("w", "shipped"),
        compensationSteps=list(undoing) or [undoes("reserve"), undoes("charge")],
        **definition,
    )


def undone(*plan: str, status: str = "COMPLETED", failed: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the view tells of it; in whatever order it was written, it was done in this."""
    return {
        "compensationState": {
            "status": status,
            "startedAt": ISO,
            "completedAt": ISO,
            "plan": list(plan),
            "completed": [step for step in plan if step not in failed],
            "failed": [{"stepId": step, "error": TEXT, "timestamp": ISO} for step in failed],
        }
    }
