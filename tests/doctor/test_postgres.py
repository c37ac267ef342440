"""The doctor of a Postgres database: it needs no right but to read, sees one moment, goes by leases, and makes nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import psycopg
import pytest

from doctor.patient import make
from doctor.patients import PostgresPatient, copied_postgres, found
from perdure.store.postgres.doctor import examine
from perdure.store.postgres.errors import CannotUse
from perdure.store.sql.refusals import CannotRead, DatabaseTooNew
from perdure.testing.inspected_postgres import InspectedPostgres
from postgres import fresh_schema, run, server, start, stop

READER = "perdure_reader"


@pytest.fixture
def schema(to_copy: Any, tmp_path: Path) -> PostgresPatient:
    return copied_postgres(to_copy("postgres"), tmp_path)


def _tables(url: str) -> list[tuple[str]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()


def _as_reader(schema: PostgresPatient, *rights: str) -> str:
    """The same, for a user who has these rights alone."""
    with psycopg.connect(server(), autocommit=True) as connection:
        if not connection.execute(f"SELECT 1 FROM pg_roles WHERE rolname = '{READER}'").fetchall():
            connection.execute(f"CREATE ROLE {READER} LOGIN")
        for right in rights:
            connection.execute(f"GRANT {right} {schema.url.rpartition('%3D')[2]} TO {READER}".encode())
    return schema.url.replace("postgres@", f"{READER}@", 1)


def test_whoever_may_only_read_may_examine(schema: PostgresPatient) -> None:
    url = _as_reader(schema, "USAGE ON SCHEMA", "SELECT ON ALL TABLES IN SCHEMA")
    assert examine(url, now=schema.now, alive=lambda _: True).findings == ()


def test_whoever_may_not_even_read_is_told_so(schema: PostgresPatient) -> None:
    url = _as_reader(schema, "USAGE ON SCHEMA")
    with pytest.raises(CannotRead, match="permission denied for table"):
        examine(url, now=schema.now)


def test_it_sees_one_moment_while_others_write(schema: PostgresPatient) -> None:
    def meanwhile(_: str) -> bool:
        schema.operate("DELETE FROM history")
        return True

    schema.operate("UPDATE executions SET owner = 'ann' WHERE live", "DELETE FROM workers")
    report = schema.examined(alive=meanwhile)
    assert report.findings == ()
    assert report.counts is not None
    assert report.counts.folded == 6
    assert "last_number" in found(schema.examined())


def test_a_lease_goes_by_the_clock_of_the_database_and_not_by_that_of_the_doctor(schema: PostgresPatient) -> None:
    soon = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint + 10000"
    schema.operate(
        "UPDATE executions SET owner = 'ann' WHERE live",
        "DELETE FROM workers",
        f"INSERT INTO workers (id, lease_until) VALUES ('ann', {soon}), ('bob', {soon})",
    )
    for now in (0, 1 << 50):
        counts = examine(schema.url, now=now, quick=True).counts
        assert counts is not None
        assert (counts.workers_alive, counts.workers_dead) == (2, 0)


def test_a_worker_that_somebody_has_taken_over_from_is_dead_whatever_its_lease(schema: PostgresPatient) -> None:
    schema.operate(
        "UPDATE executions SET owner = 'ann' WHERE live",
        f"INSERT INTO workers (id, lease_until, barred) VALUES ('ann', {1 << 60}, true)",
    )
    assert found(schema.examined(alive=None))["dead_owners"].count == 6


def test_nothing_is_made_where_nothing_is() -> None:
    url = fresh_schema()
    with pytest.raises(CannotRead, match="holds nothing of Perdure"):
        examine(url, now=0)
    assert _tables(url) == []


def test_a_schema_that_is_not_there_is_told() -> None:
    with pytest.raises(CannotUse, match="no schema to work in"):
        examine(f"{server()}&options=-csearch_path%3Dnowhere", now=0)


def test_a_newer_database_is_refused_with_both_versions(schema: PostgresPatient) -> None:
    schema.operate("UPDATE perdure SET version = 99")
    with pytest.raises(DatabaseTooNew, match="99"):
        schema.examined()


def test_an_older_database_is_refused_with_the_way_out(schema: PostgresPatient) -> None:
    schema.operate("UPDATE perdure SET version = 0")
    with pytest.raises(CannotRead, match="perdure db upgrade"):
        schema.examined()


@pytest.mark.parametrize("damage", ["\\ud800", "1e999999", "\\u00"])
def test_what_postgres_cannot_read_as_json_is_told_and_stops_nobody(schema: PostgresPatient, damage: str) -> None:
    data = '{"kind":"step.scheduled","at":1,"step":' + (damage if damage[0] == "1" else f'"{damage}"') + "}"
    schema.operate(f"UPDATE history SET data = '{data}' WHERE kind = 'step.scheduled' AND seq = 2")
    assert "unreadable_facts" in found(schema.examined())


@pytest.fixture
def own_server() -> Iterator[tuple[Path, PostgresPatient]]:
    """A server of its own, whose files may be damaged."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    start(folder / "data", folder)
    yield folder / "data", PostgresPatient(f"postgresql://postgres@/postgres?host={folder}", 0)
    run("pg_ctl", "-w", "-m", "immediate", "-D", str(folder / "data"), "stop", check=False)
    rmtree(folder)


def test_a_damaged_page_is_told_and_nothing_else_is_asked(own_server: tuple[Path, PostgresPatient]) -> None:
    data, patient = own_server
    store = InspectedPostgres(patient.url, lease_ms=None)
    patient.now = make(store)
    store.close()
    assert patient.examined().findings == ()
    ((file,),) = patient.ask("SELECT pg_relation_filepath('history')")
    stop(data)
    with (data / file).open("r+b") as damaged:
        damaged.seek(4_000)
        damaged.write(b"\xff" * 64)
    start(data, data.parent)
    report = patient.examined()
    assert set(found(report)) == {"integrity"}
    assert report.counts is None
