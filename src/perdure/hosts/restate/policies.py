"""How Restate deals with what goes wrong on our side: a store that cannot be reached, a process that is gone."""

from __future__ import annotations

from datetime import timedelta

from restate import InvocationRetryPolicy

PATIENT = InvocationRetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    exponentiation_factor=2.0,
    max_interval=timedelta(seconds=2),
    max_attempts=1_000_000_000,
)
"""Again and again: what is wrong is never the workflow's fault, whose failures are values. Restate's own policy gives up."""

TASK_HOURS = timedelta(hours=24 * 365)
"""Restate ends a call that is silent for a minute or so. Tasks have times of their own, and may be silent within them."""

FORGOTTEN = timedelta(0)
"""Restate would keep the journal of each turn for a day. What has come of it is in our store."""
