"""Every question: a healthy database in which just one thing is broken by hand, and the doctor finds it."""

from __future__ import annotations

import pytest
from msgspec import Struct

from doctor.patients import Patient, found
from perdure.store.sql import complaints as c


class Break(Struct, frozen=True):
    """What is done, and whose it is found to be. `also`: what cannot be but broken with it."""

    check: str
    sql: str
    whose: str = "done"
    also: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return f"{self.check}: {self.sql}"


def _eid(execution: str) -> str:
    return f"(SELECT eid FROM executions WHERE id = '{execution}')"


def _row(execution: str, changes: str) -> str:
    return f"UPDATE executions SET {changes} WHERE id = '{execution}'"


def _fact(seq: int, changes: str, execution: str = "done") -> str:
    return f"UPDATE history SET data = json_set(data, {changes}) WHERE eid = {_eid(execution)} AND seq = {seq}"


def _more(kind: str, data: str, execution: str = "done") -> str:
    """One more fact, and the row knows of it."""
    columns = "history (pos, eid, seq, kind, data)"
    return (
        f"INSERT INTO {columns} SELECT {_next('history')}, eid, seq + 1, '{kind}', '{data}' FROM executions WHERE id = '{execution}'; "
        f"UPDATE executions SET seq = seq + 1 WHERE id = '{execution}'"
    )


def _next(table: str) -> str:
    """A place that nothing has."""
    return f"(SELECT coalesce(max(pos), 0) + 1 FROM {table})"


def _mail(whose: str, data: str) -> str:
    return f"INSERT INTO inbox (pos, eid, data) VALUES ({_next('inbox')}, {whose}, '{data}')"


FOLD = frozenset({"folding"})
APPROVAL = f"approval_items SET data = json_set(data, {{}}) WHERE eid = {_eid('done')}"
_IN = "INSERT INTO "

BREAKS = (
    Break("last_number", _row("done", "seq = seq - 1")),
    Break(
        "last_number",
        f"DELETE FROM history WHERE eid = {_eid('asks')} AND seq = 2",
        "asks",
        frozenset({"wake_rows", "let_go_too_early"}),
    ),
    Break("gaps", f"DELETE FROM history WHERE eid = {_eid('done')} AND seq = 12"),
    Break(
        "gaps", f"UPDATE history SET seq = 99 WHERE eid = {_eid('done')} AND seq = 24", also=frozenset({"last_number"})
    ),
    Break("unreadable_facts", f"UPDATE history SET data = '{{' WHERE eid = {_eid('done')} AND seq = 2"),
    Break("unreadable_facts", f"UPDATE history SET kind = 'step.lost' WHERE eid = {_eid('done')} AND seq = 2"),
    Break("unreadable_facts", f"UPDATE history SET data = '{{' WHERE eid = {_eid('asks')} AND seq = 2", "asks", FOLD),
    Break("pieces", f"UPDATE history SET parts = 5 WHERE eid = {_eid('done')} AND seq = 22"),
    Break("pieces", f"DELETE FROM payloads WHERE eid = {_eid('done')} AND seq = 14"),
    Break("pieces", f"UPDATE payloads SET number = 7 WHERE eid = {_eid('done')} AND seq = 22 AND number = 1"),
    Break("results", _fact(7, "'$.op', 2")),
    Break(
        "results",
        f"UPDATE history SET kind = 'step.failed', data = json_set(json_set(data, '$.kind', 'step.failed'), '$.op', 2) WHERE eid = {_eid('done')} AND seq = 3",
    ),
    Break("items", _fact(19, "'$.item', 0")),
    Break("after_the_end", _more("step.entered", '{"kind":"step.entered","at":1}')),
    Break("after_the_end", _more("step.scheduled", '{"kind":"step.scheduled","at":1,"step":0}')),
    Break("after_the_end", _more("warning", '{"kind":"warning","at":1,"step":0,"message":""}')),
    Break(
        "after_the_end", _more("timer.opened", '{"kind":"timer.opened","at":1,"step":0,"due_at":1}', "fails"), "fails"
    ),
    Break(
        "after_the_end",
        _more("execution.retried", '{"kind":"execution.retried","at":1,"by":"x"}'),
        also=frozenset({"status"}),
    ),
    Break("status", _row("done", "status = 'failed'")),
    Break("status", _row("fails", "status = 'completed'"), "fails"),
    Break("status", _row("sleeps", "status = 'cancelled', waiting = NULL, ended_at = 1"), "sleeps"),
    Break("words", _row("sleeps", "waiting = NULL"), "sleeps"),
    Break("words", _row("done", "ended_at = NULL")),
    Break("words", _row("sleeps", "start = '{}', ready = true"), "sleeps"),
    Break("nothing_wakes", f"DELETE FROM waits WHERE eid = {_eid('hears')}", "hears", frozenset({"wake_rows"})),
    Break("nothing_wakes", _row("sleeps", "wake_at = NULL"), "sleeps", frozenset({"wake_rows"})),
    Break("nothing_wakes", f"DELETE FROM approval_items WHERE eid = {_eid('asks')}", "asks", frozenset({"wake_rows"})),
    Break("ended_but_open", _row("done", "wake_at = 1")),
    Break(
        "ended_but_open",
        f"{_IN}waits (eid, op, organization, pattern, look_back) VALUES ({_eid('done')}, 12, 'default', 'x', false)",
    ),
    Break(
        "ended_but_open",
        "UPDATE " + APPROVAL.format("'$.status', 'pending'").replace("SET ", "SET status = 'pending', ", 1),
        also=frozenset({"approvals"}),
    ),
    Break("not_live", _row("sleeps", "live = false, wake_at = NULL"), "sleeps"),
    Break("mail", _row("done", "mail = 1, ready = true")),
    Break("mail", _mail(_eid("done"), "{}")),
    Break("ready", _row("done", "ready = true")),
    Break("ready", _mail(_eid("done"), "{}") + "; " + _row("done", "mail = 1")),
    Break("epochs", _row("done", "epoch = 0")),
    Break("epochs", _row("hears", "epoch = 0, owner = 'worker-1'"), "hears"),
    *(
        Break("belongs_to_nothing", f"{_IN}{table} VALUES ({values})", "row 999")
        for table, values in {
            "history (pos, eid, seq, kind, data)": f"{_next('history')}, 999, 1, 'warning', '{{\"kind\":\"warning\"}}'",
            "payloads": "999, 1, 0, ''",
            "snapshots": "999, 1, 1, bytes_of('')",
            "consumed": "999, 'x'",
            "inbox (pos, eid, data)": f"{_next('inbox')}, 999, '{{}}'",
            "dedups": "999, 'x'",
            "waits": "999, 1, 'default', 'x', false, 0, '', ''",
            "deliveries": "999, 'x'",
            "uncalled": "999, 1, 'x'",
            "approval_items (id, eid, op, organization, status, data, workflow, late, resource_id)": (
                "'x', 999, 1, 'default', 'closed', '{}', 'w', 0, 'x'"
            ),
        }.items()
    ),
    Break("pieces_of_nothing", f"{_IN}payloads VALUES ({_eid('done')}, 99, 0, 'x')"),
    Break("snapshots_ahead", f"UPDATE snapshots SET seq = 9999 WHERE eid = {_eid('loops')}", "loops"),
    Break("snapshots_ahead", f"UPDATE snapshots SET seq = 0 WHERE eid = {_eid('loops')}", "loops"),
    Break("keys_of_nothing", "UPDATE idempotency SET execution = 'nobody'", "nobody"),
    Break("models", "DELETE FROM models WHERE digest = (SELECT digest FROM executions WHERE id = 'asks')", "asks"),
    Break("models", "UPDATE workflows SET digest = 'x' WHERE name = 'asks'", "workflow asks"),
    Break("models", "UPDATE workflow_versions SET digest = 'x' WHERE name = 'asks'", "workflow asks version 1"),
    Break("started_versions", "UPDATE workflow_versions SET status = 'draft' WHERE name = 'asks'", "workflow asks"),
    Break("started_versions", "UPDATE workflows SET active = NULL WHERE name = 'asks'", "workflow asks"),
    Break("subscriptions", "UPDATE subscriptions SET digest = 'x'", "workflow started"),
    Break("subscriptions", "DELETE FROM workflows WHERE name = 'started'", "workflow started"),
    Break("schedules", "UPDATE schedules SET digest = 'x'", "schedule nightly/clock"),
    Break("schedules", "DELETE FROM schedules", "workflow nightly"),
    Break("schedules", "UPDATE schedules SET spec = '{'", "schedule nightly/clock"),
    Break("schedules", "DELETE FROM workflows WHERE name = 'nightly'", "schedule nightly/clock"),
    Break("schedules_ahead", "UPDATE schedules SET last_slot = 4102444800000", "schedule nightly/clock"),
    Break("schedules_ahead", "UPDATE schedules SET next_at = 4102444800000", "schedule nightly/clock"),
    Break("schedules_ahead", "UPDATE schedules SET next_at = NULL", "schedule nightly/clock"),
    Break("executions_ahead", _row("sleeps", "started_at = 4102444800000"), "sleeps"),
    Break("executions_ahead", _fact(2, "'$.at', 4102444800000", "asks"), "asks"),
    Break(
        "retention_held",
        f"{_IN}cards (organization, register, id, revision, changed_at, data) "
        "VALUES ('default', 'retention', 'hold', 1, 1, '{\"reason\":\"x\"}')",
        "retention",
    ),
    Break("late_schedules", "UPDATE schedules SET next_at = 1", "schedule nightly/clock"),
    Break("approvals", "UPDATE " + APPROVAL.format("'$.status', 'rejected'")),
    Break("approvals", "UPDATE " + APPROVAL.format("'$.execution', 'asks'")),
    Break(
        "approvals",
        f"UPDATE approval_items SET data = json_remove(data, '$.decision') WHERE eid = {_eid('done')}",
        also=frozenset({"decisions"}),
    ),
    Break("approvals", f"UPDATE approval_items SET data = '{{' WHERE eid = {_eid('asks')}", "asks"),
    Break("decisions", _fact(11, "'$.output.decision', 'reject'")),
    Break("early", _fact(7, "'$.at', 1006054")),
    Break("early", _fact(9, "'$.at', 1059999")),
    Break("early", _fact(4, "'$.at', 1001044")),
    Break(
        "chains",
        "UPDATE history SET data = json_set(data, '$.cursor', 1) WHERE kind = 'chain.advanced'",
        "chains",
    ),
    Break("chains", "UPDATE history SET data = json_set(data, '$.total', 3) WHERE kind = 'chain.planned'", "chains"),
    Break("other_organizations", _row("parent", "organization = 'other'"), "hears"),
    Break("other_organizations", f"UPDATE waits SET organization = 'other' WHERE eid = {_eid('hears')}", "hears"),
    Break(
        "other_organizations", f"UPDATE approval_items SET organization = 'other' WHERE eid = {_eid('asks')}", "asks"
    ),
    Break("other_organizations", "UPDATE " + APPROVAL.format("'$.organization', 'other'")),
    Break("other_organizations", "UPDATE idempotency SET organization = 'other'"),
    Break("other_organizations", "UPDATE trigger_log SET organization = 'other' WHERE execution = 'done'"),
    Break("triggers", "UPDATE trigger_log SET execution = NULL WHERE execution = 'done'", "trigger 1"),
    Break(
        "other_organizations",
        "UPDATE events SET organization = 'other', data = json_set(data, '$.organization', 'other') WHERE data LIKE '%\"source\":\"asks\"%'",
        "asks",
    ),
    Break(
        "other_organizations",
        _mail(
            _eid("hears"),
            '{"kind":"event.arrived","at":1,"event":{"id":"x","type":"x","at":1,"organization":"other"}}',
        )
        + "; "
        + _row("hears", "mail = 1, ready = true"),
        "hears",
    ),
    Break(
        "unreadable_rows",
        _mail(_eid("hears"), "x") + "; " + _row("hears", "mail = 1, ready = true"),
        "hears",
    ),
    Break("unreadable_rows", "UPDATE events SET data = 'x' WHERE id = 'placed'", "event placed"),
    Break("unreadable_rows", "UPDATE events SET type = 'x' WHERE id = 'placed'", "event placed"),
    Break("parked", _row("hears", "crashes = 3"), "hears"),
    Break("unsent_notices", _row("fails", "workflow = 'perdure:notices'"), "fails"),
    Break("still_owned", _row("done", "owner = 'worker-1', ended_at = 1")),
    Break("overdue", _row("sleeps", "wake_at = 1"), "sleeps", frozenset({"wake_rows"})),
    Break(
        "unrouted",
        "UPDATE events SET routed = false, data = json_set(data, '$.at', 1) WHERE id = 'placed'",
        "event placed",
    ),
    Break(
        "declined_events",
        """UPDATE events SET declined = '[["","it cannot be stored"]]' WHERE id = 'placed'""",
        "event placed",
    ),
    Break(
        "missing_tasks",
        _more("step.scheduled", '{"kind":"step.scheduled","at":1062020,"step":0}', "hears")
        + "; INSERT INTO uncalled (eid, op, task) SELECT eid, seq, 'paint' FROM executions WHERE id = 'hears'",
        "hears",
        frozenset({"wake_rows"}),
    ),
    *(
        Break("audit", sql, "default")
        for sql in (
            "UPDATE audit SET data = json_set(data, '$.by', 'mallory') WHERE number = 2",
            "UPDATE audit SET data = '{' WHERE number = 3",
            "DELETE FROM audit WHERE writer = 'w1' AND number = 2",
            "DELETE FROM audit WHERE number = 2; UPDATE audit SET number = 2 WHERE number = 3",
            "DELETE FROM audit WHERE writer = 'w1' AND number = 3",
            "DELETE FROM audit WHERE writer = 'w1' AND number > 1",
            "DELETE FROM audit WHERE writer = 'w2'",
            "DELETE FROM audit",
            "DELETE FROM audit WHERE writer = 'w2'; DELETE FROM audit_chains WHERE writer = 'w2'",
            "DELETE FROM audit_chains WHERE writer = 'w2'",
            "UPDATE audit_chains SET entries = 4 WHERE writer = 'w1'",
            "UPDATE audit SET approval = 'x' WHERE writer = 'w2'",
        )
    ),
    Break("folding", _fact(2, "'$.step', 'two'", "asks"), "asks"),
    Break(
        "snapshot",
        f"UPDATE snapshots SET data = bytes_of(json_set(text_of(data), '$.entered', 5)) WHERE eid = {_eid('loops')}",
        "loops",
    ),
    Break("snapshot", f"UPDATE snapshots SET data = bytes_of('[') WHERE eid = {_eid('loops')}", "loops"),
    Break("snapshot", f"UPDATE snapshots SET seq = seq - 1 WHERE eid = {_eid('loops')}", "loops"),
    Break("wake_rows", f"UPDATE waits SET op = 7 WHERE eid = {_eid('hears')}", "hears"),
    Break("wake_rows", f"DELETE FROM waits WHERE eid = {_eid('asks')}", "asks"),
    Break("wake_rows", _row("sleeps", "wake_at = wake_at + 1"), "sleeps"),
    Break(
        "wake_rows",
        "DELETE FROM executions WHERE parent = 'parent'",
        "parent",
        frozenset({"nothing_wakes", "belongs_to_nothing"}),
    ),
    Break(
        "let_go_too_early",
        _more("step.scheduled", '{"kind":"step.scheduled","at":1062020,"step":0}', "hears"),
        "hears",
        frozenset({"wake_rows"}),
    ),
)


@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.name)
def test_what_is_broken_is_found_and_nothing_else(broken: Break, patient: Patient) -> None:
    patient.operate(*broken.sql.split("; "))
    findings = found(patient.examined())
    assert set(findings) - broken.also == {broken.check}
    finding = findings[broken.check]
    whose = {name for name, _ in finding.examples}
    named = {id_ for (id_,) in patient.ask(f"SELECT id FROM executions WHERE workflow = '{broken.whose}'")}
    assert whose & {broken.whose, *named}, finding.examples


def test_every_question_is_broken_by_some_test() -> None:
    asked = {complaint.check for complaint in vars(c).values() if isinstance(complaint, c.Complaint)}
    asked |= {complaint.check for complaint in c.QUESTIONS}
    elsewhere = {
        "integrity",
        "integrity_check",
        "dead_owners",
        "organizations_apart",
    }  # test_examining.py, store/test_tenants_without_role.py, poison/test_integrity.py
    assert asked - {broken.check for broken in BREAKS} == elsewhere


def test_every_complaint_says_what_it_means_and_what_to_do() -> None:
    for complaint in c.QUESTIONS:
        assert all((complaint.invariant, complaint.says, complaint.means, complaint.do)), complaint.check


def test_the_healthy_one_is_clean(patient: Patient) -> None:
    assert patient.examined().findings == ()
