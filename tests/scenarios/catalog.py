"""All scenarios."""

from __future__ import annotations

from scenarios import choosing, going_on, items, loops, others, paths, people, tasks, undoing, values, waits

ALL = (
    *tasks.SCENARIOS,
    *values.SCENARIOS,
    *choosing.SCENARIOS,
    *loops.SCENARIOS,
    *items.SCENARIOS,
    *paths.SCENARIOS,
    *waits.SCENARIOS,
    *people.SCENARIOS,
    *others.SCENARIOS,
    *undoing.SCENARIOS,
    *going_on.SCENARIOS,
)
