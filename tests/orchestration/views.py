"""Views of executions, to be compared with one another: without times, and with ids numbered in the order in which they come."""

from __future__ import annotations

import json
import re
from typing import Any, Final

TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
NUMBER: Final = re.compile(r"\b([RCT])-[0-9a-f]{8}\b")
"""Of a reservation, a charge or a parcel: it follows from the key of the call."""


def comparable(view: dict[str, Any]) -> dict[str, Any]:
    """How often it was written to depends on what befell it."""
    kept = {key: value for key, value in view.items() if key != "version"}
    text = TIME.sub("TIME", json.dumps(kept)).replace(view["id"], "ID")
    numbers: dict[str, str] = {}
    text = NUMBER.sub(lambda found: numbers.setdefault(found[0], f"{found[1]}-{len(numbers)}"), text)
    same: dict[str, Any] = json.loads(text)
    return same


def undoing_of(view: dict[str, Any]) -> dict[str, Any] | None:
    """What the compensation came to, without times and messages."""
    state = view["compensationState"]
    if state is None:
        return None
    failed = [each["stepId"] for each in state["failed"]]
    return {**{key: state[key] for key in ("status", "plan", "completed")}, "failed": failed}


def statuses(view: dict[str, Any]) -> dict[str, str]:
    return {step: state["status"] for step, state in view["state"]["steps"].items()}
