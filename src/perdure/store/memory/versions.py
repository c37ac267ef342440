"""Workflows and their versions, in memory."""

from __future__ import annotations

from msgspec.structs import replace

from perdure.model import codec
from perdure.model.workflow import Workflow
from perdure.store.memory import schedules
from perdure.store.memory.tables import Tables
from perdure.store.versions import MODEL, Kept, NewVersion, Version, WorkflowRow, is_newest


def keep(tables: Tables, new: NewVersion) -> Kept:
    digest = codec.digest(new.model)
    keep_model(tables, digest, codec.encode(new.model), new.dialect)
    known = tables.versions.setdefault((new.organization, new.workflow), [])
    created = not known or not is_newest(known[-1], new, digest)
    if created:
        number = known[-1].number + 1 if known else 1
        known.append(
            Version(
                workflow=new.workflow,
                name=new.model.name,
                number=number,
                version=str(number),
                dialect=new.dialect,
                digest=digest,
                status="draft",
                created_at=new.at,
                organization=new.organization,
                document=new.document,
            )
        )
    if new.activate:
        _activate(tables, known[-1], new.model, new.at)
    return Kept(known[-1], created)


def keep_model(tables: Tables, digest: str, data: bytes, dialect: str) -> None:
    tables.models.setdefault(digest, data)
    if tables.dialects.get(digest, MODEL) == MODEL:  # a document says more than a program that built the same
        tables.dialects[digest] = dialect


def activate(tables: Tables, organization: str, workflow: str, version: str, at: int) -> Version | None:
    found = one(tables, organization, workflow, version)
    return None if found is None else _activate(tables, found, codec.decode(tables.models[found.digest]), at)


def _activate(tables: Tables, found: Version, model: Workflow, at: int) -> Version:
    whose = (found.organization, found.workflow)
    known = tables.versions[whose]
    for place, each in enumerate(known):
        if each.number == found.number:
            known[place] = found = replace(each, status="active")
        elif each.status == "active":
            known[place] = replace(each, status="inactive")
    tables.active[whose] = found.digest
    tables.subscriptions[whose] = (found.digest, model)
    schedules.activate(tables, *whose, found.digest, model, at)
    return found


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


def page(tables: Tables, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
    rows = sorted(_rows(tables, organization), key=lambda row: (row.name, row.id))
    return [row for row in rows if (row.name, row.id) > (after or ("", ""))][:limit]


def _rows(tables: Tables, organization: str) -> list[WorkflowRow]:
    return [_row(tables, organization, id_) for whose, id_ in list(tables.versions) if whose == organization]


def _row(tables: Tables, organization: str, workflow: str) -> WorkflowRow:
    known = tables.versions[organization, workflow]
    newest = known[-1]
    active = next((each for each in known if each.status == "active"), None)
    return WorkflowRow(
        id=workflow,
        name=(active or newest).name,
        newest=newest.number,
        dialect=newest.dialect,
        status=newest.status,
        changed_at=newest.created_at,
        active=None if active is None else active.version,
        digest=None if active is None else active.digest,
    )
