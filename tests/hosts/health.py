"""What must be so of a database at rest, whatever befell those who worked on it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from perdure.expressions.language import compile_value
from perdure.store.sqlite.doctor import examine
from perdure.testing import World, summary, violations
from perdure.testing.inspected import InspectedSqlite
from perdure.testing.script import Fixed

CRASHES_MAX = 1_000_000


def assert_healthy(path: Path, effects: Counter[tuple[str, int]] | None = None) -> None:
    """The file is whole, and the invariants hold. What was seen outside is held against the history if it was counted:
    `effects` says how often each attempt of each idempotency key was.
    """
    store = InspectedSqlite(str(path), crashes_max=CRASHES_MAX)
    assert store.ask("PRAGMA integrity_check") == [("ok",)]
    world = World(compile_value, Fixed(), store=store)
    world.effects.update(effects or {})
    found = violations(world)
    assert [one for one in found if effects is not None or ": I4:" not in one] == []
    store.close()
    assert examine(str(path), now=0, crashes_max=CRASHES_MAX).findings == ()


def effects_in(file: Path) -> Counter[tuple[str, int]]:
    """A line for each call: its key, its attempt, and by which process."""
    calls = (line.split() for line in file.read_text().splitlines())
    return Counter((key, int(attempt)) for key, attempt, _ in calls)


def final_states(path: Path) -> dict[str, Any]:
    """What every execution came to, by the idempotency key it was started with, or by its place below such a one."""
    store = InspectedSqlite(str(path), crashes_max=CRASHES_MAX)
    keys = store.ask("SELECT execution, key FROM idempotency")
    text = msgspec.json.encode(summary(World(compile_value, Fixed(), store=store))).decode()
    store.close()
    for execution, key in keys:
        text = text.replace(execution, key)
    return dict(msgspec.json.decode(text))
