"""What is read beside whoever writes: a connection of its own, for a thread of its own."""

from __future__ import annotations

from perdure.core.state import FORMAT
from perdure.model.records import ApprovalRecord, ExecutionRecord
from perdure.store.postgres.database import Connected, at_one_moment
from perdure.store.postgres.errors import translated
from perdure.store.postgres.statements import PostgresStatements
from perdure.store.questions import Entry, Found, Look, Wanted
from perdure.store.sql.questions import SqlQuestions
from perdure.store.sql.reading import Reading
from perdure.store.sql.versions import SqlVersions
from perdure.store.versions import Version, WorkflowRow


class PostgresReader:
    """Keeps the contract of `store.questions.Questions`."""

    def __init__(self, url: str, *, by_its_clock: bool) -> None:
        self._connected, self._by_its_clock = Connected(url, reads_only=True), by_its_clock
        self._sql = PostgresStatements(self._connected)
        self._reading = Reading(self._sql)
        self._versions = SqlVersions(PostgresStatements(self._connected, "workflows.sql"))
        self._questions = SqlQuestions(
            PostgresStatements(self._connected, "questions.sql"),
            self._reading,
            lambda: at_one_moment(self._connected),
            self._lives,
        )

    def close(self) -> None:
        self._connected.close()

    def _lives(self, worker: str, lease_until: int, now: int) -> bool:  # noqa: ARG002
        return lease_until > (self._sql.one("clock")[0] if self._by_its_clock else now)

    @translated()
    def record(self, execution: str) -> ExecutionRecord | None:
        return self._reading.record(execution)

    @translated()
    def active_version(self, organization: str, ref: str) -> str | None:
        return self._reading.active_version(organization, ref)

    @translated()
    def has_mail(self, execution: str) -> bool:
        found = self._sql.one("has_mail", (execution,))
        return found is not None and bool(found[0])

    @translated()
    def ends_after(self, pos: int | None) -> tuple[int, list[str]]:
        (last,) = self._sql.one("last_pos")
        if pos is None or last <= pos:
            return last if pos is None else pos, []
        return last, [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]

    # Workflows.

    @translated()
    def model(self, digest: str) -> bytes:
        return self._reading.model(digest)

    @translated()
    def dialect(self, digest: str) -> str | None:
        return self._versions.dialect(digest)

    @translated()
    def workflow(self, organization: str, ref: str) -> WorkflowRow | None:
        return self._versions.workflow(organization, ref)

    @translated()
    def workflows(self, organization: str, after: tuple[str, str] | None, limit: int) -> list[WorkflowRow]:
        return self._versions.workflows(organization, after, limit)

    @translated()
    def version(self, organization: str, workflow: str, version: str) -> Version | None:
        return self._versions.version(organization, workflow, version)

    @translated()
    def version_of(self, organization: str, workflow: str, digest: str, at: int) -> Version | None:
        return self._versions.version_of(organization, workflow, digest, at)

    @translated()
    def versions_of(self, organization: str, workflow: str) -> list[Version]:
        return self._versions.versions(organization, workflow)

    # Executions.

    @translated()
    def executions(self, wanted: Wanted) -> list[Found]:
        return self._questions.executions(wanted)

    @translated()
    def history(self, execution: str, after: int, limit: int) -> list[Entry]:
        return self._questions.history(execution, after, limit)

    @translated()
    def history_of_step(self, execution: str, step: int, limit: int) -> list[Entry]:
        return self._questions.history_of_step(execution, step, limit)

    @translated()
    def look(self, execution: str, form: int = FORMAT) -> Look | None:
        return self._questions.look(execution, form)

    @translated()
    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        return self._questions.approvals_of(execution)

    @translated()
    def living(self, now: int) -> list[str]:
        return self._questions.living(now)
