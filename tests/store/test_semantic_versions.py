"""Versions that their authors name: side by side, in any order, and the highest active one is what is started."""

from __future__ import annotations

from typing import Any

import pytest

from perdure.model.workflow import EventStart, Schedule, Workflow
from perdure.store import port as p
from perdure.store.questions import Questions
from perdure.store.versions import Kept as KeptVersion
from perdure.store.versions import NewVersion, Taken
from store.stores import Kept
from store.words import T0, candidates, event, one

ORDER = ("1.2.0", "1.10.0", "2.0.0-rc.1", "0.9.9", "1.9.0")


def new(version: str | None, **more: Any) -> NewVersion:
    schedule = Schedule("clock", cron="0 0 * * *")
    model = Workflow(
        more.pop("name", "orders"),
        starts=(EventStart("order.paid"),),
        schedules=(schedule,),
        steps_max=more.pop("steps_max", len(f"{version}") * 1_000 + sum(map(ord, f"{version}"))),
    )
    given = {"dialect": "graph", "at": T0, "document": f'{{"version":"{version}"}}', "version": version, **more}
    return NewVersion("wf_1", model, **given)


def keep(store: Any, version: str | None, **more: Any) -> KeptVersion:
    kept = store.keep(new(version, **more))
    assert isinstance(kept, KeptVersion)
    return kept


def statuses(asked: Questions) -> dict[str, str]:
    return {each.version: each.status for each in asked.versions_of("default", "wf_1")}


def assert_is_started(store: Kept, asked: Questions, version: str | None) -> None:
    """By whoever starts it: by id, by name, by event, by schedule."""
    row = asked.workflow("default", "wf_1")
    assert row is not None
    assert row.active == version
    found = None if version is None else asked.version("default", "wf_1", version)
    digest = None if found is None else found.digest
    assert asked.active_version("default", "wf_1") == digest
    assert asked.active_version("default", "orders") == digest
    id_ = f"ev{len(asked.happened('default', None, 100))}"
    one(store, p.Publish(event(id_)))
    events = candidates(store)
    assert (events[id_].workflows if id_ in events else ()) == (() if digest is None else ((digest, 0, "wf_1"),))
    schedule = asked.schedule("default", "wf_1", "clock")
    assert (None if schedule is None else schedule.digest) == digest


def test_it_is_called_as_its_author_does_and_counted_as_it_came(store: Kept, asked: Questions) -> None:
    for number, version in enumerate(ORDER, 1):
        kept = keep(store, version)
        assert (kept.created, kept.version.version, kept.version.number) == (True, version, number)
        assert asked.version("default", "wf_1", version) == kept.version
    row = asked.workflow("default", "wf_1")
    assert row is not None
    assert (row.newest, row.active) == ("1.9.0", "2.0.0-rc.1")


def test_versions_stand_side_by_side_and_the_highest_active_one_is_started(store: Kept, asked: Questions) -> None:
    for version, highest in zip(ORDER, ("1.2.0", "1.10.0", "2.0.0-rc.1", "2.0.0-rc.1", "2.0.0-rc.1"), strict=True):
        keep(store, version)
        assert_is_started(store, asked, highest)
    assert statuses(asked) == dict.fromkeys(ORDER, "active")


def test_a_release_is_higher_than_what_came_before_it_was_one(store: Kept, asked: Questions) -> None:
    for version in ("1.0.0", "1.0.0-rc.2", "1.0.0-rc.10"):
        keep(store, version)
        assert_is_started(store, asked, "1.0.0")


def test_a_draft_is_not_started_however_high_it_is(store: Any, asked: Questions) -> None:
    keep(store, "1.0.0")
    assert keep(store, "2.0.0", activate=False).version.status == "draft"
    assert_is_started(store, asked, "1.0.0")
    store.activate("default", "wf_1", "2.0.0", T0)
    assert statuses(asked) == {"1.0.0": "active", "2.0.0": "active"}
    assert_is_started(store, asked, "2.0.0")


def test_the_same_version_with_the_same_content_is_not_created_again(store: Kept, asked: Questions) -> None:
    first = keep(store, "1.0.0", activate=False)
    keep(store, "1.1.0")
    again = keep(store, "1.0.0", at=T0 + 99, document='{ "version": "1.0.0" }')
    assert (again.created, again.version.number, again.version.status) == (False, 1, "active")
    assert (again.version.document, again.version.created_at) == (first.version.document, T0)
    assert statuses(asked) == {"1.1.0": "active", "1.0.0": "active"}
    assert_is_started(store, asked, "1.1.0")


@pytest.mark.parametrize("change", [{"document": '{"version":1}'}, {"dialect": "ports"}, {"document": None}])
def test_the_same_version_with_other_content_is_taken_and_nothing_changes(
    store: Any, asked: Questions, change: dict[str, Any]
) -> None:
    first = keep(store, "1.0.0")
    keep(store, "1.1.0")
    before = asked.versions_of("default", "wf_1")
    assert store.keep(new("1.0.0", steps_max=7, **change)) == Taken(first.version)
    assert asked.versions_of("default", "wf_1") == before
    assert_is_started(store, asked, "1.1.0")


def test_what_a_program_built_is_the_same_if_its_model_is(store: Any) -> None:
    first = keep(store, "1.0.0", document=None, dialect="model")
    assert not keep(store, "1.0.0", document=None, dialect="model").created
    other = store.keep(new("1.0.0", document=None, dialect="model", steps_max=7))
    assert other == Taken(first.version)


def test_the_same_document_that_is_lowered_otherwise_takes_the_place_of_what_it_was(
    store: Any, asked: Questions
) -> None:
    old = keep(store, "1.0.0", steps_max=1)
    lowered = keep(store, "1.0.0", steps_max=2)
    assert (lowered.created, lowered.version.number, lowered.version.status) == (True, 2, "active")
    found = asked.versions_of("default", "wf_1")
    assert [(each.version, each.status) for each in found] == [("1.0.0", "active"), ("1.0.0", "inactive")]
    assert asked.active_version("default", "wf_1") == lowered.version.digest != old.version.digest
    store.deactivate("default", "wf_1", "1.0.0")
    assert_is_started(store, asked, None)


def test_of_two_that_are_equally_high_the_last_one_is_started(store: Kept, asked: Questions) -> None:
    keep(store, "1.0.0+b")
    keep(store, "1.0.0+a")
    assert statuses(asked) == {"1.0.0+a": "active", "1.0.0+b": "active"}
    assert_is_started(store, asked, "1.0.0+a")


def test_what_is_deactivated_leaves_its_place_to_the_next_lower_active_one(store: Any, asked: Questions) -> None:
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        keep(store, version, activate=version != "1.1.0")
    gone = store.deactivate("default", "wf_1", "1.2.0", T0 + 1)
    assert (gone.version, gone.status) == ("1.2.0", "inactive")
    assert_is_started(store, asked, "1.0.0")
    draft = store.deactivate("default", "wf_1", "1.1.0", T0 + 1)
    assert draft.status == "draft", "it was not active"
    store.deactivate("default", "wf_1", "1.0.0", T0 + 1)
    assert_is_started(store, asked, None)
    store.activate("default", "wf_1", "1.1.0", T0 + 2)
    assert_is_started(store, asked, "1.1.0")


def test_what_the_engine_counts_is_deactivated_as_well(store: Any, asked: Questions) -> None:
    keep(store, None, steps_max=1, document="1")
    keep(store, None, steps_max=2, document="2")
    assert store.deactivate("default", "wf_1", "1").status == "inactive"
    assert_is_started(store, asked, "2")
    assert store.deactivate("default", "wf_1", "2").status == "inactive"
    assert_is_started(store, asked, None)
    found = asked.workflow("default", "orders")
    assert found is not None
    assert found.id == "wf_1", "its name is still known"


def test_what_has_no_active_version_is_called_as_its_newest_one(store: Any, asked: Questions) -> None:
    keep(store, "2.0.0")
    keep(store, "1.0.0", name="bills")
    found = asked.workflow("default", "wf_1")
    assert found is not None
    assert found.name == "orders"
    for version in ("2.0.0", "1.0.0"):
        store.deactivate("default", "wf_1", version)
    found = asked.workflow("default", "wf_1")
    assert found is not None
    assert found.name == "bills"


def test_what_is_not_there_is_not_deactivated(store: Any, asked: Questions) -> None:
    keep(store, "1.0.0")
    assert store.deactivate("default", "wf_1", "1.0.1") is None
    assert store.deactivate("acme", "wf_1", "1.0.0") is None
    assert store.deactivate("default", "wf_2", "1.0.0") is None
    assert_is_started(store, asked, "1.0.0")


def test_what_authors_name_and_what_the_engine_counts_are_not_active_together(store: Any, asked: Questions) -> None:
    keep(store, None)
    keep(store, "0.1.0")
    keep(store, "0.2.0")
    assert statuses(asked) == {"1": "inactive", "0.1.0": "active", "0.2.0": "active"}
    assert_is_started(store, asked, "0.2.0")
    counted = keep(store, None, steps_max=9)
    assert (counted.version.version, counted.version.number) == ("4", 4)
    assert statuses(asked) == {"1": "inactive", "0.1.0": "inactive", "0.2.0": "inactive", "4": "active"}
    assert_is_started(store, asked, "4")
    store.activate("default", "wf_1", "0.1.0")
    assert_is_started(store, asked, "0.1.0")


def test_what_an_author_has_named_is_counted_where_the_same_comes_without_a_name(store: Kept) -> None:
    named = keep(store, "1.0.0", document="{}", steps_max=1)
    counted = keep(store, None, document="{}", steps_max=1)
    assert (counted.created, counted.version.version) == (True, "2")
    assert counted.version.digest == named.version.digest


def test_a_schedule_keeps_its_place_when_another_version_takes_over(store: Any, asked: Questions) -> None:
    keep(store, "1.0.0")
    first = asked.schedule("default", "wf_1", "clock")
    keep(store, "1.1.0", at=T0 + 10 * 86_400_000)
    store.deactivate("default", "wf_1", "1.1.0", T0 + 20 * 86_400_000)
    now = asked.schedule("default", "wf_1", "clock")
    assert first is not None
    assert now is not None
    assert (now.next_at, now.digest) == (first.next_at, first.digest)
