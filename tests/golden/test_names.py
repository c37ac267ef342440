"""Public and stored names may be added, never changed or removed: clients, dashboards, scripts and databases rely on them.

`PERDURE_DRAW=1 .venv/bin/pytest tests/golden` adds new names to `names.json`. It removes nothing: if a name is gone, it fails
and writes nothing. An issue that decides on a break, as for the spelling of REST before the first release, removes the
old names from `names.json` by hand in the commit that makes the break, and says so in its message and in the changelog.
"""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from golden.collection import collect, error_classes, failure_classes
from perdure.api.app import application
from perdure.api.component_names import COMPONENT_NAMES
from perdure.service.engine import Engine
from perdure.store.registers import AuditEntry

GOLDEN = Path(__file__).with_name("names.json")
DRAWS = os.environ.get("PERDURE_DRAW") == "1"
NOT_RELEASED = ("restate",)
"""Categories in which names may still be replaced: what they name is not complete yet."""

ADD = "add them with `PERDURE_DRAW=1 .venv/bin/pytest tests/golden`"
AUDIT_FIELDS = 12
"""The hash of an audit entry covers its fields, so there can be no new one."""

CATEGORIES = (
    *("error_codes", "failure_codes", "failure_names", "problem_types", "mcp_tools", "mcp_arguments", "metrics"),
    *("metric_labels", "condition_codes", "span_names", "span_attributes", "stream_events", "event_types"),
    *(
        "registers",
        "audit_actions",
        "audit_details",
        "browser_and_token_names",
        "settings",
        "commands",
        "doctor_checks",
        "rest",
    ),
    *("openapi_components", "openapi_operations", "openapi_properties", "fact_tags", "reserved_names"),
    *("tables_of_sqlite", "tables_of_postgres", "database_roles", "restate", "model_formats", "stored_values"),
    *("problem_uris", "metrics_exposed", "checkpoint_names", "envelope_kinds", "postgres_channels"),
)


@cache
def current() -> dict[str, Any]:
    return collect()


@cache
def golden() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if DRAWS:
        removed = removals(known, current())
        assert not removed, f"removed or renamed; a decided break is made in {GOLDEN.name} by hand: {removed}"
        known = _drawn(known, current())
        GOLDEN.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return known


@pytest.mark.parametrize("category", CATEGORIES)
def test_no_public_name_is_changed_or_removed(category: str) -> None:
    known, names = set(golden()[category]), set(current()[category])
    assert known <= names, f"{category}: removed or renamed: {sorted(known - names)}"
    assert names <= known, f"{category}: new names, {ADD}: {sorted(names - known)}"


def test_every_category_is_compared() -> None:
    assert set(current()) == {*CATEGORIES, "stored"}


def test_no_stored_field_or_tag_is_changed_or_removed() -> None:
    assert current()["stored"].keys() == golden()["stored"].keys()
    for root, known in golden()["stored"].items():
        shapes = current()["stored"][root]
        missing = [shape for shape in known if not any(_holds(new, shape) for new in shapes)]
        assert not missing, f"{root}: what is stored can no longer be read: {missing}"
        new = [shape for shape in shapes if shape not in known]
        assert not new, f"{root}: new fields or types, {ADD}: {new}"


def test_processes_notify_the_channel_that_they_listen_on() -> None:
    assert len({entry.split()[1] for entry in current()["postgres_channels"]}) == 1, current()["postgres_channels"]


def test_every_error_class_states_its_own_code() -> None:
    classes = error_classes()
    unnamed = [kind.__qualname__ for kind in classes if "code" not in vars(kind)]
    assert not unnamed, f'state the code, as in `class Gone(PerdureError, code="gone")`: {unnamed}'


def test_every_exception_of_a_task_states_its_own_name() -> None:
    unnamed = [kind.__qualname__ for kind in failure_classes() if vars(kind)["__perdure_name__"] is None]
    assert not unnamed, f'state it, as in `class Gone(NonRetryable, public_name="Gone")`: {unnamed}'


def test_every_openapi_component_has_an_explicit_name() -> None:
    components = set(application(Engine()).openapi()["components"]["schemas"])
    assert components == set(COMPONENT_NAMES.values())


def test_an_audit_entry_gets_no_new_field() -> None:
    assert len(AuditEntry.__struct_fields__) == AUDIT_FIELDS


def _holds(new: dict[str, Any], old: dict[str, Any]) -> bool:
    """Whether what was written in the old shape can be read in the new one."""
    if any(new[key] != old[key] for key in ("tag", "tag_field", "array")):
        return False
    if old["array"]:
        return bool(new["fields"][: len(old["fields"])] == old["fields"])
    return set(old["fields"]) <= set(new["fields"])


def removals(known: dict[str, Any], names: dict[str, Any]) -> list[str]:
    """Return what the golden names hold and the code does not have any more."""
    removed = [
        f"{category}: {name}"
        for category in CATEGORIES
        if category not in NOT_RELEASED
        for name in known.get(category, ())
        if name not in names[category]
    ]
    for root, shapes in known.get("stored", {}).items():
        there = names["stored"].get(root, ())
        removed += [f"stored: {root}: {old}" for old in shapes if not any(_holds(new, old) for new in there)]
    return removed


def _drawn(known: dict[str, Any], names: dict[str, Any]) -> dict[str, Any]:
    """Return the golden names with the new ones: shapes that grew replace those that they hold."""
    return {
        **{
            category: sorted({*names[category], *(() if category in NOT_RELEASED else known.get(category, ()))})
            for category in CATEGORIES
        },
        "stored": names["stored"],
    }


def test_drawing_refuses_to_remove_a_name() -> None:
    shape = {"tag": "a", "tag_field": "kind", "fields": ["x", "y"], "array": False}
    names: dict[str, Any] = {**{category: ["kept"] for category in CATEGORIES}, "stored": {"facts": [shape]}}
    grown = {**shape, "fields": ["x", "y", "z"]}
    shrunk = {**shape, "fields": ["x"]}

    assert removals(names, {**names, "rest": ["kept", "new"], "stored": {"facts": [grown], "new": []}}) == []
    assert removals(names, {**names, "rest": []}) == ["rest: kept"]
    assert removals(names, {**names, "openapi_components": []}) == ["openapi_components: kept"]
    assert removals(names, {**names, "restate": []}) == []
    assert len(removals(names, {**names, "stored": {"facts": [shrunk]}})) == 1
    assert len(removals(names, {**names, "stored": {}})) == 1
