"""Schedules that people add to a workflow, in the words that documents have for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from perdure.dialects.faults import Faults
from perdure.dialects.fields import Fields
from perdure.dialects.schedules import KEYS, as_written, read_schedule
from perdure.expressions.canonical import canonical
from perdure.expressions.wording import nearest
from perdure.hosts.refusing import Refused
from perdure.model.problem import Problem
from perdure.model.values import Json
from perdure.model.workflow import Schedule

_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_WHEN: Final = ("schedule", "every")


def read(given: Mapping[str, Json], id_: str) -> Schedule:
    """Raises `Refused` with all that is wrong with it."""
    faults = Faults()
    fields = Fields({key: canonical(value) for key, value in given.items()}, "", faults, known=KEYS)
    if not _ID.fullmatch(id_):
        faults.problem(
            "invalid_id",
            "/id",
            "'id' has 1 to 100 letters, digits, '.', '-' and '_', and begins with none of those three",
        )
    for key in given:
        if key not in KEYS:
            hint = nearest(key, KEYS) or f"; it has {', '.join(KEYS)}"
            fields.problem("unknown_field", key, f"a schedule has no {key!r}{hint}")
    if not any(fields.has(key) for key in _WHEN):
        message = "when? give 'schedule', a cron expression like '0 7 * * *', or 'every', a duration like PT5M"
        faults.problem("missing_field", "", message, field="schedule")
    found = read_schedule(fields, id_)
    if faults.problems or found is None:
        raise Refused(faults.problems or [Problem("invalid_schedule", "it names no time")], what="it is no schedule")
    return found


def changed(schedule: Schedule, changes: Mapping[str, Json]) -> Schedule:
    """The same with other fields; null takes one away. Another way to say when takes the place of the one that there was."""
    before = as_written(schedule)
    if any(changes.get(key) is not None for key in _WHEN):
        before.update(dict.fromkeys(_WHEN))
    return read({**before, **changes}, schedule.id)
