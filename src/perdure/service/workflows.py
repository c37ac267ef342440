"""Workflows: saved, validated, listed, activated and compared. A changed document is a new version; executions keep theirs.

Where a document brings its author's own semantic version, that is what it is called, and versions stand side by side: several are
active, and the highest of them is started. Of versions that the engine counts, one is active. `store.versions` says how the two
go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from perdure.hosts.connections import NOTHING, Known
from perdure.hosts.embedded import Host
from perdure.hosts.vault import secret_names
from perdure.model.problem import Problem
from perdure.model.semver import next_patch
from perdure.model.values import Json
from perdure.model.workflow import Workflow
from perdure.service import documents, paging
from perdure.service.acting import EDITORS, Actor, Member, allowed, by, needs
from perdure.service.apart import apart
from perdure.service.circles import circle
from perdure.service.compiling import compiled
from perdure.service.diffing import Change, differences
from perdure.service.documents import Given, Validated
from perdure.service.errors import Conflict, Refused, no_version, no_workflow
from perdure.service.given import check_texts
from perdure.service.offers import Offer, offers
from perdure.service.paging import LIMIT, Page
from perdure.service.pins import Pins
from perdure.service.targets import not_there
from perdure.service.times import local_time
from perdure.service.whom import nobody_there
from perdure.store.questions import Questions
from perdure.store.registers import Doer
from perdure.store.versions import Kept, NewVersion, NotAllowed, Taken, Version, VersionStatus, WorkflowRow

if TYPE_CHECKING:
    from perdure.dialects import Requirements

Answer = TypeVar("Answer")


class Saved(Struct, frozen=True):
    """`created`: False, if it was there already: as the newest version, or as the author's own."""

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    created: bool
    warnings: tuple[Problem, ...] = ()


class WorkflowSummary(Struct, frozen=True):
    """`version` and `status` are those of the newest version, the one that came last; `active` is the version that is started, if
    there is one: the highest of those that are active.
    """

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    changed_at: int
    active: str | None = None


class WorkflowVersion(Struct, frozen=True):
    """`document`, and what it `requires`, is None where it was not asked for, and where a program built the workflow."""

    id: str
    name: str
    version: str
    status: VersionStatus
    dialect: str
    digest: str
    created_at: int
    active: bool
    document: Json = None
    requires: Requirements | None = None


class Workflows:
    def __init__(self, host: Host) -> None:
        self._host, self._pins = host, Pins(host)

    def validate(self, given: Given, *, name: str | None = None) -> Validated:
        """All that is wrong with a document, and all that is odd. Nothing is kept, and the engine need not run: of secrets and of
        tools of connections it knows nothing, `check` does.
        """
        return documents.validated(given, self._host.tasks, name=name)

    async def check(
        self, given: Given, organization: str = "default", *, name: str | None = None, alone: bool = False
    ) -> Validated:
        """The same in this organization, as `save` tells it: with its secrets, the tools of its connections, and the people whom
        approvals ask. Servers are asked for tools that have never been seen, and code is compiled. Nothing is kept. `alone`: but
        for tools, what else there is in the organization does not matter.
        """
        check_texts(organization=organization)
        secrets = None if alone else await self._read(lambda store: secret_names(store, organization), organization)
        tools = await self._tools(given, organization, keep=False)
        found = await self._validated(given, organization, name, secrets, tools)
        found = await compiled(self._host, found, organization)
        if alone:
            return found
        around = await self._around(organization, found.id, found.workflow)
        return replace(found, warnings=(*found.warnings, *around))

    async def warnings(
        self, given: Given, organization: str = "default", *, name: str | None = None
    ) -> tuple[Problem, ...]:
        """All that is odd about a document in this organization, as `save` tells it. Nothing is kept."""
        return (await self.check(given, organization, name=name)).warnings

    def tools(self, given: Given) -> tuple[tuple[str, str], ...]:
        """The tools of connections that a document needs, and that no task stands in for. The engine need not run."""
        return documents.tools_of(given, self._host.tasks)

    async def _tools(self, given: Given, organization: str, *, keep: bool = True) -> Known:
        """What is known of the tools that it needs."""
        wanted = await apart(self._host, given, lambda: self.tools(given))
        return await self._host.connections.known(organization, wanted, keep=keep) if wanted else NOTHING

    async def _validated(
        self,
        given: Given,
        organization: str,
        name: str | None = None,
        secrets: Iterable[str] | None = None,
        tools: Known = NOTHING,
    ) -> Validated:
        tasks = self._host.tasks
        return await apart(
            self._host, given, lambda: documents.validated(given, tasks, organization, name, secrets, tools)
        )

    async def _around(self, organization: str, id_: str, workflow: Workflow | None) -> tuple[Problem, ...]:
        """What is odd about it among others: whom its approvals ask that cannot decide; what it starts that is not there; that it
        starts itself in a circle.
        """
        if workflow is None:
            return ()

        def told(store: Questions) -> tuple[Problem, ...]:
            return (
                *nobody_there(store, organization, workflow),
                *not_there(store, organization, id_, workflow),
                *circle(store, organization, id_, workflow),
            )

        return await self._read(told, organization)

    def requirements(self, given: bytes | str | dict[str, Any]) -> Requirements:
        """What has to be there for a document to run: tasks, tools, secrets, by name. The engine need not run."""
        return documents.requirements(given)

    async def save(
        self,
        given: Given,
        organization: str = "default",
        *,
        name: str | None = None,
        activate: bool | None = None,
        actor: Actor = None,
    ) -> Saved:
        """Keep it as the newest version, and make that the active one, unless it says another `status` than
        active, or `activate` is False, or something keeps it from that, which is among the warnings.

        Raises `Refused` with all problems, and has then changed nothing; also if it is to be activated, and cannot be. Raises
        `Conflict` if its author's version is there with other content. An actor has to be an editor.
        """
        check_texts(organization=organization)
        may = await allowed(self._host, organization, actor, EDITORS, "save workflows")
        secrets = await self._read(lambda store: secret_names(store, organization), organization)
        tools = await self._tools(given, organization)
        found = await self._validated(given, organization, name, secrets, tools)
        ready = documents.ready(await compiled(self._host, found, organization))
        if activate and ready.obstacles:
            raise Refused(ready.obstacles, ready.warnings)
        wanted = ready.status in (None, "active") if activate is None else activate
        around = await self._around(organization, ready.id, ready.workflow)
        new = NewVersion(
            workflow=ready.id,
            model=ready.workflow,
            dialect=ready.dialect,
            at=self._host.now_ms(),
            document=ready.document,
            organization=organization,
            activate=wanted and not ready.obstacles,
            version=ready.version,
            by=self._doer(actor, may),
        )
        kept: Kept | Taken | NotAllowed = await self._host.shell.ask(lambda store: store.keep(new), patient=False)
        if isinstance(kept, Taken):
            raise _taken(kept.version)
        if isinstance(kept, NotAllowed):
            raise Conflict(kept.reason)
        self._host.forget_version(ready.id, organization)
        version = kept.version
        await self._pins.keep(version, tools, organization)
        return Saved(
            version.workflow,
            version.name,
            version.version,
            version.status,
            version.dialect,
            kept.created,
            (*ready.warnings, *around),
        )

    async def list(
        self, *, organization: str = "default", limit: int = LIMIT, cursor: str | None = None
    ) -> Page[WorkflowSummary]:
        """By name."""
        check_texts(organization=organization)
        after = None if cursor is None else paging.place(cursor, tuple[str, str])
        count = paging.checked(limit)
        found = await self._read(lambda store: store.workflows(organization, after, count + 1), organization)
        more = paging.cursor(found[count - 1].name, found[count - 1].id) if len(found) > count else None
        return Page(tuple(_summary(row) for row in found[:count]), more)

    async def offers(
        self, *, organization: str = "default", most: int = LIMIT, known: Mapping[str, Offer] | None = None
    ) -> tuple[Offer, ...]:
        """What can be started: every workflow that has an active version, by name, with what it is for and what it takes; so many
        `most`. `known`: what was found before, by its id, and need not be read again if it is still so.
        """
        check_texts(organization=organization)
        return await self._read(lambda store: offers(store, organization, most, known or {}), organization)

    async def show(self, ref: str, version: str | None = None, *, organization: str = "default") -> WorkflowVersion:
        """One version with its document: the one that is named, else the active one, else the newest."""
        row = await self._row(ref, organization)
        wanted = version or row.active or row.newest
        found = await self._version(row, wanted, organization)
        shown = _version(found)
        document = found.document
        if document is None:
            return shown
        return replace(shown, requires=await apart(self._host, document, lambda: self.requirements(document)))

    async def versions(self, ref: str, *, organization: str = "default") -> tuple[WorkflowVersion, ...]:
        """The newest first, without their documents."""
        row = await self._row(ref, organization)
        found = await self._read(lambda store: store.versions_of(organization, row.id), organization)
        return tuple(_version(each) for each in found)

    async def activate(
        self, ref: str, version: str, *, organization: str = "default", actor: Actor = None
    ) -> WorkflowVersion:
        """What starts and events get from now on; of versions that stand side by side, the highest active one. Executions that
        run finish on the version that they began with. Raises `Refused` if something in it keeps it from being activated. An
        actor has to be an editor.
        """
        may = await allowed(self._host, organization, actor, EDITORS, "activate workflows")
        row = await self._row(ref, organization)
        kept = await self._version(row, version, organization)
        if kept.document is not None:
            tools = await self._tools(kept.document, organization)
            found_now = await self._validated(kept.document, organization, tools=tools)
            obstacles = (*found_now.obstacles, *await self._pins.changed(kept, organization))
            if obstacles:
                raise Refused(obstacles)
        doer = self._doer(actor, may)
        found: Version | NotAllowed | None = await self._host.shell.ask(
            lambda store: store.activate(organization, row.id, version, self._host.now_ms(), doer), patient=False
        )
        return self._changed(found, row, version, organization)

    async def deactivate(
        self, ref: str, version: str, *, organization: str = "default", actor: Actor = None
    ) -> WorkflowVersion:
        """No start and no event gets it any more, but for a start that names it. Of versions that stand side by side, the
        highest that is still active takes over; else nothing is started until one is activated. Executions that run finish on it.
        One that is not active stays as it is. An actor has to be an editor.
        """
        may = await allowed(self._host, organization, actor, EDITORS, "deactivate workflows")
        row = await self._row(ref, organization)
        await self._version(row, version, organization)
        doer = self._doer(actor, may)
        found: Version | NotAllowed | None = await self._host.shell.ask(
            lambda store: store.deactivate(organization, row.id, version, self._host.now_ms(), doer), patient=False
        )
        return self._changed(found, row, version, organization)

    def _doer(self, actor: Actor, member: Member | None) -> Doer:
        return Doer(by(actor), self._host.shell.worker, needs(member))

    def _changed(
        self, found: Version | NotAllowed | None, row: WorkflowRow, version: str, organization: str
    ) -> WorkflowVersion:
        if found is None:  # forgotten in the meantime
            raise no_version(row.name, version, [])
        if isinstance(found, NotAllowed):
            raise Conflict(found.reason)
        self._host.forget_version(row.id, organization)
        return _version(found)

    async def diff(self, ref: str, old: str, new: str, *, organization: str = "default") -> tuple[Change, ...]:
        """What differs between two versions, by its place in the document; in the model, where there is none."""
        row = await self._row(ref, organization)
        before, after = [await self._version(row, each, organization) for each in (old, new)]
        if before.document is not None and after.document is not None:
            sides = [msgspec.json.decode(each) for each in (before.document, after.document)]
        else:
            sides = [await self._model(each.digest, organization) for each in (before, after)]
        return tuple(differences(*sides))

    async def _model(self, digest: str, organization: str) -> Json:
        return msgspec.json.decode(await self._read(lambda store: store.model(digest), organization))

    async def _row(self, ref: str, organization: str) -> WorkflowRow:
        check_texts(workflow=ref, organization=organization)
        row = await self._read(lambda store: store.workflow(organization, ref), organization)
        if row is None:
            raise no_workflow(ref, organization)
        return row

    async def _version(self, row: WorkflowRow, version: str, organization: str) -> Version:
        check_texts(version=version)
        found = await self._read(lambda store: store.version(organization, row.id, version), organization)
        if found is None:
            known = await self._read(lambda store: store.versions_of(organization, row.id), organization)
            raise no_version(row.name, version, [each.version for each in known])
        return found

    async def _read(self, question: Callable[[Questions], Answer], organization: str) -> Answer:
        return await self._host.read(question, organization)


def _summary(row: WorkflowRow) -> WorkflowSummary:
    return WorkflowSummary(row.id, row.name, row.newest, row.status, row.dialect, row.changed_at, row.active)


def _taken(there: Version) -> Conflict:
    kept = f"{there.status}, saved {local_time(there.created_at)}"
    return Conflict(
        f"workflow {there.name!r} has version {there.version} already ({kept}), with other content, and nothing was changed; "
        f"give it another version, like {next_patch(there.version)}"
    )


def _version(found: Version) -> WorkflowVersion:
    return WorkflowVersion(
        id=found.workflow,
        name=found.name,
        version=found.version,
        status=found.status,
        dialect=found.dialect,
        digest=found.digest,
        created_at=found.created_at,
        active=found.status == "active",
        document=None if found.document is None else msgspec.json.decode(found.document),
    )
