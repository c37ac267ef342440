"""The nodes that the examples of this folder use: `perdure run linear.json --tasks tasks.py --input …`."""

from __future__ import annotations

import hashlib
from typing import Any

from perdure import node


@node("CHARGE")
async def charge(params: Any) -> dict[str, Any]:
    """Charges a card. The key is the same in every attempt, so that nobody pays twice."""
    paid = {"id": hashlib.sha256(params.idempotency_key.encode()).hexdigest()[:8], "amount": params.data["amount"]}
    return {**params.context, "charge": paid}


@node("CREDIT_CHECK")
async def credit_check(params: Any) -> dict[str, Any]:
    return {**params.context, "credit": {"ok": params.data["customer"] != "mallory"}}


@node("STOCK_CHECK")
def stock_check(params: Any) -> dict[str, Any]:
    """A function that is not async runs in a thread."""
    return {**params.context, "stock": {"available": 10}}


@node("CARRIER")
async def carrier(params: Any) -> dict[str, Any]:
    """Is not there at first."""
    if params.attempt < 3:
        raise ConnectionError("the carrier does not answer")
    return {**params.context, "attempts": params.attempt}


@node("ASK_JOB")
async def ask_job(params: Any) -> dict[str, Any]:
    """A job that takes three questions to be done."""
    asked = params.context.get("asked", 0) + 1
    return {**params.context, "asked": asked, "state": "done" if asked >= 3 else "running"}
