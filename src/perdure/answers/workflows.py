"""Workflows and their versions."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import UNSET, Struct, UnsetType

from perdure.answers.problems import ProblemAnswer, problem_answer, problem_from
from perdure.dialects.port import Requirements
from perdure.expressions.times import instant_ms, iso
from perdure.model.values import Json
from perdure.service.diffing import Change
from perdure.service.documents import Validated
from perdure.service.shapes import Instant, or_none
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


class Validation(Struct, frozen=True):
    """What can be said of a document without keeping it. `obstacles`: those of the warnings that keep it from being activated."""

    valid: bool
    dialect: str | None
    name: str
    problems: tuple[ProblemAnswer, ...]
    warnings: tuple[ProblemAnswer, ...]
    requires: RequirementsAnswer | None
    obstacles: tuple[ProblemAnswer, ...] = ()


class Differences(Struct, frozen=True):
    changes: tuple[Change, ...]


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


def workflow_from(answer: WorkflowAnswer) -> WorkflowSummary:
    changed_at = instant_ms(answer.changed_at)
    return WorkflowSummary(
        answer.id, answer.name, answer.version, answer.status, answer.dialect, changed_at, answer.active
    )


def requirements_answer(needs: Requirements) -> RequirementsAnswer:
    return RequirementsAnswer(needs.tasks, needs.tools, needs.secrets, needs.webhooks)


def requirements_from(answer: RequirementsAnswer) -> Requirements:
    return Requirements(answer.tasks, answer.tools, answer.secrets, answer.webhooks)


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


def version_from(answer: VersionAnswer) -> WorkflowVersion:
    requires = or_none(answer.requires)
    return WorkflowVersion(
        answer.id,
        answer.name,
        answer.version,
        answer.status,
        answer.dialect,
        answer.digest,
        instant_ms(answer.created_at),
        answer.active,
        or_none(answer.document),
        None if requires is None else requirements_from(requires),
    )


def saved_answer(saved: Saved) -> SavedAnswer:
    warnings = tuple(problem_answer(warning) for warning in saved.warnings)
    return SavedAnswer(saved.id, saved.name, saved.version, saved.status, saved.dialect, saved.created, warnings)


def saved_from(answer: SavedAnswer) -> Saved:
    warnings = tuple(map(problem_from, answer.warnings))
    return Saved(answer.id, answer.name, answer.version, answer.status, answer.dialect, answer.created, warnings)


def validation(found: Validated, requires: Requirements | None) -> Validation:
    problems, warnings, obstacles = (
        tuple(map(problem_answer, each)) for each in (found.problems, found.warnings, found.obstacles)
    )
    needed = None if requires is None else requirements_answer(requires)
    return Validation(not problems, found.dialect, found.name, problems, warnings, needed, obstacles)


def validated_from(answer: Validation) -> Validated:
    """But for the model that was made of the document, which stays where it was made."""
    problems, warnings, obstacles = (
        tuple(map(problem_from, each)) for each in (answer.problems, answer.warnings, answer.obstacles)
    )
    return Validated(None, answer.name, answer.dialect, problems, warnings, obstacles)
