"""What of a transaction is so plain that it can be written together with others of its kind, in one statement."""

from __future__ import annotations

from perdure.store import port as p


class NotAll(Exception):
    """Something could not be written together, and nothing is."""


def is_plain(item: p.Advance) -> bool:
    """Whether a step changes nothing but its own row and history, and at most tells of its beginning and end."""
    changes = item.changes
    if changes is p.NO_CHANGES:
        return item.snapshot is None
    return not (changes.seen or changes.waits_opened or changes.waits_closed) and is_nearly_plain(item)


def is_nearly_plain(item: p.Advance) -> bool:
    """The same, but it may have read letters from its inbox, and begun or ended waits."""
    return item.snapshot is None and (item.changes is p.NO_CHANGES or _only_tells_of_itself(item.changes))


def is_quiet(item: p.Advance) -> bool:
    """Whether of a plain step only its facts are to be written."""
    return item.quiet and not item.release and item.changes is p.NO_CHANGES


def _only_tells_of_itself(c: p.Changes) -> bool:
    """That may be routed a moment later; what somebody publishes is not to wait."""
    if c.declined or c.starts or c.messages:
        return False
    if c.notices or c.approvals_opened or c.approvals_overdue or c.approvals_settled or c.approvals_closed:
        return False
    return all(event.told_by is not None for event in c.events)
