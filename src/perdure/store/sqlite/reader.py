"""What is read beside whoever writes: a connection of its own, for a thread of its own."""

from __future__ import annotations

from perdure.core.events import Event
from perdure.core.state import FORMAT
from perdure.model.records import ApprovalRecord, ExecutionRecord
from perdure.store.questions import Due, Entry, Found, Look, Wanted
from perdure.store.sqlite.database import connect_reading
from perdure.store.sqlite.errors import translated
from perdure.store.sqlite.locks import WorkerLocks
from perdure.store.sqlite.questions import SqliteQuestions
from perdure.store.sqlite.reading import Reading
from perdure.store.sqlite.statements import Statements
from perdure.store.sqlite.versions import SqliteVersions
from perdure.store.versions import Version, WorkflowRow


class SqliteReader:
    """Keeps the contract of `store.questions.Questions`."""

    def __init__(self, path: str, vfs: str | None = None) -> None:
        self._connection = connect_reading(path, vfs)
        self._sql = Statements(self._connection)
        self._reading = Reading(self._sql)
        self._versions = SqliteVersions(self._connection)
        self._questions = SqliteQuestions(self._connection, self._reading, WorkerLocks(path) if vfs is None else None)
        self._seen = (-1, -1)
        """The version of the file, and the place in the history of all, when it was looked at."""

    def close(self) -> None:
        self._connection.close()

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
        version = int(self._connection.pragma("data_version"))
        if pos is not None and (version, pos) == self._seen:  # nobody has written
            return pos, []
        (last,) = self._sql.one("last_pos")
        ended = [] if pos is None else [id_ for (id_,) in self._sql.all("ends_between", (pos, last))]
        self._seen = (version, last)
        return last, ended

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
    def unseen(self, execution: str) -> list[Event]:
        return self._questions.unseen(execution)

    @translated()
    def ids_beginning(self, organization: str, prefix: str, limit: int) -> list[str]:
        return self._questions.ids_beginning(organization, prefix, limit)

    @translated()
    def approvals_of(self, execution: str) -> list[ApprovalRecord]:
        return self._questions.approvals_of(execution)

    @translated()
    def living(self, now: int) -> dict[str, frozenset[str]]:
        return self._questions.living(now)

    @translated()
    def next_due(self, now: int, horizon: int, until: int) -> int | None:
        return self._questions.next_due(now, horizon, until)

    @translated()
    def first_due(self) -> Due | None:
        return self._questions.first_due()

    @translated()
    def open_count(self) -> int:
        return self._questions.open_count()
