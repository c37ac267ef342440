"""Workflows and their versions, as a store keeps them.

A workflow has an id, a name and versions, numbered from 1 in the order in which they came. A version of the dialect "model" was
built by a program and has no document.

What a version is called, the author says with a semantic version, or else the engine, with its number. Those of authors stand
side by side: several can be active. Of those that the engine has counted, at most one is. The two do not mix: where one is
activated, what the others were is over. A start that names no version, events and schedules get the highest active one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from perdure.model.semver import is_semantic, precedence
from perdure.model.workflow import Workflow
from perdure.store.registers import Doer, WriteCard

MODEL = "model"
"""The dialect of what was never a document."""

REGISTER = "workflows"
"""Under which the audit has what was done to them."""

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
    """What is to be kept. The newest version stays the newest if it is this very one already; the author's own `version` stays
    what it is, whichever is the newest.
    """

    workflow: str
    model: Workflow
    dialect: str
    at: int
    document: str | None = None
    organization: str = "default"
    activate: bool = True
    """False: it is a draft, and whichever version is active stays so."""
    version: str | None = None
    """What the author calls it: a semantic version. None: the engine counts."""
    by: Doer | None = None
    """For the audit. None: it says nothing."""


class Kept(Struct, frozen=True):
    """`created`: it had not been there."""

    version: Version
    created: bool


class Taken(Struct, frozen=True):
    """The author's version is there, with other content. Nothing has been changed."""

    version: Version


class NotAllowed(Struct, frozen=True):
    """Who acts is not any more who they were. Nothing has been changed."""

    reason: str


class WorkflowRow(Struct, frozen=True):
    """A workflow, by its `newest` version. `digest` and `active` are those of the highest active one, if there is one."""

    id: str
    name: str
    newest: str
    dialect: str
    status: VersionStatus
    changed_at: int
    active: str | None = None
    digest: str | None = None
    """Both or none: the version and its model."""


def is_there(there: Version, new: NewVersion, digest: str) -> bool:
    """Whether what is to be kept is this very version."""
    same = (there.version, there.digest, there.dialect, there.name)
    wanted = (new.version or str(there.number), digest, new.dialect, new.model.name)
    return same == wanted and (there.document == new.document or new.version is not None)


def is_taken(there: Version, new: NewVersion, digest: str) -> bool:
    """Whether the author's version is another one. The same document may be lowered otherwise by a newer program: it is still the
    same, and its new model takes the place of the old one.
    """
    if there.document is None or new.document is None:
        return (there.document, there.digest) != (new.document, digest)
    return there.dialect != new.dialect or _ordered(there.document) != _ordered(new.document)


def _ordered(document: str) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(document), order="deterministic")


def side_by_side(one: str, other: str) -> bool:
    """Whether two versions that are called so can both be active."""
    return one != other and is_semantic(one) and is_semantic(other)


def highest(active: Iterable[Version]) -> Version | None:
    """What is started, of those that are active. Of two that are equally high, the one that came last."""
    return max(active, key=lambda each: (precedence(each.version) or (), each.number), default=None)


def audited(by: Doer, after: Version, before: VersionStatus | None, at: int) -> WriteCard | None:
    """What the audit says of a version that was, and is now; None: nothing has changed. One that is new is saved, and whether it
    became active with that, its status says.
    """
    if before == after.status:
        return None
    done = "saved" if before is None else "activated" if after.status == "active" else "deactivated"
    details = {"name": after.name, "version": after.version, "status": after.status, "digest": after.digest}
    action = f"workflow.{done}"
    return WriteCard(
        REGISTER, after.workflow, None, at, by.by, action, after.organization, details=details, writer=by.writer
    )


class Versions(Protocol):
    """What every store does for workflows, beside the verbs of `store.port.Store`."""

    def keep(self, new: NewVersion) -> Kept | Taken | NotAllowed: ...

    def activate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        """Make it an active version of the workflow with this id: the only one, but for those that stand beside it. What is the
        highest then is started; its schedules begin at that time. None: there is no such. `by`: for the audit, which has it if
        something is changed by it.
        """
        ...

    def deactivate(
        self, organization: str, workflow: str, version: str, at: int = 0, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        """It is not active any more, and what is the highest then is started, if anything is left. One that is not active stays
        as it is. None: there is no such. `by` as in `activate`.
        """
        ...

    def save(self, workflow: Workflow, organization: str = "default", at: int = 0) -> str:
        """Make this the active version of its name, which is also its id; its digest."""
        ...


def built(workflow: Workflow, organization: str, at: int) -> NewVersion:
    """A workflow that a program built: its name is its id."""
    return NewVersion(workflow.name, workflow, MODEL, at, organization=organization)
