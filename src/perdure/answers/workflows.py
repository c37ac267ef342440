"""Workflows and their versions."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

from perdure.answers.problems import ProblemAnswer, problem_answer
from perdure.dialects.port import Requirements
from perdure.expressions.times import iso
from perdure.model.values import Json
from perdure.service.shapes import Instant
from perdure.service.workflows import Saved, WorkflowSummary, WorkflowVersion
from perdure.store.versions import VersionStatus


class WorkflowAnswer(Struct, frozen=True):
    """In a list: `version` and `status` are those of the version that came last, `active` is the one that is started."""

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    changed_at: Instant
    active: str | None


class RequirementsAnswer(Struct, frozen=True):
    """What has to be there for it to run."""

    tasks: tuple[str, ...]
    tools: tuple[tuple[str, str], ...]
    secrets: tuple[str, ...]
    webhooks: tuple[str, ...]


class VersionAnswer(Struct, frozen=True):
    """Without `document` and `requires` in lists; null where a program built the workflow."""

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    digest: str
    created_at: Instant
    active: bool
    document: Json = UNSET
    requires: RequirementsAnswer | UnsetType | None = UNSET
    versions: tuple[VersionAnswer, ...] | UnsetType = UNSET
    """All that there are, the newest first, where one was asked for by its workflow."""


class SavedAnswer(Struct, frozen=True):
    """`created`: False, if it was there already."""

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    created: bool
    warnings: tuple[ProblemAnswer, ...]


def workflow_answer(summary: WorkflowSummary) -> WorkflowAnswer:
    return WorkflowAnswer(
        summary.id,
        summary.name,
        summary.version,
        summary.status,
        summary.dialect,
        iso(summary.changed_at),
        summary.active,
    )


def requirements_answer(needs: Requirements) -> RequirementsAnswer:
    return RequirementsAnswer(needs.tasks, needs.tools, needs.secrets, needs.webhooks)


def version_answer(
    found: WorkflowVersion, *, brief: bool = False, versions: Iterable[WorkflowVersion] | None = None
) -> VersionAnswer:
    """`brief`: without the document. `versions`: all that there are."""
    requires = None if found.requires is None else requirements_answer(found.requires)
    return VersionAnswer(
        found.id,
        found.name,
        found.version,
        found.status,
        found.dialect,
        found.digest,
        iso(found.created_at),
        found.active,
        UNSET if brief else found.document,
        UNSET if brief else requires,
        UNSET if versions is None else tuple(version_answer(each, brief=True) for each in versions),
    )


def saved_answer(saved: Saved) -> SavedAnswer:
    warnings = tuple(problem_answer(warning) for warning in saved.warnings)
    return SavedAnswer(saved.id, saved.name, saved.version, saved.status, saved.dialect, saved.created, warnings)
