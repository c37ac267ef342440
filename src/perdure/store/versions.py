"""Workflows and their versions, as a store keeps them.

A workflow has an id, a name and versions, numbered from 1. At most one of them is active: it is what a start that names no
version gets, and what events start. A version of the dialect "model" was built by a program and has no document.
"""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from msgspec import Struct

from perdure.model.workflow import Workflow

MODEL = "model"
"""The dialect of what was never a document."""

VersionStatus: TypeAlias = Literal["draft", "active", "inactive"]


class Version(Struct, frozen=True, omit_defaults=True):
    """`workflow` is the id. `document` is JSON text; None also where it was not asked for."""

    workflow: str
    name: str
    number: int
    version: str
    dialect: str
    digest: str
    status: VersionStatus
    created_at: int
    organization: str = "default"
    document: str | None = None


class NewVersion(Struct, frozen=True):
    """What is to be kept. The newest version stays the newest if it is this very one already."""

    workflow: str
    model: Workflow
    dialect: str
    at: int
    document: str | None = None
    organization: str = "default"
    activate: bool = True
    """False: it is a draft, and whichever version is active stays so."""


class Kept(Struct, frozen=True):
    """`created`: it had not been there."""

    version: Version
    created: bool


class WorkflowRow(Struct, frozen=True):
    """A workflow, by its newest version. `digest` and `active` are those of the active one, if there is one."""

    id: str
    name: str
    newest: int
    dialect: str
    status: VersionStatus
    changed_at: int
    active: str | None = None
    digest: str | None = None
    """Both or none: the version and its model."""


def is_newest(newest: Version, new: NewVersion, digest: str) -> bool:
    """Whether what is to be kept is the newest version already."""
    same = (newest.digest, newest.dialect, newest.name, newest.document)
    return same == (digest, new.dialect, new.model.name, new.document)


class Versions(Protocol):
    """What every store does for workflows, beside the verbs of `store.port.Store`."""

    def keep(self, new: NewVersion) -> Kept: ...

    def activate(self, organization: str, workflow: str, version: str, at: int = 0) -> Version | None:
        """Make it the active version of the workflow with this id; its schedules begin at that time. None: there is no such."""
        ...

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        ...


def built(workflow: Workflow, organization: str, at: int) -> NewVersion:
    """A workflow that a program built: its name is its id."""
    return NewVersion(workflow.name, workflow, MODEL, at, organization=organization)
