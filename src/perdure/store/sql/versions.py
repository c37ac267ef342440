"""Workflows and their versions. Whoever calls the verbs that write has begun a transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from perdure.model import codec
from perdure.model.workflow import Workflow
from perdure.store.registers import Doer
from perdure.store.sql.registers import SqlRegisters
from perdure.store.sql.schedules import SqlSchedules
from perdure.store.sql.statements import Statements
from perdure.store.versions import (
    Kept,
    NewVersion,
    NotAllowed,
    Taken,
    Version,
    VersionStatus,
    WorkflowRow,
    audited,
    highest,
    is_taken,
    is_there,
    side_by_side,
)


class SqlVersions:
    """Through any connection: the one that writes, or another that only asks. `schedules` are those of active versions,
    `registers` have the audit.
    """

    def __init__(self, statements: Statements, schedules: SqlSchedules, registers: SqlRegisters) -> None:
        self._sql, self.schedules, self._registers = statements, schedules, registers

    def keep(self, new: NewVersion) -> Kept | Taken | NotAllowed:
        refused = self._refused(new.organization, new.by)
        if refused is not None:
            return refused
        whose, digest = (new.organization, new.workflow), codec.digest(new.model)
        newest = _version(self._sql.one("newest", whose))
        there = newest if new.version is None else self.version(*whose, new.version)
        if new.version is not None and there is not None and is_taken(there, new, digest):
            return Taken(there)
        self.keep_model(digest, codec.encode(new.model), new.dialect)
        created = there is None or not is_there(there, new, digest)
        before = None if there is None or created else there.status
        if there is None or created:
            number = 1 if newest is None else newest.number + 1
            called = new.version or str(number)
            known = (*whose, number, called, new.dialect, new.model.name, digest)
            self._sql.run("insert_version", (*known, new.at, new.document))
            self._sql.run("is_newest", (*whose, new.model.name, number))
        else:
            called = there.version
        kept = self._activate(*whose, called, new.at, new.model) if new.activate else self.version(*whose, called)
        assert kept is not None
        self._say(new.by, kept, before, new.at)
        return Kept(kept, created)

    def keep_model(self, digest: str, data: bytes, dialect: str) -> None:
        self._sql.run("insert_model", (digest, data, dialect))

    def _refused(self, organization: str, by: Doer | None) -> NotAllowed | None:
        why = None if by is None else self._registers.lacking(organization, by.needs)
        return None if why is None else NotAllowed(why)

    def _say(self, by: Doer | None, after: Version, before: VersionStatus | None, at: int) -> None:
        entry = None if by is None else audited(by, after, before, at)
        if entry is not None:
            self._registers.enter(entry)

    def activate(
        self, organization: str, workflow: str, version: str, at: int, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        return self._changed((organization, workflow, version, at), by, self._activate)

    def deactivate(
        self, organization: str, workflow: str, version: str, at: int, by: Doer | None = None
    ) -> Version | NotAllowed | None:
        return self._changed((organization, workflow, version, at), by, self._deactivate)

    def _changed(
        self,
        which: tuple[str, str, str, int],
        by: Doer | None,
        change: Callable[[str, str, str, int], Version | None],
    ) -> Version | NotAllowed | None:
        organization, workflow, version, at = which
        refused = self._refused(organization, by)
        if refused is not None:
            return refused
        before = self.version(organization, workflow, version)
        after = change(*which)
        if before is not None and after is not None:
            self._say(by, after, before.status, at)
        return after

    def _activate(
        self, organization: str, workflow: str, version: str, at: int, model: Workflow | None = None
    ) -> Version | None:
        """`model`: that of this version, if it is at hand."""
        found = self.version(organization, workflow, version)
        if found is None:
            return None
        for each in self._active(organization, workflow):
            if each.number != found.number and not side_by_side(each.version, version):
                self._sql.run("set_status", ("inactive", organization, workflow, each.number))
        self._sql.run("set_status", ("active", organization, workflow, found.number))
        self._point_to_highest(organization, workflow, at, {} if model is None else {found.digest: model})
        return self.version(organization, workflow, version)

    def _deactivate(self, organization: str, workflow: str, version: str, at: int) -> Version | None:
        for each in self._active(organization, workflow):
            if each.version == version:
                self._sql.run("set_status", ("inactive", organization, workflow, each.number))
        self._point_to_highest(organization, workflow, at)
        return self.version(organization, workflow, version)

    def _active(self, organization: str, workflow: str) -> list[Version]:
        return [Version(*row) for row in self._sql.all("active_versions", (organization, workflow))]

    def _point_to_highest(
        self, organization: str, workflow: str, at: int, models: Mapping[str, Workflow] = MappingProxyType({})
    ) -> None:
        """`models` need not be read: a newer program may have saved what this one cannot read."""
        whose, found = (organization, workflow), highest(self._active(organization, workflow))
        self._sql.run("unsubscribe", whose)
        if found is None:
            self._sql.run("point_to_none", whose)
            self.schedules.rest(*whose)
            return
        model = models.get(found.digest) or codec.decode(self._sql.one("model_of", (found.digest,))[0])
        self._sql.run("point_to", (found.number, found.digest, found.name, *whose))
        for place, trigger in enumerate(model.starts):
            self._sql.run("subscribe", (*whose, place, found.digest, trigger.pattern))
        self.schedules.activate(*whose, found.digest, model, at)

    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        found = self._sql.one("workflow", {"organization": organization, "ref": ref})
        return None if found is None else WorkflowRow(*found)

    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        name, id_ = after or ("", "")
        return [WorkflowRow(*row) for row in self._sql.all("workflows", (organization, name, id_, limit))]

    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        return _version(self._sql.one("version", (organization, workflow, version)))

    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        return _version(self._sql.one("version_of", (organization, workflow, digest, at)))

    def versions(self, organization: str, workflow: str) -> list[Version]:
        return [Version(*row) for row in self._sql.all("versions", (organization, workflow))]

    def dialect(self, digest: str) -> str | None:
        found = self._sql.one("dialect", (digest,))
        return None if found is None else str(found[0])


def _version(row: tuple[Any, ...] | None) -> Version | None:
    return None if row is None else Version(*row)
