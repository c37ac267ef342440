"""Workflows and their versions as programs read them."""

from __future__ import annotations

from typing import Any

import msgspec

from perdure.cli.wording import instant
from perdure.service.workflows import WorkflowSummary, WorkflowVersion


def workflow_as_json(summary: WorkflowSummary) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(summary)
    return {**told, "changed_at": instant(summary.changed_at)}


def version_as_json(version: WorkflowVersion, *, brief: bool = False) -> dict[str, Any]:
    """`brief`: without the document."""
    told: dict[str, Any] = msgspec.to_builtins(version)
    told["created_at"] = instant(version.created_at)
    if brief:
        del told["document"]
    return told
