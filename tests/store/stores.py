"""The stores that the suite is run over. Another one is one more line in `STORES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias

from perdure.model.records import ApprovalRecord
from perdure.model.workflow import Workflow
from perdure.store import port as p
from perdure.store.memory import MemoryStore
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import empty_schema


class Kept(p.Store, Protocol):
    """A store, and what the suite reads of it that no verb of the contract tells."""

    def save(self, workflow: Workflow, organization: str = "default") -> str: ...

    @property
    def approvals(self) -> Mapping[str, ApprovalRecord]: ...

    @property
    def declined(self) -> Mapping[tuple[str, str], tuple[tuple[str, str], ...]]: ...


Open: TypeAlias = Callable[[Path], Kept]

STORES: dict[str, Open] = {
    "memory": lambda _: MemoryStore(),
    "sqlite": lambda folder: InspectedSqlite(str(folder / "perdure.db")),
    "sqlite-together": lambda folder: InspectedSqlite(str(folder / "perdure.db"), alone_max=0),
    "postgres": lambda _: InspectedPostgres(empty_schema(), lease_ms=None, alone_max=1 << 30),
    "postgres-together": lambda _: InspectedPostgres(empty_schema(), lease_ms=None),
}
