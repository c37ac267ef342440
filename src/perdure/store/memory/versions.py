"""Workflows and their versions, in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec.structs import replace

from perdure.model import codec
from perdure.model.workflow import Workflow
from perdure.store.memory import registers, schedules
from perdure.store.memory.tables import Tables
from perdure.store.port import VersionGuard
from perdure.store.registers import Doer
from perdure.store.versions import (
    MODEL,
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


def keep(tables: Tables, new: NewVersion) -> Kept | Taken | NotAllowed:
    refused = _refused(tables, new.organization, new.by)
    if refused is not None:
        return refused
    whose, digest = (new.organization, new.workflow), codec.digest(new.model)
    known = tables.versions.get(whose, [])
    there = (known[-1] if known else None) if new.version is None else one(tables, *whose, new.version)
    if new.version is not None and there is not None and is_taken(there, new, digest):
        return Taken(there)
    keep_model(tables, digest, codec.encode(new.model), new.dialect)
    created = there is None or not is_there(there, new, digest)
    before = None if there is None or created else there.status
    if there is None or created:
        number = known[-1].number + 1 if known else 1
        there = Version(
            workflow=new.workflow,
            name=new.model.name,
            number=number,
            version=new.version or str(number),
            dialect=new.dialect,
            digest=digest,
            status="draft",
            created_at=new.at,
            organization=new.organization,
            document=new.document,
        )
        tables.versions[whose] = [*known, there]
    kept = _activate(tables, *whose, there.version, new.at, new.model) if new.activate else there
    assert kept is not None
    _say(tables, new.by, kept, before, new.at)
    return Kept(kept, created)


def keep_model(tables: Tables, digest: str, data: bytes, dialect: str) -> None:
    tables.models.setdefault(digest, data)
    if tables.dialects.get(digest, MODEL) == MODEL:  # a document says more than a program that built the same
        tables.dialects[digest] = dialect


def _refused(tables: Tables, organization: str, by: Doer | None) -> NotAllowed | None:
    why = None if by is None else registers.lacking(tables, organization, by.needs)
    return None if why is None else NotAllowed(why)


def _say(tables: Tables, by: Doer | None, after: Version, before: VersionStatus | None, at: int) -> None:
    entry = None if by is None else audited(by, after, before, at)
    if entry is not None:
        registers.enter(tables, entry)


def activate(
    tables: Tables, organization: str, workflow: str, version: str, at: int, by: Doer | None = None
) -> Version | NotAllowed | None:
    return _changed(tables, (organization, workflow, version, at), by, _activate)


def deactivate(
    tables: Tables, organization: str, workflow: str, version: str, at: int, by: Doer | None = None
) -> Version | NotAllowed | None:
    return _changed(tables, (organization, workflow, version, at), by, _deactivate)


def _changed(
    tables: Tables,
    which: tuple[str, str, str, int],
    by: Doer | None,
    change: Callable[[Tables, str, str, str, int], Version | None],
) -> Version | NotAllowed | None:
    organization, workflow, version, at = which
    refused = _refused(tables, organization, by)
    if refused is not None:
        return refused
    before = one(tables, organization, workflow, version)
    after = change(tables, *which)
    if before is not None and after is not None:
        _say(tables, by, after, before.status, at)
    return after


def _activate(
    tables: Tables, organization: str, workflow: str, version: str, at: int, model: Workflow | None = None
) -> Version | None:
    """`model`: that of this version, if it is at hand."""
    found = one(tables, organization, workflow, version)
    if found is None:
        return None
    known = tables.versions[organization, workflow]
    for place, each in enumerate(known):
        if each.number == found.number:
            known[place] = replace(each, status="active")
        elif each.status == "active" and not side_by_side(each.version, version):
            known[place] = replace(each, status="inactive")
    _point_to_highest(tables, organization, workflow, at, {} if model is None else {found.digest: model})
    return one(tables, organization, workflow, version)


def _deactivate(tables: Tables, organization: str, workflow: str, version: str, at: int) -> Version | None:
    known = tables.versions.get((organization, workflow), [])
    for place, each in enumerate(known):
        if each.version == version and each.status == "active":
            known[place] = replace(each, status="inactive")
    _point_to_highest(tables, organization, workflow, at)
    return one(tables, organization, workflow, version)


def _point_to_highest(
    tables: Tables, organization: str, workflow: str, at: int, models: Mapping[str, Workflow] = MappingProxyType({})
) -> None:
    """`models` need not be read: a newer program may have saved what this one cannot read."""
    whose = (organization, workflow)
    found = _highest(tables, *whose)
    if found is None:
        tables.active.pop(whose, None)
        tables.subscriptions.pop(whose, None)
        schedules.rest(tables, *whose)
        return
    model = models.get(found.digest) or codec.decode(tables.models[found.digest])
    tables.active[whose] = found.digest
    tables.subscriptions[whose] = (found.digest, model)
    schedules.activate(tables, *whose, found.digest, model, at)


def _highest(tables: Tables, organization: str, workflow: str) -> Version | None:
    return highest(each for each in tables.versions.get((organization, workflow), []) if each.status == "active")


def one(tables: Tables, organization: str, workflow: str, version: str) -> Version | None:
    known = tables.versions.get((organization, workflow), [])
    return next((each for each in reversed(known) if each.version == version), None)


def with_digest(tables: Tables, organization: str, workflow: str, digest: str, at: int) -> Version | None:
    known = [each for each in tables.versions.get((organization, workflow), []) if each.digest == digest]
    return max(known, key=lambda each: (each.created_at <= at, each.number), default=None)


def newest_first(tables: Tables, organization: str, workflow: str) -> list[Version]:
    known = tables.versions.get((organization, workflow), [])
    return [replace(each, document=None) for each in reversed(known)]


def find(tables: Tables, organization: str, ref: str) -> WorkflowRow | None:
    """By its id, else by its name; of several with one name, one that has an active version."""
    if (organization, ref) in tables.versions:
        return _row(tables, organization, ref)
    named = [row for row in _rows(tables, organization) if row.name == ref]
    return min(named, key=lambda row: (row.digest is None, row.id), default=None)


def is_active(tables: Tables, version: VersionGuard) -> bool:
    organization, ref, workflow, digest = version
    found = find(tables, organization, ref)
    return found is not None and (found.id, found.digest) == (workflow, digest)


def page(tables: Tables, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
    rows = sorted(_rows(tables, organization), key=lambda row: (row.name, row.id))
    return [row for row in rows if (row.name, row.id) > (after or ("", ""))][:limit]


def _rows(tables: Tables, organization: str) -> list[WorkflowRow]:
    return [_row(tables, organization, id_) for whose, id_ in list(tables.versions) if whose == organization]


def _row(tables: Tables, organization: str, workflow: str) -> WorkflowRow:
    known = tables.versions[organization, workflow]
    newest = known[-1]
    active = _highest(tables, organization, workflow)
    return WorkflowRow(
        id=workflow,
        name=(active or newest).name,
        newest=newest.version,
        dialect=newest.dialect,
        status=newest.status,
        changed_at=newest.created_at,
        active=None if active is None else active.version,
        digest=None if active is None else active.digest,
    )
