"""What the questions of `doctor.sql` ask, in plain words: which invariant, what an answer means, and what to do about it.

Broken: something is so that must not be. Attention: nothing is broken, but somebody should look.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

Severity: TypeAlias = Literal["broken", "attention"]


class Complaint(Struct, frozen=True):
    """`check` is the name of the question."""

    check: str
    invariant: str
    says: str
    means: str
    do: str
    severity: Severity = "broken"


_REPORT = "keep a copy of the database and report it with this output: no run of Perdure should lead here"
_RESTORE = "restore it from a backup, or take the execution out of service; then find out what wrote to the database"
_OUTSIDE = (
    "find out what else writes to the database; a copy of its files taken while it was in use can look like this too"
)
_CANCEL = "cancel the execution and start it again; keep a copy of the database and report it"

QUESTIONS = (
    Complaint(
        "last_number",
        "I9 state = fold of history",
        "an execution and its history disagree about its last fact",
        "facts were lost or added after they were committed",
        _RESTORE,
    ),
    Complaint(
        "gaps",
        "I9 state = fold of history",
        "a history is not numbered from 1 without a gap",
        "facts are missing; the state of the execution cannot be made from what is left",
        _RESTORE,
    ),
    Complaint(
        "unreadable_facts",
        "I9 state = fold of history",
        "a fact cannot be read, or is not of the kind that its row says",
        "the execution cannot be taken up again",
        _RESTORE,
    ),
    Complaint(
        "pieces",
        "I9 state = fold of history",
        "a large value does not have all of its pieces",
        "a step that reads it will not find it",
        _RESTORE,
    ),
    Complaint(
        "results",
        "I2 one recorded result per step",
        "an operation has more than one result",
        "a result was recorded twice; what followed from it may have been done twice",
        _REPORT,
    ),
    Complaint(
        "items",
        "I2 one recorded result per step",
        "an item of a forEach has completed more than once",
        "a result was recorded twice; what followed from it may have been done twice",
        _REPORT,
    ),
    Complaint(
        "after_the_end",
        "I3 terminal is final",
        "something was recorded after the end of an execution",
        "an execution that was reported as ended went on",
        _REPORT,
    ),
    Complaint(
        "status",
        "I9 state = fold of history",
        "the status of an execution is not what its history came to",
        "lists and searches show it wrongly; the history is right",
        _REPORT,
    ),
    Complaint(
        "words",
        "I1 every start ends or provably waits",
        "the columns of an execution contradict each other",
        "it may never begin, or lists show it wrongly",
        _REPORT,
    ),
    Complaint(
        "nothing_wakes",
        "I1 every start ends or provably waits",
        "an execution is live, and nothing will ever wake it",
        "it is stuck: no time, event, person, child or mail that it could wait for",
        _CANCEL,
    ),
    Complaint(
        "ended_but_open",
        "I6 open operations = wake rows",
        "an execution has ended, and still waits or asks",
        "people see approvals that nobody needs, and events are looked at in vain",
        _REPORT,
    ),
    Complaint(
        "not_live",
        "I6 open operations = wake rows",
        "an execution has not ended, and counts as if nothing of it were open",
        "nobody will take it up: it is stuck",
        _CANCEL,
    ),
    Complaint(
        "mail",
        "I6 open operations = wake rows",
        "an execution does not know how much mail it has",
        "with less than there is, a message waits unread; with more, it is never let go of",
        _REPORT,
    ),
    Complaint(
        "ready",
        "I6 open operations = wake rows",
        "an execution is ready for nothing, or is not ready and should be",
        "it is taken up in vain, or not at all",
        _REPORT,
    ),
    Complaint(
        "epochs",
        "I5 epochs only grow",
        "an execution was advanced or is owned outside of any epoch",
        "a worker that was cut off could overwrite what another has written",
        _REPORT,
    ),
    Complaint(
        "belongs_to_nothing",
        "I1 every start exists",
        "rows belong to an execution that is not there",
        "an execution was removed by hand, or lost",
        _OUTSIDE,
    ),
    Complaint(
        "pieces_of_nothing",
        "I9 state = fold of history",
        "pieces of a large value belong to a fact that is not there",
        "a fact was removed by hand, or lost",
        _OUTSIDE,
    ),
    Complaint(
        "snapshots_ahead",
        "I9 state = fold of history",
        "a snapshot is of a fact that is not there",
        "the execution would go on from a state that never was",
        "delete the row from snapshots: the state is made anew from the history; then report it",
    ),
    Complaint(
        "keys_of_nothing",
        "I8 one execution per key",
        "an idempotency key names an execution that is not there",
        "whoever starts with this key is told of an execution that nobody can find",
        _OUTSIDE,
    ),
    Complaint(
        "models",
        "I1 every start ends or provably waits",
        "the model of an execution or of an active workflow is not there",
        "no worker can take it up",
        "save the same version of the workflow again: its digest is the name of the model",
    ),
    Complaint(
        "started_versions",
        "I8 one execution per event and trigger",
        "what is started of a workflow and which of its versions are active do not go together",
        "starts, events and schedules get what nobody wants, or nothing",
        "activate the version that is wanted again",
    ),
    Complaint(
        "subscriptions",
        "I8 one execution per event and trigger",
        "events start a version of a workflow that is not the active one",
        "an event starts what nobody wants any more",
        "save the workflow again",
    ),
    Complaint(
        "schedules",
        "I8 one execution per schedule and slot",
        "a schedule is not that of the active version of its workflow, or is missing",
        "it starts what nobody wants any more, or nothing",
        "save the workflow again",
    ),
    Complaint(
        "approvals",
        "I10 one decision per approval",
        "an approval contradicts itself",
        "people may see it as open when it is not, or decide it twice",
        _REPORT,
    ),
    Complaint(
        "decisions",
        "I10 one decision per approval",
        "an approval and the history of its execution disagree about the decision",
        "the execution went on with another decision than the one that is shown",
        _REPORT,
    ),
    Complaint(
        "early",
        "I7 no timer early",
        "a wait for a time ended before it",
        "a clock was set back while it waited, or the history was changed",
        "compare the clocks of the machines that run workers; if they are right, report it",
    ),
    Complaint(
        "chains",
        "I8 one execution per chain and item",
        "an execution has ended, and has not started all that it was to start",
        "executions are missing that were to follow it",
        "start what is missing by hand; keep a copy of the database and report it",
    ),
    Complaint(
        "other_organizations",
        "I11 nothing points to another organization",
        "something of one organization points to another's",
        "one organization could see or change what belongs to another",
        _REPORT,
    ),
    Complaint(
        "triggers",
        "I1 every start ends or provably waits",
        "the log says that a trigger was accepted, and not what it has started",
        "whoever looks for what became of it does not find it",
        _OUTSIDE,
    ),
    Complaint(
        "unreadable_rows",
        "I1 every start ends or provably waits",
        "mail or an event cannot be read, or is not what its row says",
        "whom it is for will not get it",
        _RESTORE,
    ),
    Complaint(
        "parked",
        "nothing is silently stuck",
        "an execution is parked: its workers died, several times in a row, or what it came to cannot be stored",
        "it is not taken up again by itself, because it would kill the next worker or fail again",
        "find out what its last step does and correct it; then `perdure executions retry ID`, or `perdure executions cancel ID`",
        "attention",
    ),
    Complaint(
        "still_owned",
        "nothing is silently stuck",
        "an execution ended over a minute ago, and its worker has not let go of it",
        "it cannot be forgotten; its worker may hang",
        "look at the worker that owns it",
        "attention",
    ),
    Complaint(
        "overdue",
        "nothing is silently stuck",
        "an execution could go on, and nobody takes it up",
        "no worker runs, those that run have more than they can do, or their clocks differ from the database's by over 10 s",
        "start a worker on this database, or one more; if its `/readyz` says `clock_skew` or `clock_jump`, set the clock",
        "attention",
    ),
    Complaint(
        "late_schedules",
        "nothing is silently stuck",
        "a schedule should have started something over a minute ago",
        "no worker runs, those that run cannot write, or their clocks are behind or over 10 s off; its "
        "catch-up policy says what comes of it",
        "start a worker on this database; if one runs, look at its log, and in its `/readyz` for `clock_skew` or `clock_jump`",
        "attention",
    ),
    Complaint(
        "executions_ahead",
        "nothing is silently stuck",
        "an execution has gone on at a time that lies in the future",
        "a clock was ahead: what it waits for by time comes that much later, and with `overlap: skip` its schedule starts "
        "nothing until it has ended",
        "check the clocks of the hosts and of the database; then cancel the execution and rerun it: "
        "`perdure executions cancel ID`, `perdure executions rerun ID`",
        "attention",
    ),
    Complaint(
        "retention_held",
        "nothing is silently stuck",
        "retention is off, because a clock seemed to be wrong",
        "executions, events and answers that are older than they are kept stay; no other work waits for it",
        "check the clocks of the hosts and of the database; then run `perdure db forget --older-than … --trust-clock`, or let a "
        "worker run for 24 hours",
        "attention",
    ),
    Complaint(
        "unsent_notices",
        "nothing is silently stuck",
        "a notifier could not tell people of an approval",
        "whoever was to be told may not know that they are asked; the approval itself is as it should be",
        "`perdure executions show ID` says why: mend that, or remove the notifier, and `perdure executions retry ID` sends it",
        "attention",
    ),
    Complaint(
        "missing_tasks",
        "nothing is silently stuck",
        "an execution waits for a task that no worker has",
        "it goes on as soon as a worker runs that has the task; nothing of it is lost",
        "start a worker on this database with the file that declares the task: perdure worker --tasks FILE; for a tool of a "
        "connection, perdure worker --connections FILE, or `perdure connections add`",
        "attention",
    ),
    Complaint(
        "unrouted",
        "nothing is silently stuck",
        "an event has not been routed for over a minute",
        "whoever waits for it has not been told: no worker runs, or none that can read the workflow that it starts",
        "start a worker on this database, of the newest version in use; if one runs, look at its log",
        "attention",
    ),
    Complaint(
        "declined_events",
        "nothing is silently stuck",
        "an event was declined: it cannot be routed because of what is in it",
        "executions that wait for it and workflows that it starts have not been told; the event is kept",
        "`perdure events show ID` says why; correct the cause, then run `perdure events reroute ID`",
        "attention",
    ),
)

SCHEDULE_AHEAD = Complaint(
    "schedules_ahead",
    "I8 one execution per schedule and slot, none early, none missing",
    "a schedule is ahead of its time",
    "a clock was ahead when it started executions: those were early, and it starts nothing until the time has caught up",
    "check the clocks of the hosts and of the database; then `perdure schedules reset WORKFLOW/SCHEDULE` lets it begin at now",
)
DAMAGED = Complaint(
    "integrity",
    "the database is whole",
    "the database finds itself damaged",
    "the disk, or something that wrote to its files past it, has changed it",
    "stop all workers, keep a copy of its files (of SQLite also the -wal), and restore it from a backup",
)
CHECK_FAILED = Complaint(
    "integrity_check",
    "the database is whole",
    "the last background check found the database damaged",
    "this examination has not found the damage: `--quick` does not look at indexes, or the file has been restored since",
    "run `perdure doctor` without --quick; if it finds no damage, the next background check clears this",
    "attention",
)
DEAD_OWNER = Complaint(
    "dead_owners",
    "nothing is silently stuck",
    "a worker has died, and its executions are still its own",
    "the next worker that runs takes them over at once; nothing is lost",
    "start a worker on this database; one that runs does so within a second",
    "attention",
)
DOES_NOT_FOLD = Complaint(
    "folding",
    "I9 state = fold of history",
    "the state of an execution cannot be made from its history",
    "the execution cannot be taken up again",
    _RESTORE,
)
OTHER_SNAPSHOT = Complaint(
    "snapshot",
    "I9 state = fold of history",
    "a snapshot is not what the history says",
    "the execution would go on from a state that never was",
    "delete the row from snapshots: the state is made anew from the history; then report it",
)
DISAGREES = Complaint(
    "wake_rows",
    "I6 open operations = wake rows",
    "what an execution has open is not what its rows say",
    "it may wait for what never comes, or be woken for nothing",
    _CANCEL,
)
NEEDS_WORKER = Complaint(
    "let_go_too_early",
    "I1 every start ends or provably waits",
    "an execution was let go of although something of it was to be done",
    "nobody does it: the execution is stuck, unless something else wakes it",
    _CANCEL,
)
BROKEN_CHAIN = Complaint(
    "audit",
    "the audit is a chain",
    "an entry of the audit was changed, or some were taken out",
    "what the audit tells of that organization cannot be trusted: from there on, or where something is missing",
    "find out what else writes to the database; a backup from before holds the entries as they were",
)
NOT_APART = Complaint(
    "organizations_apart",
    "no organization sees another's rows",
    "the database does not keep readers of one organization from the rows of others",
    "nothing is wrong with what there is; what each question asks for keeps organizations apart, and the database does not",
    "have an administrator of the server say what is missing, then run `perdure db upgrade` as the owner of the tables",
    "attention",
)
