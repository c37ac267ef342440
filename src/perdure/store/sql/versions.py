"""Workflows and their versions. Whoever calls the verbs that write has begun a transaction."""

from __future__ import annotations

from typing import Any

from perdure.model import codec
from perdure.model.workflow import Workflow
from perdure.store.sql.schedules import SqlSchedules
from perdure.store.sql.statements import Statements
from perdure.store.versions import Kept, NewVersion, Version, WorkflowRow, is_newest


class SqlVersions:
    """Through any connection: the one that writes, or another that only asks. `schedules` are those of active versions."""

    def __init__(self, statements: Statements, schedules: SqlSchedules) -> None:
        self._sql, self.schedules = statements, schedules

    def keep(self, new: NewVersion) -> Kept:
        digest = codec.digest(new.model)
        self.keep_model(digest, codec.encode(new.model), new.dialect)
        newest = _version(self._sql.one("newest", (new.organization, new.workflow)))
        created = newest is None or not is_newest(newest, new, digest)
        number = (0 if newest is None else newest.number) + created
        if created:
            known = (new.organization, new.workflow, number, str(number), new.dialect, new.model.name, digest)
            self._sql.run("insert_version", (*known, new.at, new.document))
            self._sql.run("is_newest", (new.organization, new.workflow, new.model.name, number))
        if new.activate:
            self._activate(new.organization, new.workflow, number, digest, new.model, new.at)
        kept = _version(self._sql.one("newest", (new.organization, new.workflow)))
        assert kept is not None
        return Kept(kept, created)

    def keep_model(self, digest: str, data: bytes, dialect: str) -> None:
        self._sql.run("insert_model", (digest, data, dialect))

    def activate(self, organization: str, workflow: str, version: str, model: Workflow, at: int) -> Version | None:
        found = self.version(organization, workflow, version)
        if found is not None:
            self._activate(organization, workflow, found.number, found.digest, model, at)
        return self.version(organization, workflow, version)

    def _activate(self, organization: str, workflow: str, number: int, digest: str, model: Workflow, at: int) -> None:
        self._sql.run("set_status", (organization, workflow, number))
        self._sql.run("point_to", (number, digest, model.name, organization, workflow))
        self._sql.run("unsubscribe", (organization, workflow))
        for place, trigger in enumerate(model.starts):
            self._sql.run("subscribe", (organization, workflow, place, digest, trigger.pattern))
        self.schedules.activate(organization, workflow, digest, model, at)

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
