"""What the API answers is read back into what the service tells, and says the same again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from perdure.answers import bulk as b
from perdure.answers import executions as e
from perdure.answers import organizations as o
from perdure.answers import sessions as s
from perdure.answers import triggers as t
from perdure.answers import workflows as w
from perdure.answers.problems import ProblemAnswer, problem_answer, problem_from
from perdure.dialects.firing import Firing
from perdure.dialects.port import Requirements
from perdure.expressions.times import iso
from perdure.model.failure import Category, Failure
from perdure.model.problem import Problem
from perdure.model.records import EventRecord, ExecutionRecord, Waiting
from perdure.model.workflow import Schedule
from perdure.service.acting import Member
from perdure.service.bulk import AllDone, Done
from perdure.service.connections import Connected, Listed, Offered
from perdure.service.describing import Described, ExecutionAnswer, described_from, execution_answer
from perdure.service.events import Seen, Sent, Woken
from perdure.service.history import HistoryEntry
from perdure.service.hooks import Issued, Webhook
from perdure.service.keys import IssuedKey, Key
from perdure.service.notifiers import Notifier
from perdure.service.pins import Use
from perdure.service.progress import StepProgress
from perdure.service.receiving import Received
from perdure.service.requests import Requested
from perdure.service.schedules import ScheduleView
from perdure.service.secrets import Secret
from perdure.service.sessions import Session
from perdure.service.steps import Attempt, StepDetail
from perdure.service.why import WaitDetail, Why
from perdure.service.workflows import Saved, WorkflowSummary, WorkflowVersion
from perdure.store.happened import Happened
from perdure.store.ledger import TriggerEntry
from perdure.store.registers import AuditEntry

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
WORD = st.text("abcdefgh", min_size=1, max_size=5)
AT = st.integers(0, 4_000_000_000_000)
COUNT = st.integers(0, 9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
MAYBE = st.none() | TEXT
WHEN = st.none() | AT


def many(of: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(of, max_size=2).map(tuple)


PROBLEM = st.builds(Problem, WORD, TEXT, TEXT, TEXT, TEXT, MAYBE, JSON, JSON, st.none() | COUNT, st.none() | COUNT)
FAILURE = st.none() | st.builds(Failure, TEXT, st.sampled_from(Category), MAYBE, st.booleans(), JSON, MAYBE)
WAITING = st.builds(Waiting, st.sampled_from(["approval", "event", "timer", "operator"]), WORD, AT, WHEN, MAYBE)
STATUS = st.sampled_from(["pending", "running", "waiting", "completed", "failed", "cancelled"])
STEP_STATUS = st.sampled_from(["pending", "running", "waiting", "retrying", "completed", "failed", "cancelled"])
VERSION_STATUS = st.sampled_from(["draft", "active"])
RECORD = st.builds(
    ExecutionRecord,
    WORD,
    WORD,
    st.just("digest"),
    AT,
    organization=WORD,
    status=STATUS,
    waiting=st.none() | WAITING,
    seq=COUNT,
    output=JSON,
    error=FAILURE,
    trigger=WORD,
    correlation_id=MAYBE,
    parent=MAYBE,
    depth=COUNT,
    ended_at=WHEN,
)
DESCRIBED = st.builds(Described, RECORD, TEXT, MAYBE, WORD, st.none() | WAITING, MAYBE)
ATTEMPT = st.builds(Attempt, COUNT, AT, WHEN, FAILURE, st.none() | COUNT)
STEP = st.builds(StepDetail, WORD, STEP_STATUS, COUNT, many(ATTEMPT), JSON, JSON, FAILURE, WHEN, WHEN, st.booleans())
PROGRESS = st.builds(
    StepProgress, WORD, STEP_STATUS, AT, WHEN, COUNT, COUNT, WHEN, TEXT, FAILURE, st.just(0), st.none()
) | st.builds(StepProgress, WORD, STEP_STATUS, AT, WHEN, COUNT, COUNT, WHEN, TEXT, FAILURE, COUNT, COUNT)
ENTRY = st.builds(
    HistoryEntry, COUNT, AT, WORD, MAYBE, st.dictionaries(WORD, JSON, max_size=2), st.none(), MAYBE, st.booleans()
)
KIND = st.sampled_from(["timer", "event", "approval", "task", "missing_task"])
WAIT = st.builds(WaitDetail, KIND, WORD, AT, WHEN, MAYBE, TEXT, st.none() | COUNT)
OF_A_CHILD = st.builds(
    lambda wait, inner: replace(wait, kind="child", why=Why("waiting", wait.note, inner)), WAIT, many(WAIT)
)
REQUESTED = st.builds(Requested, st.sampled_from(["cancel", "retry", "refire"]), AT, TEXT, TEXT)
WHY = st.builds(Why, STATUS, TEXT, many(WAIT | OF_A_CHILD), many(REQUESTED), st.booleans())
FIRED = st.sampled_from(["pending", "triggered", "skipped", "failed"])
FIRING = st.builds(Firing, WORD, WORD, FIRED, many(WORD), many(COUNT), MAYBE)
REQUIRES = st.builds(Requirements, many(WORD), many(st.tuples(WORD, WORD)), many(WORD), many(WORD))
VERSION = st.tuples(WORD, TEXT, WORD, VERSION_STATUS, WORD, WORD, AT, st.booleans(), JSON, st.none() | REQUIRES).map(
    lambda parts: WorkflowVersion(*parts)
)  # its hints are for mypy alone
EVENT = st.builds(EventRecord, WORD, WORD, AT, JSON, TEXT, WORD, MAYBE, metadata=JSON)
WOKEN = st.builds(Woken, WORD, WORD, STATUS, st.sampled_from(["started", "woken", "told"]))
SCHEDULE = st.builds(
    Schedule,
    WORD,
    MAYBE,
    st.none() | COUNT,
    WORD,
    WHEN,
    WHEN,
    st.sampled_from(["one", "none", "all"]),
    st.sampled_from(["allow", "skip"]),
    st.dictionaries(WORD, JSON, max_size=1),
)
VIEW = st.builds(
    lambda workflow, name, schedule, rest: ScheduleView(f"{workflow}/{schedule.id}", workflow, name, schedule, *rest),
    WORD,
    TEXT,
    SCHEDULE,
    st.tuples(WHEN, st.booleans(), WHEN, MAYBE, COUNT, st.booleans()),
)
SCHEME = st.none() | st.sampled_from(["standard", "github", "stripe", "slack"])
WEBHOOK = st.builds(Webhook, WORD, WORD, MAYBE, SCHEME, AT, WORD, COUNT, COUNT, MAYBE)
ROLES = many(st.sampled_from(["viewer", "operator", "editor", "approver", "admin"]))
KEY = st.builds(Key, WORD, WORD, WORD, ROLES, AT, WORD, WHEN, MAYBE, WHEN)
TOOL = st.builds(Offered, WORD, WORD, TEXT, JSON, JSON, st.none() | st.builds(Offered, WORD, WORD, TEXT))

Pair = tuple[st.SearchStrategy[Any], Callable[[Any], Any], Any, Callable[[Any], Any]]
WHOLE: dict[str, Pair] = {
    "problem": (PROBLEM, problem_answer, ProblemAnswer, problem_from),
    "saved": (
        st.builds(Saved, WORD, TEXT, WORD, VERSION_STATUS, WORD, st.booleans(), many(PROBLEM)),
        w.saved_answer,
        w.SavedAnswer,
        w.saved_from,
    ),
    "workflow": (
        st.builds(WorkflowSummary, WORD, TEXT, WORD, VERSION_STATUS, WORD, AT, MAYBE),
        w.workflow_answer,
        w.WorkflowAnswer,
        w.workflow_from,
    ),
    "version": (VERSION, w.version_answer, w.VersionAnswer, w.version_from),
    "step": (STEP, e.step_answer, e.StepAnswer, e.step_from),
    "progress": (PROGRESS, e.progress_answer, e.ProgressAnswer, e.progress_from),
    "why": (WHY, lambda why: e.why_answer("x", why), e.WhyAnswer, e.why_from),
    "firing": (FIRING, e.firing_answer, e.FiringAnswer, e.firing_from),
    "sent": (st.builds(Sent, WORD, st.booleans(), st.booleans()), t.sent_answer, t.SentAnswer, t.sent_from),
    "event": (st.builds(Happened, EVENT, st.booleans()), t.event_answer, t.EventAnswer, t.event_from),
    "seen": (
        st.builds(Seen, EVENT, st.booleans(), many(WOKEN), many(st.tuples(WORD, TEXT)), st.booleans()),
        t.seen_answer,
        t.SeenAnswer,
        t.seen_from,
    ),
    "trigger": (
        st.builds(
            TriggerEntry,
            COUNT,
            AT,
            st.sampled_from(["hook", "event", "schedule"]),
            WORD,
            st.sampled_from(["accepted", "duplicate", "rejected", "rate_limited"]),
            MAYBE,
            MAYBE,
            MAYBE,
            MAYBE,
            COUNT,
            AT,
            WORD,
        ),
        t.trigger_answer,
        t.TriggerAnswer,
        t.trigger_from,
    ),
    "all done": (
        st.builds(AllDone, many(st.builds(Done, WORD, st.booleans(), MAYBE, MAYBE)), MAYBE),
        b.all_done_answer,
        b.AllDoneAnswer,
        b.all_done_from,
    ),
    "schedule": (VIEW, t.schedule_answer, t.ScheduleAnswer, t.schedule_from),
    "webhook": (WEBHOOK, t.webhook_answer, t.WebhookAnswer, t.webhook_from),
    "issued": (st.builds(Issued, WEBHOOK, MAYBE, MAYBE), t.issued_answer, t.WebhookAnswer, t.issued_from),
    "received": (
        st.builds(Received, WORD, st.booleans(), MAYBE, st.booleans()),
        t.received_answer,
        t.ReceivedAnswer,
        t.received_from,
    ),
    "member": (
        st.builds(Member, WORD, WORD, ROLES, many(WORD), MAYBE, MAYBE, COUNT, AT),
        o.member_answer,
        o.MemberAnswer,
        o.member_from,
    ),
    "audit": (
        st.builds(AuditEntry, WORD, WORD, COUNT, AT, WORD, WORD, WORD, WORD, JSON, WORD, COUNT),
        o.audit_answer,
        o.AuditAnswer,
        o.audit_from,
    ),
    "secret": (st.builds(Secret, WORD, WORD, AT, WORD), o.secret_answer, o.SecretAnswer, o.secret_from),
    "connection": (
        st.builds(
            Connected,
            WORD,
            st.sampled_from(["operator", "organization"]),
            st.sampled_from(["stdio", "http"]),
            TEXT,
            st.dictionaries(WORD, TEXT, max_size=2),
            many(WORD),
            st.none() | COUNT,
            WHEN,
            MAYBE,
        ),
        o.connection_answer,
        o.ConnectionAnswer,
        o.connection_from,
    ),
    "tools": (
        st.builds(Listed, WORD, many(TOOL), AT, many(st.builds(Use, WORD, WORD, WORD, WORD)), many(TOOL), many(WORD)),
        o.tools_answer,
        o.ToolsAnswer,
        o.tools_from,
    ),
    "notifier": (
        st.builds(
            Notifier,
            WORD,
            WORD,
            st.sampled_from(["log", "webhook", "email"]),
            many(WORD),
            MAYBE,
            MAYBE,
            many(WORD),
            COUNT,
            AT,
        ),
        o.notifier_answer,
        o.NotifierAnswer,
        o.notifier_from,
    ),
    "session": (
        st.builds(Session, WORD, WORD, WORD, AT, AT, MAYBE, MAYBE),
        s.session_answer,
        s.SessionAnswer,
        s.session_from,
    ),
    "key": (KEY, o.key_answer, o.KeyAnswer, o.key_from),
    "issued key": (st.builds(IssuedKey, KEY, WORD), o.issued_key_answer, o.KeyAnswer, o.issued_key_from),
}
IN_PART: dict[str, Pair] = {
    "execution": (DESCRIBED, execution_answer, ExecutionAnswer, described_from),
    "listed": (RECORD, lambda record: e.listed_execution(record, record.workflow), e.ListedExecution, e.record_from),
    "entry": (ENTRY, e.entry_answer, e.EntryAnswer, lambda answer: e.entries_from([answer], {})[0]),
}
"""What only the engine needs is not told, and so cannot be read back."""


def sent(shape: Any, answer: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(answer), type=shape)


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_read_back_is_what_was_told(name: str) -> None:
    values, told, shape, read = WHOLE[name]

    @settings(max_examples=60, deadline=None, database=None)
    @given(values)
    def holds(value: Any) -> None:
        assert read(sent(shape, told(value))) == value

    holds()


@pytest.mark.parametrize("name", IN_PART)
def test_what_is_read_back_says_the_same_again(name: str) -> None:
    values, told, shape, read = IN_PART[name]

    @settings(max_examples=60, deadline=None, database=None)
    @given(values)
    def holds(value: Any) -> None:
        answer = sent(shape, told(value))
        assert told(read(answer)) == answer

    holds()


def test_times_are_read_back_to_the_millisecond() -> None:
    found = e.requested_from(e.requested_answer(Requested("cancel", 1_794_858_850_086, "ann", "twice")))
    assert iso(found.at) == "2026-11-16T19:54:10.086Z"
