"""What can be started in an organization, as it is told to whoever does not know it: a name, what it is for, what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from perdure.model import codec
from perdure.model.values import Json
from perdure.service.documents import description, made_id
from perdure.store.questions import Questions
from perdure.store.versions import WorkflowRow

ROWS_AT_ONCE: Final = 500


class Offer(Struct, frozen=True):
    """The active version of a workflow. `has_own_name`: its id follows from its name, so that no other has both."""

    id: str
    name: str
    digest: str
    version: str
    has_own_name: bool
    description: str | None = None
    input_schema: Json = None


def offers(store: Questions, organization: str, most: int, known: Mapping[str, Offer]) -> tuple[Offer, ...]:
    """By name. `known`, by their ids, is not read again as long as it is the same version."""
    found: list[Offer] = []
    after: tuple[str, str] | None = None
    while len(found) < most and (rows := store.workflows(organization, after, ROWS_AT_ONCE)):
        found.extend(_offer(store, organization, row, known) for row in rows if row.active is not None)
        after = (rows[-1].name, rows[-1].id)
    return tuple(found[:most])


def _offer(store: Questions, organization: str, row: WorkflowRow, known: Mapping[str, Offer]) -> Offer:
    assert row.active is not None
    assert row.digest is not None
    before = known.get(row.id)
    if before is not None and (before.digest, before.version, before.name) == (row.digest, row.active, row.name):
        return before
    version = store.version(organization, row.id, row.active)
    document = None if version is None or version.document is None else msgspec.json.decode(version.document)
    return Offer(
        row.id,
        row.name,
        row.digest,
        row.active,
        row.id == made_id(organization, row.name),
        None if document is None else description(document),
        _input_schema(store, row.digest),
    )


def _input_schema(store: Questions, digest: str) -> Json:
    try:
        return codec.input_schema(store.model(digest))
    except KeyError:  # forgotten in this very moment: whoever starts it finds out
        return None
