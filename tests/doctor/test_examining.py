"""How the doctor works: it only reads, beside whoever writes, and says who is dead."""

from __future__ import annotations

import resource
from typing import Any

from doctor.patient import ASKS, script
from doctor.patients import TABLES, Patient, found
from perdure.expressions.language import compile_value
from perdure.testing import World


def _everything(patient: Patient) -> list[Any]:
    return [sorted(map(repr, patient.ask(f"SELECT * FROM {table}"))) for table in TABLES]


def test_it_counts_what_there_is(patient: Patient) -> None:
    counts = patient.examined().counts
    assert counts is not None
    assert counts.statuses == {"completed": 5, "failed": 1, "running": 1, "waiting": 5}
    assert (counts.executions, counts.live, counts.folded) == (12, 6, 6)
    assert (counts.parked, counts.owned, counts.workers_dead) == (0, 0, 0)
    assert (counts.unrouted, counts.unrouted_since) == (0, None)
    assert counts.database_bytes > 100_000


def test_a_quick_look_folds_nothing(patient: Patient) -> None:
    patient.operate("UPDATE waits SET op = 7 WHERE op = 2")
    assert "wake_rows" in found(patient.examined())
    report = patient.examined(quick=True)
    assert report.findings == ()
    assert report.counts is not None
    assert report.counts.folded == 0


def test_it_changes_nothing(patient: Patient) -> None:
    before = _everything(patient)
    patient.examined()
    assert _everything(patient) == before


def test_the_first_few_are_shown_and_all_are_counted(patient: Patient) -> None:
    many = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000)"
    patient.operate(f"{many} INSERT INTO dedups SELECT 1000 + n, 'x' FROM n")
    finding = found(patient.examined())["belongs_to_nothing"]
    assert (finding.count, len(finding.examples)) == (1_000, 5)


def test_a_worker_whom_nobody_may_ask_after_is_not_called_dead(patient: Patient) -> None:
    patient.operate("UPDATE executions SET owner = 'theirs' WHERE live")

    def hidden(worker: str) -> bool:
        raise PermissionError(worker)

    assert patient.examined(alive=hidden).findings == ()


def test_executions_of_a_dead_worker_need_attention_and_nothing_is_broken(patient: Patient) -> None:
    patient.operate("UPDATE executions SET owner = 'gone' WHERE live")
    report = patient.examined(alive=None)
    finding = found(report)["dead_owners"]
    assert (finding.count, len(finding.examples)) == (6, 5)
    assert report.broken == ()
    assert report.counts is not None
    assert (report.counts.workers_dead, report.counts.owned) == (1, 6)


def test_several_dead_workers_are_counted_together(patient: Patient) -> None:
    patient.operate("UPDATE executions SET owner = 'gone-' || (eid % 2) WHERE live")
    finding = found(patient.examined(alive=None))["dead_owners"]
    assert finding.count == 6


def test_what_could_go_on_needs_attention_if_no_worker_lives(blank: Patient) -> None:
    store = blank.store()
    world = World(compile_value, script(), store=store)
    world.start(ASKS, execution="asks")
    world.run()
    world.cancel("asks")
    blank.now = world.now
    assert set(found(blank.examined(alive=lambda _: False))) == {"overdue"}
    assert found(blank.examined()) == {}
    store.close()


def test_a_worker_that_owns_nothing_counts_as_alive(patient: Patient) -> None:
    report = patient.examined()
    assert report.counts is not None
    assert (report.counts.workers_alive, report.counts.owned) == (1, 0)


def test_what_is_left_after_forgetting_is_healthy(patient: Patient) -> None:
    store = patient.store()
    while store.forget(patient.now + 1, 1):
        assert patient.examined().findings == ()
    assert set(store.rows) >= {"asks", "hears", "parent", "loops", "sleeps"}
    assert not {"done", "fails"} & set(store.rows)
    store.close()


def test_memory_does_not_grow_with_the_database(patient: Patient) -> None:
    """Eight thousand more executions, all of them live, take no more than ten."""
    patient.examined()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    patient.operate(*_copies(8_000))
    report = patient.examined()
    assert report.findings == ()
    assert report.counts is not None
    assert report.counts.folded > 8_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 16_000  # kilobytes


def _copies(count: int) -> list[str]:
    """Of the execution that hears."""
    columns = 'organization, workflow, digest, status, live, ready, epoch, seq, waiting, "trigger", parent_op, depth, started_at, born'
    numbers = f"WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count}) INSERT INTO"
    of_it = "n WHERE eid = (SELECT eid FROM executions WHERE id = 'hears')"
    facts = "seq, kind, scope, parts, data"
    place = "(SELECT max(pos) FROM history) + row_number() OVER ()"
    return [
        f"{numbers} executions (eid, id, {columns}) SELECT 1000 + n, id || '-' || n, {columns} FROM executions, {of_it}",
        f"{numbers} history (pos, eid, {facts}) SELECT {place}, 1000 + n, {facts} FROM history, {of_it}",
        f"{numbers} waits (eid, op, organization, pattern, look_back) SELECT 1000 + n, op, organization, pattern, look_back FROM waits, {of_it}",
    ]
